// `kernbench trace top`: the GEMMs whose calls vary most.
#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/traces/tables/top.hpp"

namespace kernbench::trace_top_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace top sweep/
  kernbench trace top run/ --top 3 --csv top.csv

Of each file the GEMMs of largest max - min, then all files together: when the shortest and the longest call ran, what
communication ran beside the longest, and what of its kernel's time communication and clock explain.)";

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  return set_up_trace_table(
      command, kExamples,
      [](const TraceOptions& options, const std::vector<traces::PlacedTrace>& all) {
        return traces::top_table(all, options.selection(), options.top());
      },
      [&command](TraceOptions& options) { options.add_top(command); });
}

}  // namespace kernbench::trace_top_command
