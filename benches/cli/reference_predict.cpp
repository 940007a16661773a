// `kernbench reference predict`: the throughput of GEMMs, learned from rows of any source.
#include "benches/cli/reference_commands.hpp"
#include "benches/cli/reference_predict_commands.hpp"
#include "benches/io/program/command_group.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/shell.hpp"

namespace kernbench {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench reference predict error benches/reference/nvidia-h200/gemm.json --only backend=cublaslt
  kernbench reference predict tflops --m 4096 --n 4096 --k 12288 --dtype bf16 --from benches/reference/nvidia-h200/gemm.json

Ask for the error first: what a predictor says of a shape that is not like those it knows is off by far more than
what it says of their neighbours. docs/predictor.md has it all.)";

}  // namespace

std::function<int()> reference_predict_command::set_up(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(command, {{1, "error", "How far off it is on rows that it was not trained on",
                          reference_predict_error_command::set_up},
                         {2, "tflops", "One prediction, with its range", reference_predict_tflops_command::set_up}});
  return {};  // one of them is run
}

void PredictorOptions::add_to(CommandSpec& command, const std::string& paths) {
  command
      .add_option(paths, rows_.paths,
                  "Rows to learn from, of any source: results.json, a bench's folder, a device's gemm.json, a CSV with "
                  "columns m, n, k, dtype and time_ns or tflops")
      .required()
      .type_name("PATH")
      .reads();
  command.add_option("--only", rows_.only, "Only rows with these values; the same field twice allows both")
      .type_name("FIELD=VALUE,...");
  command.add_option("--with", rows_.with, "What all rows have that do not say it, such as dtype=bf16")
      .type_name("FIELD=VALUE,...");
  command
      .add_option("--columns", rows_.columns,
                  "Where a CSV names its columns differently: ours = theirs, times a factor (docs/reference.md)")
      .type_name("OURS=THEIRS,...");
  command.add_option("--seed", seed_, "Of the folds and the trees: the same seed, the same answer")
      .rule(whole_number(0, 2'000'000'000))
      .type_name("N")
      .show_default();
}

std::string PredictorOptions::given() const {
  std::string text;
  for (const auto& path : rows_.paths) text += " " + quoted_for_shell(path.string());
  const auto add = [&text](const char* option, const std::string& value) {
    if (!value.empty()) text += std::string(" ") + option + " " + quoted_for_shell(value);
  };
  add("--only", rows_.only);
  add("--with", rows_.with);
  add("--columns", rows_.columns);
  return text + " --seed " + std::to_string(seed_);
}

}  // namespace kernbench
