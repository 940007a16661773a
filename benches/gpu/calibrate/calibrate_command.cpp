// `kernbench-gpu calibrate`: probes of this machine's GPU to a machine file.
#include "benches/gpu/calibrate/probe_bench.hpp"
#include "benches/gpu/options.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/harness/probes/probe_cases.hpp"
#include "benches/harness/program/program.hpp"

namespace kernbench::gpu {
namespace {
std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/probes.json");
  return [options] {
    if (options->list) return list_cases(probe_cases(132, options->smoke));
    const ProbeBench bench;
    return run_cases(*options, kProbeBench, probe_cases(static_cast<int>(read_facts(0).sms), options->smoke),
                     [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
  };
}

const bool registered = register_command({70, "calibrate", "Probes of a GPU to a machine file", set_up});

}  // namespace
}  // namespace kernbench::gpu
