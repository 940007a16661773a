// `kernbench trace`: what PyTorch-profiler traces of real runs say.
#include "benches/cli/trace_commands.hpp"
#include "benches/io/program/command_group.hpp"

namespace kernbench::trace_command {
namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench trace timeline rank0.json.gz             where the time of one rank went
  kernbench trace timeline run/                      of each rank of a run: files rank0.json, rank1.json.gz, ...
  kernbench trace gemms sweep/ --csv gemms.csv       each GEMM of each rank of each point of a sweep
  kernbench trace top sweep/                         the GEMMs whose calls vary most
  kernbench trace collectives run/                   who waits for whom
  kernbench trace causes sweep/                      why the longest calls were long
  kernbench trace report sweep/ --out report         all tables, figures and one page
  kernbench trace merge run/ --out all.pftrace.gz    all ranks in one trace

TRACES are files that torch.profiler exports (export_chrome_trace), plain or gzip, or folders of them. A file's rank is what
it says of itself, else what its path says; the folders above it say the point of a sweep (--layout). Record with
record_shapes=True: GEMMs are told apart by their shapes. docs/trace-analysis.md explains every column.)";

std::function<int()> set_up(CommandSpec& command) {
  command.footer(kExamples);
  add_commands(
      command,
      {{1, "timeline", "Where each rank's time went: computation, exposed communication, idle and why",
        trace_timeline_command::set_up},
       {2, "gemms", "Every GEMM by shape: count, times, TFLOP/s, kernel", trace_gemms_command::set_up},
       {3, "top", "The GEMMs whose calls vary most, and what ran beside the longest", trace_top_command::set_up},
       {4, "collectives", "Collectives over all ranks: latency, busbw, who waits for whom",
        trace_collectives_command::set_up},
       {5, "causes", "Why GEMM calls were long: kernel, contention, clock, unexplained", trace_causes_command::set_up},
       {7, "report", "All tables, figures and a page of traces", trace_report_command::set_up},
       {8, "compare", "Several runs or sweeps side by side, and whether they differ", trace_compare_command::set_up},
       {9, "merge", "All ranks of a run in one trace, for Perfetto or Chrome", trace_merge_command::set_up},
       {10, "check", "What is in a trace, and what is wrong with it", trace_check_command::set_up}});
  return {};  // one of them is run
}

const bool registered =
    register_command({51, "trace", "Traces of PyTorch's profiler: where time went, GEMMs, collectives", set_up});

}  // namespace
}  // namespace kernbench::trace_command
