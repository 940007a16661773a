// `kernbench trace timeline`: where each rank's time went.
#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/traces/tables/timeline.hpp"

namespace kernbench::trace_timeline_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace timeline rank0.json.gz --steps 3..5
  kernbench trace timeline sweep/ --csv timeline.csv --wide

computation + exposed_comm + exposed_copy + idle = total. Exposed communication is what no computation hides; idle is split by
what the next event waited for: the host (it was launched too late), a dependency (launched before, 2 µs or longer), or
the GPU's own gap between kernels.)";

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  return set_up_trace_table(command, kExamples,
                            [](const TraceOptions& options, const std::vector<traces::PlacedTrace>& all) {
                              return traces::timeline_table(all, options.selection());
                            });
}

}  // namespace kernbench::trace_timeline_command
