// `kernbench trace causes`: what made GEMM calls long.
#include <memory>

#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/traces/tables/top.hpp"

namespace kernbench::trace_causes_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace causes sweep/
  kernbench trace causes sweep/ --all-calls --csv causes.csv
  kernbench trace causes sweep/ --table slowdowns        kernels beside communication and without, by point

excess = duration - best = kernel + contention + clock + unexplained, in µs and in %, each with the samples that it rests on.
best: what the shape's best kernel of the sweep takes alone; "no baseline": fewer than 3 calls ran alone.)";

struct Options {
  TraceOptions traces;
  TableOption table{{"causes", "slowdowns"}};
  OutputOptions output;
  bool all_calls = false;
};

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  auto options = std::make_shared<Options>();
  options->traces.add_reading(command);
  options->traces.add_selection(command);
  options->traces.add_top(command);
  command.add_flag("--all-calls", options->all_calls, "Every call of each GEMM, not the longest alone");
  options->table.add_to(command);
  options->output.add_to(command, OutputOptions::Kinds::kJsonAndCsv);
  command.footer(kExamples);
  return [options] {
    const std::vector<traces::PlacedTrace> all = options->traces.read();
    const traces::TraceSelection selection = options->traces.selection();
    if (options->table.name() == "slowdowns") {
      deliver_table(options->output, traces::slowdowns_table(all, selection));
      return 0;
    }
    const auto calls = options->all_calls ? traces::CausedCalls::kAll : traces::CausedCalls::kLongest;
    deliver_table(options->output, traces::causes_table(all, selection, options->traces.top(), calls));
    return 0;
  };
}

}  // namespace kernbench::trace_causes_command
