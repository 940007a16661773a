// The entry of `kernbench`.
#include "benches/io/program/program.hpp"
#include "benches/io/text/log.hpp"

namespace {

constexpr const char* kExamples = R"(Examples:
  kernbench list                             the benches there are
  kernbench run milestone-1h-gemm            simulate all points, draw figures
  kernbench run milestone-1h-gemm --fast     figures of the committed results
  kernbench sim gemm --m 512 --k 512 --n 512  one product: where its time goes
  kernbench reference list                   measured and published numbers

`kernbench help COMMAND` says more; `kernbench completion bash` completes commands in the shell.

Exit codes: 0 all well, 1 something failed, 2 wrong input.)";

/// By what users, scripts and pages of before call them.
std::vector<kernbench::MovedCommand> moved_commands() {
  return {{"adr", "dev adr"},
          {"cache", "dev cache"},
          {"calibrate", "topology calibrate"},
          {"plan", "sim universal-gemm --plan"},
          {"predict", "reference predict"},
          {"sim kernel", "sim KERNEL"},
          {"task", "dev task"},
          {"trace grow", "dev trace-grow"}};
}

}  // namespace

int main(int argc, char** argv) {
  kernbench::set_up_log(kernbench::Verbosity::kNormal);
  return kernbench::run_program({"kernbench", "Simulates AI-accelerator machines and benchmarks kernels on them.",
                                 KERNBENCH_VERSION, kExamples, moved_commands()},
                                argc, argv);
}

// libsystemc.so refers to it; nothing calls it, because simulations are elaborated in forked children.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }
