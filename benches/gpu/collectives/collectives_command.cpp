// `kernbench-gpu collectives`: NCCL's collectives over the GPUs of this machine.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "benches/gpu/collectives/expected.hpp"
#include "benches/gpu/collectives/nccl.hpp"
#include "benches/gpu/data/fill.hpp"
#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/ranks/ranks.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/harness/measured/collective_cases.hpp"
#include "benches/harness/measured/device_peaks.hpp"
#include "benches/harness/measured/statistics.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/program/program.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"

namespace kernbench::gpu {
namespace {

class CollectiveBench {
 public:
  CollectiveBench(const Options& options, const std::vector<PlannedCase>& cases)
      : limits_(sample_limits(options)),
        device_(describe_gpu(read_facts(0))),
        ranks_(options.gpus),
        communicators_(options.gpus) {
    std::int64_t most = 0;
    for (const PlannedCase& planned : cases) most = std::max(most, planned.point.at("bytes").get<std::int64_t>());
    for (int rank = 0; rank < options.gpus; ++rank) {
      const UseDevice use(rank);
      in_.emplace_back(static_cast<std::size_t>(most));
      out_.emplace_back(static_cast<std::size_t>(most));
      fill_contribution(in_.back().as<float>(), most / 4, rank, ranks_.stream(rank).get());
      ranks_.stream(rank).synchronize();
    }
  }

  void measure(const PlannedCase& planned, Row& row) {
    const auto collective = planned.point.at("collective").get<std::string>();
    const auto bytes = planned.point.at("bytes").get<std::int64_t>();
    const std::int64_t count = bytes / 4;
    if (bytes % (4 * static_cast<std::int64_t>(ranks_.size())) != 0) {
      throw NotSupported("the buffer does not divide into an fp32 part for each rank");
    }
    const EnqueueRank enqueue = [&](int rank, cudaStream_t stream) {
      const auto at = static_cast<std::size_t>(rank);
      communicators_.enqueue(collective, in_[at].as<const float>(), out_[at].as<float>(), count, rank, stream);
    };
    try {
      const double error = check_once(collective, count, enqueue);
      require_right(error, 0);
      const RankSamples samples = time_ranks(ranks_, enqueue, limits_);
      add_family(row.metrics, "time", samples.time_ns);
      add_family(row.metrics, "latency", samples.latency_ns);
      row.metrics["error"] = error;
    } catch (const GpuError&) {
      communicators_.abort();
      throw;
    }
    const double algbw_gbs = static_cast<double>(bytes) / row.metrics.at("time_ns").get<double>();
    const double busbw_gbs = algbw_gbs * busbw_factor(kCollectives.parse(collective), ranks_.size());
    row.metrics["dtype"] = "fp32";
    row.metrics["algbw_gbs"] = algbw_gbs;
    row.metrics["busbw_gbs"] = busbw_gbs;
    if (device_.link_gbs) row.metrics["bound_fraction"] = busbw_gbs / *device_.link_gbs;
  }

 private:
  /// The largest error of a rank; NaN where any has one.
  double check_once(const std::string& collective, std::int64_t count, const EnqueueRank& enqueue) {
    std::vector<double> errors(out_.size());
    ranks_.run([&](int rank) {
      const auto at = static_cast<std::size_t>(rank);
      const Stream& stream = ranks_.stream(rank);
      poison(out_[at].data(), static_cast<std::size_t>(count) * 4, stream.get());
      enqueue(rank, stream.get());
      const Event end;
      end.record(stream);
      wait_for(end, rank);
      errors[at] = collective_error(collective, out_[at].as<const float>(), count, rank, ranks_.size(), stream.get());
    });
    double largest = 0;
    for (const double error : errors) {
      if (std::isnan(error)) return error;
      largest = std::max(largest, error);
    }
    return largest;
  }

  SampleLimits limits_;
  Device device_;
  Ranks ranks_;
  Communicators communicators_;
  std::vector<DeviceBuffer> in_;
  std::vector<DeviceBuffer> out_;
};

std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/collectives.json");
  auto setting = std::make_shared<std::string>("default");
  options->gpus = 2;
  command.add_option("--gpus", options->gpus, "GPUs that take part").rule(whole_number(2, 1024)).show_default();
  command
      .add_option("--setting", *setting, "Name of what NCCL's variables (NCCL_ALGO, ...) ask for; a label of the rows")
      .show_default();
  auto only = std::make_shared<std::vector<std::string>>();
  command.add_option("--collective", *only, "This collective alone; may be given again")
      .rule(one_of({"all_reduce", "reduce_scatter", "all_gather", "broadcast", "all_to_all"}));
  return [options, setting, only] {
    const auto cases =
        measured_collective_cases(Suites(options->suites), options->gpus, *setting, *only, options->smoke);
    if (options->list) return list_cases(cases);
    require_gpus(options->gpus);
    CollectiveBench bench(*options, cases);
    return run_cases(*options, "gpu-collectives", cases,
                     [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
  };
}

const bool registered = register_command({50, "collectives", "NCCL's collectives over several GPUs", set_up});

}  // namespace
}  // namespace kernbench::gpu
