// `kernbench reference show`: a device's card and its rows.
#include <memory>

#include "benches/cli/output_options.hpp"
#include "benches/cli/reference_commands.hpp"
#include "benches/cli/reference_table.hpp"
#include "benches/io/text/terminal.hpp"
#include "benches/measured/reference/allowed_rows.hpp"
#include "benches/results/rows/results_csv.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench::reference_show_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench reference show nvidia-h200                                      the card, every row
  kernbench reference show nvidia-h200 gpu-gemm --only dtype=bf16,l2=warm
  kernbench reference show nvidia-h200 gpu-collectives --only collective=all_reduce,gpus=4,setting=default
  kernbench reference show nvidia-h200 gpu-operators --only operation=layernorm,l2=flushed --across implementation
  kernbench reference show nvidia-h200 gpu-gemm --csv > gemm.csv
  kernbench reference show published/ml-engineering --json | jq '.results[].rows[].metrics')";

struct Options {
  std::string name;
  std::string bench;
  std::string only;
  std::string across;
  OutputOptions output;
  std::filesystem::path root = reference_root();
};

ReferenceFolder find_folder(const std::filesystem::path& root, const std::string& name) {
  std::vector<std::string> names;
  for (const ReferenceFolder& folder : all_references(root)) {
    if (folder.name == name) return folder;
    names.push_back(folder.name);
  }
  refuse_name("reference data", name, names, root.string());
}

/// The bench asked for, with or without its "gpu-"; all where none was.
std::vector<std::string> chosen_benches(const ReferenceFolder& folder, const std::string& wanted) {
  if (wanted.empty()) return folder.benches;
  std::vector<std::string> names;
  for (const std::string& bench : folder.benches) {
    if (bench == wanted || bench == "gpu-" + wanted) return {bench};
    names.push_back(wanted.starts_with("gpu-") ? bench : bench.substr(std::string_view("gpu-").size()));
  }
  refuse_name("bench", wanted, names, folder.name);
}

Json as_json(const std::optional<Device>& card, const std::vector<Results>& all) {
  Json document = Json::object();
  if (card) document["device"] = Json::parse(format_device(*card));
  document["results"] = Json::array();
  for (const Results& results : all) document["results"].push_back(Json::parse(format_results(results)));
  return document;
}

int show(const Options& options) {
  const std::filesystem::path& root = options.root;
  const ReferenceFolder folder = find_folder(root, options.name);
  const AllowedRows allowed("--only", options.only);
  std::vector<Results> all;
  for (const std::string& bench : chosen_benches(folder, options.bench)) {
    all.push_back(read_reference(root, folder.name, bench).value());
  }
  allowed.require_known(all);
  for (Results& results : all) allowed.keep(results);
  std::erase_if(all, [](const Results& results) { return results.rows.empty(); });

  std::optional<Device> card;
  if (!folder.published) card = read_device(root, folder.name);
  const auto tables = [&](const Terminal& terminal) {
    std::string text = card ? format_card(*card, terminal) : printable(folder.name) + "\n";
    for (const Results& results : all) {
      const ReferenceBench* bench = find_reference_bench(results.bench);
      const ReferenceBench unknown{results.bench, {}, {}};
      const ReferenceBench& known = bench == nullptr ? unknown : *bench;
      text += "\n" + (options.across.empty() ? format_rows(results, known, terminal)
                                             : format_across(results, known, options.across, terminal));
    }
    return text;
  };
  const auto csv = [&] {
    if (all.size() > 1) throw ConfigError("--csv: the benches have columns of their own; name one of them");
    return all.empty() ? std::string() : format_csv(all.front());
  };
  options.output.deliver(tables, {[&] { return as_json(card, all).dump(2) + "\n"; }, csv});
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  command.add_option("device", options->name, "As `kernbench reference list` names it").required().type_name("DEVICE");
  command.add_option("bench", options->bench, "One bench [all]").type_name("BENCH");
  command.add_option("--only", options->only, "Only rows with these values; the same field twice allows both")
      .type_name("FIELD=VALUE,...");
  command
      .add_option("--across", options->across,
                  "Tables with this field's values side by side, and which of them is best")
      .type_name("FIELD");
  options->output.add_to(command);
  command.add_option("--from", options->root, "Reference folder [benches/reference]").type_name("DIR").reads();
  command.footer(kExamples);
  return [options] { return show(*options); };
}

}  // namespace kernbench::reference_show_command
