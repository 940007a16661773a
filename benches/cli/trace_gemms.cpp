// `kernbench trace gemms`: every GEMM by shape.
#include "benches/cli/trace_commands.hpp"
#include "benches/cli/trace_options.hpp"
#include "benches/traces/tables/gemms.hpp"

namespace kernbench::trace_gemms_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace gemms rank0.json.gz
  kernbench trace gemms sweep/ --json gemms.json

A call is an operator (mm, addmm, bmm, baddbmm, _scaled_mm, _int_mm) with the GPU events launched inside of it; its time is their
union, kernel_* the longest alone.)";

}  // namespace

std::function<int()> set_up(CommandSpec& command) {
  return set_up_trace_table(command, kExamples,
                            [](const TraceOptions& options, const std::vector<traces::PlacedTrace>& all) {
                              return traces::gemms_table(all, options.selection());
                            });
}

}  // namespace kernbench::trace_gemms_command
