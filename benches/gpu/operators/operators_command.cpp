// `kernbench-gpu operators`: our CUDA kernels for LayerNorm, GELU, Swish, MSE and cross-entropy.
#include <algorithm>
#include <vector>

#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/operators/operators.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/gpu/timing/timing.hpp"
#include "benches/io/program/program.hpp"
#include "benches/measured/cases/device_peaks.hpp"
#include "benches/measured/cases/operator_cases.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/operator_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench::gpu {
namespace {

class OperatorBench {
 public:
  explicit OperatorBench(const Options& options)
      : options_(options),
        limits_(sample_limits(options)),
        device_(describe_gpu(read_facts(0))),
        flush_(static_cast<std::size_t>(device_.facts.at("l2_bytes").get<std::int64_t>())) {}

  void measure(const PlannedCase& planned, Row& row) {
    const Json& point = planned.point;
    const auto dtype = point.at("dtype").get<std::string>();
    const bool flushed = point.at("l2") == "flushed";
    OperatorProblem problem;
    problem.operation = point.at("operation").get<std::string>();
    problem.rows = point.at("batch_size").get<std::int64_t>() * point.at("sequence_length").get<std::int64_t>();
    problem.columns = point.at("tensor_dimension").get<std::int64_t>();
    problem.element = element_of(dtype);
    if (problem.element != Element::kFp32 && problem.element != Element::kBf16) {
      throw NotSupported("our kernels have fp32 and bf16");
    }

    std::vector<OperatorBuffers> sets;
    sets.push_back(make_operator_buffers(problem, options_.seed, stream_.get()));
    const Enqueue enqueue = [&](cudaStream_t stream, int set) {
      enqueue_operator(problem, sets.at(static_cast<std::size_t>(set)), stream);
    };
    enqueue(stream_.get(), 0);
    const double error = operator_error(problem, sets[0], stream_.get());
    require_right(error, operator_tolerance(dtype));

    const double operation_ns = estimate_ns(stream_, enqueue);
    int operations = operations_per_sample(operation_ns);
    if (flushed) {
      constexpr std::size_t kMostBytes = std::size_t{8} << 30U;
      operations = std::min(operations, std::max(1, static_cast<int>(kMostBytes / sets[0].bytes())));
      while (static_cast<int>(sets.size()) < operations) {
        sets.push_back(make_operator_buffers(problem, options_.seed, stream_.get()));
      }
    }
    const L2Flush* flush = flushed ? &flush_ : nullptr;
    const Graph graph(stream_, sample_work(enqueue, operations, flushed));
    const auto time_ns = time_samples(stream_, graph, operations, flush, limits_, operation_ns);
    const auto latency_ns = latency_samples(stream_, enqueue, flush, limits_, operation_ns);

    add_family(row.metrics, "time", time_ns);
    add_family(row.metrics, "latency", latency_ns);
    add_derived(row, problem, static_cast<double>(sets[0].bytes()));
    row.metrics.set(kError, error);
  }

 private:
  void add_derived(Row& row, const OperatorProblem& problem, double buffer_bytes) const {
    const double time_s = row.metrics.at(kTime) * 1e-9;
    const OperatorWork work = operator_work(problem.operation, problem.rows, problem.columns,
                                            static_cast<std::int64_t>(bytes_of(problem.element)));
    const double bound_s =
        std::max(work.bytes / (device_.memory_gbs * 1e9), work.flops / (peak_tflops(device_, "fp32") * 1e12));
    row.metrics.set(kTimeMs, time_s * 1e3);
    row.metrics.set(kMemoryMb, buffer_bytes * 1e-6);
    row.metrics.set(kInferenceSpeed, 1 / time_s);
    row.metrics.set(kOperatorEfficiency, bound_s / time_s);
    row.metrics.set(kThroughputGbps, work.bytes / time_s * 1e-9);
  }

  Options options_;
  SampleLimits limits_;
  Device device_;
  Stream stream_;
  L2Flush flush_;
};

std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/operators.json");
  return [options] {
    const auto cases = operator_cases(Suites(options->suites), "cuda", options->smoke);
    if (options->list) return list_cases(cases);
    OperatorBench bench(*options);
    return run_cases(*options, "gpu-operators", cases,
                     [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
  };
}

const bool registered = register_command({40, "operators", "LayerNorm, GELU, Swish, MSE, cross-entropy", set_up});

}  // namespace
}  // namespace kernbench::gpu
