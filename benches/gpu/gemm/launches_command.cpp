// `kernbench-gpu launches`: products one after the other, inside a CUDA graph, on a stream, and from a host that is
// late.
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "benches/gpu/gemm/device_product.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/gpu/timing/spin.hpp"
#include "benches/gpu/timing/timing.hpp"
#include "benches/io/program/program.hpp"
#include "benches/measured/cases/gemm_cases.hpp"
#include "benches/measured/cases/launch_cases.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/results/rows/measured_metrics.hpp"

namespace kernbench::gpu {
namespace {

constexpr int kAhead = 64;                    // products that wait on the stream behind a spin
constexpr long long kSpinCycles = 2'000'000;  // a millisecond: longer than a host takes to launch them
constexpr int kEager = 256;
constexpr long long kLongSpinCycles = 20'000'000;

class LaunchBench {
 public:
  explicit LaunchBench(const Options& options) : options_(options), limits_(sample_limits(options)) {}

  void measure(const PlannedCase& planned, Row& row) {
    const DeviceProduct product(planned.point, options_.seed, stream_);
    product.enqueue(stream_.get());
    row.metrics.set(kError, product.error(options_.seed + 2, stream_));
    require_right(row.metrics.at(kError), gemm_tolerance(planned.point.at("dtype"), planned.point.at("k")));
    const Enqueue enqueue = [&product](cudaStream_t stream, int /*set*/) { product.enqueue(stream); };
    const double operation_ns = estimate_ns(stream_, enqueue);
    const Graph graph(stream_, sample_work(enqueue, kAhead, false));
    add_family(row.metrics, "time", time_samples(stream_, graph, kAhead, nullptr, limits_, operation_ns));
    add_family(row.metrics, "stream", on_stream(product, kAhead, kSpinCycles, operation_ns));
    add_family(row.metrics, "eager", on_stream(product, kEager, 0, operation_ns));
    add_family(row.metrics, "host", of_host(product));
  }

 private:
  /// ns a product, behind a spin of so many cycles (0: none).
  [[nodiscard]] std::vector<double> on_stream(const DeviceProduct& product, int products, long long cycles,
                                              double operation_ns) const {
    const Event begin;
    const Event end;
    std::vector<double> samples;
    const int count = limits_.samples(operation_ns * products) + limits_.warm_ups;
    for (int i = 0; i < count; ++i) {
      stream_.synchronize();
      if (cycles > 0) enqueue_spin(cycles, stream_.get());
      begin.record(stream_);
      for (int p = 0; p < products; ++p) product.enqueue(stream_.get());
      end.record(stream_);
      end.synchronize();
      if (i >= limits_.warm_ups) samples.push_back(begin.nanoseconds_to(end) / products);
    }
    return samples;
  }

  /// ns a call, while the GPU spins.
  [[nodiscard]] std::vector<double> of_host(const DeviceProduct& product) const {
    std::vector<double> samples;
    for (int i = 0; i < limits_.from; ++i) {
      enqueue_spin(kLongSpinCycles, stream_.get());
      const auto begin = std::chrono::steady_clock::now();
      for (int p = 0; p < kEager; ++p) product.enqueue(stream_.get());
      const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
      stream_.synchronize();
      samples.push_back(taken.count() / kEager);
    }
    return samples;
  }

  Options options_;
  SampleLimits limits_;
  Stream stream_;
};

std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/launches.json");
  return [options] {
    const auto cases = launch_cases(Suites(options->suites), options->smoke);
    if (options->list) return list_cases(cases);
    LaunchBench bench(*options);
    return run_cases(*options, "gpu-launches", cases,
                     [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
  };
}

const bool registered =
    register_command({25, "launches", "Products in a CUDA graph, on a stream, from a host", set_up});

}  // namespace
}  // namespace kernbench::gpu
