// `kernbench-gpu collectives`: NCCL's collectives over the GPUs of this machine.
#include <algorithm>
#include <string>
#include <vector>

#include "benches/gpu/collectives/checked_collectives.hpp"
#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/program.hpp"
#include "benches/measured/cases/collective_cases.hpp"
#include "benches/measured/cases/device_peaks.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"

namespace kernbench::gpu {
namespace {

constexpr Metric<std::string> kDtypeName{"dtype"};

std::int64_t most_bytes(const std::vector<PlannedCase>& cases) {
  std::int64_t most = 0;
  for (const PlannedCase& planned : cases) most = std::max(most, planned.point.at("bytes").get<std::int64_t>());
  return most;
}

class CollectiveBench {
 public:
  CollectiveBench(const Options& options, const std::vector<PlannedCase>& cases, RankLaunch launch)
      : gpus_(options.gpus),
        limits_(sample_limits(options)),
        launch_(launch),
        device_(describe_gpu(read_facts(0))),
        collectives_(options.gpus, 0, most_bytes(cases)) {}

  void measure(const PlannedCase& planned, Row& row) {
    const auto collective = planned.point.at("collective").get<std::string>();
    const auto bytes = planned.point.at("bytes").get<std::int64_t>();
    const auto measured = collectives_.measure(collective, bytes, limits_, launch_);
    add_family(row.metrics, "time", measured.samples.time_ns);
    add_family(row.metrics, "latency", measured.samples.latency_ns);
    row.metrics.set(kError, measured.error);
    const double algbw_gbs = static_cast<double>(bytes) / row.metrics.at(kTime);
    const double busbw_gbs = algbw_gbs * busbw_factor(kCollectives.parse(collective), gpus_);
    row.metrics.set(kDtypeName, "fp32");
    row.metrics.set(kAlgbwGbs, algbw_gbs);
    row.metrics.set(kBusbwGbs, busbw_gbs);
    if (device_.link_gbs) row.metrics.set(kBoundFraction, busbw_gbs / *device_.link_gbs);
  }

 private:
  int gpus_;
  SampleLimits limits_;
  RankLaunch launch_;
  Device device_;
  CheckedCollectives collectives_;
};

std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/collectives.json");
  auto setting = std::make_shared<std::string>("default");
  options->gpus = 2;
  command.add_option("--gpus", options->gpus, "GPUs that take part").rule(whole_number(2, 1024)).show_default();
  command
      .add_option("--setting", *setting, "Name of what NCCL's variables (NCCL_ALGO, ...) ask for; a label of the rows")
      .show_default();
  auto launch = std::make_shared<std::string>("stream");
  command
      .add_option("--launch", *launch,
                  "How calls follow one another while they are timed: on the stream, or inside a CUDA graph")
      .rule(one_of({"stream", "graph"}))
      .show_default();
  auto only = std::make_shared<std::vector<std::string>>();
  command.add_option("--collective", *only, "This collective alone; may be given again")
      .rule(one_of({"all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all"}));
  return [options, setting, launch, only] {
    const auto cases =
        measured_collective_cases(Suites(options->suites), options->gpus, *setting, *only, options->smoke);
    if (options->list) return list_cases(cases);
    require_gpus(options->gpus);
    CollectiveBench bench(*options, cases, *launch == "graph" ? RankLaunch::kGraph : RankLaunch::kStream);
    return run_cases(*options, "gpu-collectives", cases,
                     [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
  };
}

const bool registered = register_command({50, "collectives", "NCCL's collectives over several GPUs", set_up});

}  // namespace
}  // namespace kernbench::gpu
