// `kernbench reference import`: checks files, then takes them in.
#include <iostream>
#include <memory>
#include <optional>

#include "benches/cli/reference_commands.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/utc_time.hpp"
#include "benches/measured/reference/import.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::reference_import_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench reference import out/gpu/*.json                                  results and the device's card
  kernbench reference import out/gpu/gemm.json --dry-run                     every finding, nothing written
  kernbench reference import out/gpu/gemm.json --replace                     rows that are there with other values
  kernbench reference import busbw.csv --published ml-engineering --bench gpu-collectives \
    --columns 'device=system,gpus=n_ranks,bytes=bytes,busbw_gbs=busbw_GBps' --with collective=all_reduce
  ... --columns 'm/n/k=Best Shape MxNxK[x],tflops=MAMF,peak_fraction=Efficiency[%]*0.01' --no-value '?'

A column that is named as a field or metric of ours needs no --columns. Exit code 2: something was found, nothing was
written.)";

constexpr std::size_t kLongestName = 100;  // it becomes the name of a folder
/// That anybody reads at once.
constexpr std::size_t kMostFindings = 200;

struct Options {
  ImportRequest request;
  PublishedTable table;
  std::string device;
  bool dry_run = false;
};

void require_sensible(const Options& options) {
  const bool published = !options.table.where.empty();
  if (published && options.table.bench.empty()) {
    throw ConfigError("--published: expected --bench NAME too: which bench the numbers belong to, like gpu-gemm");
  }
  if (published && device_slug(options.table.where).empty()) {
    throw ConfigError("--published: expected a name with a letter or digit, got \"" + options.table.where + "\"");
  }
  if (options.table.where.size() > kLongestName) {
    throw ConfigError("--published: expected a name of at most " + std::to_string(kLongestName) + " characters, got " +
                      std::to_string(options.table.where.size()));
  }
  for (const std::filesystem::path& file : options.request.files) {
    if (!published && file.extension() == ".csv") {
      throw ConfigError(file.string() +
                        ": a table needs --published WHERE --bench NAME: who published it, and of what");
    }
  }
}

std::string outcome(const Merged& merged) {
  std::string text;
  const auto add = [&text](std::size_t count, const char* what) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
  };
  add(merged.added, "new");
  add(merged.replaced, "replaced");
  add(merged.unchanged, "as they were");
  add(merged.dropped, "dropped (other versions)");
  return counted(static_cast<std::int64_t>(merged.results.rows.size()), "row") + (text.empty() ? "" : ": " + text);
}

int import_files(Options options) {
  require_sensible(options);
  if (!options.table.where.empty()) options.request.published = options.table;
  if (!options.device.empty()) options.request.device = options.device;
  options.request.today = utc_now();
  // Where there is nothing yet, nothing is made before all is known to be good.
  std::optional<FolderLock> lock;
  if (!options.dry_run && std::filesystem::exists(options.request.into)) lock = lock_references(options.request.into);
  const ImportPlan plan = plan_import(options.request);
  if (!plan.findings.empty()) {
    throw ConfigError(listed(plan.findings, kMostFindings) +
                      counted(static_cast<std::int64_t>(plan.findings.size()), "finding") + ": nothing was written");
  }
  if (!options.dry_run) {
    if (!lock) lock = lock_references(options.request.into);
    write_import(plan, *lock);
  }
  for (const std::string& note : plan.notes) std::cout << note << "\n";
  std::cout << (options.dry_run ? "would be written:\n" : "written:\n");
  for (const ImportedCard& card : plan.cards) std::cout << "  " << card.file.string() << "\n";
  for (const ImportTarget& target : plan.targets) {
    std::cout << "  " << target.file.string() << "  " << outcome(target.merged) << "\n";
    for (const CopiedFolder& folder : target.folders) std::cout << "  " << folder.to.string() << "\n";
  }
  return 0;
}

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  options->request.into = reference_root();
  command
      .add_option("files", options->request.files, "Results and device cards (JSON), or with --published tables (CSV)")
      .required()
      .type_name("FILE...")
      .reads();
  command.add_option("--device", options->device, "The device's card, where it is not among the files")
      .type_name("FILE")
      .reads();
  command.add_flag("--replace", options->request.replace,
                   "Take new values for rows, versions and cards that are there");
  command.add_option("--into", options->request.into, "Reference folder [benches/reference]")
      .type_name("DIR")
      .writes_folder();
  command.add_flag("--dry-run", options->dry_run, "Check and say what would be written");
  Option& published = command.add_option("--published", options->table.where, "Published numbers: who published them")
                          .type_name("WHERE");
  const auto add_table_option = [&](const std::string& name, auto& value, const std::string& help) -> Option& {
    return command.add_option(name, value, help).needs(published);
  };
  add_table_option("--bench", options->table.bench, "Of which bench they are").type_name("NAME");
  add_table_option("--columns", options->table.columns,
                   "What their columns are in our names; a unit is taken off each cell, a factor applied")
      .type_name("NAME=THEIRS[UNIT]*FACTOR,...");
  add_table_option("--with", options->table.with, "What is the same in every row").type_name("NAME=VALUE,...");
  add_table_option("--value", options->table.values, "What a text of theirs is in ours; may be given again")
      .type_name("NAME:THEIRS=OURS")
      .one_value_each();
  add_table_option("--no-value", options->table.no_value, "A cell that means that there is none; may be given again")
      .type_name("TEXT")
      .one_value_each();
  add_table_option("--citation", options->table.citation, "Title, address, licence").type_name("TEXT");
  command.footer(kExamples);
  return [options] { return import_files(*options); };
}

}  // namespace kernbench::reference_import_command
