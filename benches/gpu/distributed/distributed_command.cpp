// `kernbench-gpu distributed`: GEMMs whose matrices are spread over several GPUs, one-sided: devices fetch what they
// need from each other's memories and send what belongs to others (adr/0023).
#include <algorithm>
#include <memory>
#include <optional>

#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/distributed/reference.hpp"
#include "benches/gpu/options.hpp"
#include "benches/gpu/ranks/ranks.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/gpu/timing/timing.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/program.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/measured/cases/distributed_gemm_cases.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/plan/distributed_gemm/schedule.hpp"

namespace kernbench::gpu {
namespace {

constexpr Metric<std::string> kResultDtype{"c_dtype"};
constexpr Metric<double> kMaxTflops{"tflops_max"};
constexpr Metric<double> kMostTime{"time_max_ns"};
constexpr Metric<double> kLeastTime{"time_min_ns"};

/// Measures case after case with the same devices.
class DistributedBench {
 public:
  explicit DistributedBench(const Options& options)
      : seeds_{2 * options.seed, 2 * options.seed + 1}, limits_(sample_limits(options)) {}

  void measure(const PlannedCase& planned, Row& row) {
    const DistributedGemm problem = distributed_gemm_of(planned.point);
    if (problem.devices % problem.replication[0] != 0) {
      throw NotSupported("replication " + std::to_string(problem.replication[0]) + " does not divide " +
                         std::to_string(problem.devices) + " GPUs");
    }
    prepare(problem.devices);
    const DistributedGemmPlan plan = plan_distributed_gemm(problem);
    const CommandList list = schedule_distributed_gemm(plan);
    require_memory(plan, list);
    reference_.make(*devices_, plan, seeds_);

    Executor executor(*devices_, plan, list, seeds_);
    static_cast<void>(executor.run(false));  // loads what is loaded on first use
    executor.forget();
    static_cast<void>(run_once(executor));  // as the timed ones are
    const double error = reference_.check_result(*devices_, plan, executor, seeds_);
    const std::vector<double> samples_ns = samples(executor);
    add_metrics(problem, list, samples_ns, row);
    row.metrics.set(kError, error);
    row.metrics.set(kResultDtype, "fp32");
    if (!gated_) row.flags.emplace_back("host_paced");
  }

 private:
  void prepare(int count) {
    if (devices_) return;
    devices_.emplace(count);
    peak_tflops_ = peak_tflops(describe_gpu(read_facts(0)), "bf16");
  }

  void require_memory(const DistributedGemmPlan& plan, const CommandList& list) const {
    std::vector<std::size_t> needed = device_bytes(plan, list);
    needed[0] += Reference::bytes(plan);
    for (int device = 0; device < devices_->count(); ++device) {
      const UseDevice use(device);
      std::size_t free = 0;
      std::size_t total = 0;
      check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
      const std::size_t bytes = needed[static_cast<std::size_t>(device)];
      if (bytes <= total / 20 * 19) continue;  // `free` lacks what the last case's product holds
      throw NotSupported("needs " + formatted("%.1f", static_cast<double>(bytes) * 1e-9) + " GB on GPU " +
                         std::to_string(device) + ", which has " +
                         formatted("%.1f", static_cast<double>(total) * 1e-9));
    }
  }

  /// Where the gate does not work the host's pace counts from then on, and the rows' flags say so.
  double run_once(Executor& executor) {
    if (gated_) {
      try {
        return executor.run(true);
      } catch (const GateWasLate&) {
        gated_ = false;
      }
    }
    return executor.run(false);
  }

  std::vector<double> samples(Executor& executor) {
    for (;;) {
      const bool gated = gated_;
      double last_ns = 0;
      for (int i = 0; i < std::max(1, limits_.warm_ups); ++i) last_ns = run_once(executor);
      std::vector<double> samples_ns(static_cast<std::size_t>(limits_.samples(last_ns)));
      for (double& sample_ns : samples_ns) sample_ns = run_once(executor);
      if (gated == gated_) return samples_ns;  // all of one kind
    }
  }

  void add_metrics(const DistributedGemm& problem, const CommandList& list, const std::vector<double>& samples_ns,
                   Row& row) const {
    add_family(row.metrics, "time", samples_ns);
    const auto [least, most] = std::minmax_element(samples_ns.begin(), samples_ns.end());
    row.metrics.set(kLeastTime, *least);
    row.metrics.set(kMostTime, *most);
    const double flops =
        2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.k) * static_cast<double>(problem.n);
    const double tflops = flops / median(samples_ns) * 1e-3;
    const double theoretical = peak_tflops_ * problem.devices;
    row.metrics.set(kTflops, tflops);
    row.metrics.set(kMaxTflops, flops / *least * 1e-3);
    row.metrics.set(kTheoreticalTflops, theoretical);
    if (theoretical > 0) row.metrics.set(kPeakFraction, tflops / theoretical);
    Bytes largest = 0;
    Bytes total = 0;
    for (const DeviceTraffic& traffic : traffic_of(list, problem.devices)) {
      largest = std::max(largest, traffic.received);
      total += traffic.received;
    }
    row.metrics.set(kReceivedBytes, largest);
    row.metrics.set(kReceivedBytesTotal, total);
  }

  OperandSeeds seeds_;
  SampleLimits limits_;
  std::optional<PeerDevices> devices_;
  Reference reference_;
  double peak_tflops_ = 0;
  bool gated_ = true;
};

int run(const Options& options, const DistributedGemmChoice& choice) {
  const std::vector<PlannedCase> cases = distributed_gemm_cases(Suites(options.suites), choice);
  if (options.list) return list_cases(cases);
  require_gpus(options.gpus);
  DistributedBench bench(options);
  return run_cases(options, "gpu-distributed-gemm", cases,
                   [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
}

const bool registered = register_command(
    {60, "distributed", "GEMMs whose matrices are spread over several GPUs", [](CommandSpec& command) {
       const std::shared_ptr<Options> options = Options::add_to(command, "distributed_gemm.json");
       options->gpus = 2;
       const auto choice = std::make_shared<DistributedGemmChoice>();
       command.add_option("--gpus", options->gpus, "GPUs 0 to N-1 take part")
           .rule(whole_number(1, 1024))
           .show_default();
       command
           .add_option("--methods", choice->methods,
                       "stationary_a, stationary_b, stationary_c, auto: which matrix stays where it is")
           .separated_by(',');
       command.add_option("--partitions", choice->partitions,
                          "Partitions of A, B and C, as in row,column,row; again for more of them");
       command.add_option("--replications", choice->replications, "Copies of each matrix, as in 1,2").separated_by(',');
       return [options, choice] {
         choice->gpus = options->gpus;
         choice->smoke = options->smoke;
         return run(*options, *choice);
       };
     }});

}  // namespace
}  // namespace kernbench::gpu
