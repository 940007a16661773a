// `kernbench-gpu gemm`: matrix products by cuBLASLt.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/gemm/cublaslt_gemm.hpp"
#include "benches/gpu/gemm/sampled_check.hpp"
#include "benches/gpu/power/power_window.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/gpu/timing/timing.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/program.hpp"
#include "benches/measured/cases/device_peaks.hpp"
#include "benches/measured/cases/gemm_cases.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench::gpu {
namespace {

constexpr Metric<std::string> kLayout{"layout"};
constexpr Metric<std::int64_t> kPowerSamples{"power_samples"};
constexpr Metric<double> kPowerWindowS{"power_window_s"};
constexpr Metric<double> kPowerWindowTflops{"power_window_tflops"};
constexpr Metric<double> kTemperatureC{"temperature_c"};

/// Buffers of one operation.
struct Operands {
  DeviceBuffer a;
  DeviceBuffer b;
  DeviceBuffer c;

  [[nodiscard]] std::size_t bytes() const { return a.bytes() + b.bytes() + c.bytes(); }
};

class GemmBench {
 public:
  GemmBench(const Options& options, double window_s)
      : options_(options),
        window_s_(window_s),
        limits_(sample_limits(options)),
        facts_(read_facts(0)),
        device_(describe_gpu(facts_)),
        sensors_(0),
        flush_(static_cast<std::size_t>(facts_.l2_bytes)) {
    if (!sensors_.missing().empty()) {
      std::fprintf(stderr, "no power, clock or temperature: %s\n", sensors_.missing().c_str());
    }
  }

  void measure(const PlannedCase& planned, Row& row) {
    const Json& point = planned.point;
    const auto m = point.at("m").get<std::int64_t>();
    const auto k = point.at("k").get<std::int64_t>();
    const auto n = point.at("n").get<std::int64_t>();
    const auto dtype = point.at("dtype").get<std::string>();
    const bool flushed = point.at("l2") == "flushed";
    if (dtype == "fp8_e4m3" && facts_.major * 10 + facts_.minor < 89) {
      throw NotSupported("fp8 needs compute capability 8.9, this device has " + std::to_string(facts_.major) + "." +
                         std::to_string(facts_.minor));
    }
    const CublasLtGemm gemm(library_, m, k, n, dtype);
    std::vector<Operands> sets;
    sets.push_back(make_operands(gemm, m, k, n));
    const Enqueue enqueue = [&](cudaStream_t stream, int set) {
      const Operands& operands = sets.at(static_cast<std::size_t>(set));
      gemm.enqueue(operands.a.data(), operands.b.data(), operands.c.data(), stream);
    };
    row.metrics.set(kError, check_once(gemm, sets[0], m, k, n, dtype, enqueue));

    const double operation_ns = estimate_ns(stream_, enqueue);
    int operations = operations_per_sample(operation_ns);
    if (flushed) {
      constexpr std::size_t kMostBytes = std::size_t{8} << 30U;
      operations = std::min(operations, std::max(1, static_cast<int>(kMostBytes / sets[0].bytes())));
      while (static_cast<int>(sets.size()) < operations) sets.push_back(copy_of(sets[0]));
    }
    const L2Flush* flush = flushed ? &flush_ : nullptr;
    const Graph graph(stream_, sample_work(enqueue, operations, flushed));
    const auto time_ns = time_samples(stream_, graph, operations, flush, limits_, operation_ns);
    const auto latency_ns = latency_samples(stream_, enqueue, flush, limits_, operation_ns);

    add_family(row.metrics, "time", time_ns);
    add_family(row.metrics, "latency", latency_ns);
    const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    const double tflops = flops / row.metrics.at(kTime) * 1e-3;
    row.metrics.set(kTflops, tflops);
    if (const double peak = peak_tflops(device_, dtype); peak > 0) row.metrics.set(kPeakFraction, tflops / peak);
    row.metrics.set(kLayout, gemm.layout());
    if (planned.power_window && !options_.quick) {
      add_power(row, graph, operations * operation_ns, operations * flops);
    } else {
      add_clock(row, read_under_load(stream_, graph, operations * operation_ns, sensors_));
    }
  }

 private:
  Operands make_operands(const CublasLtGemm& gemm, std::int64_t m, std::int64_t k, std::int64_t n) {
    const auto bytes = [](std::int64_t rows, std::int64_t columns, Element element) {
      return static_cast<std::size_t>(rows * columns) * bytes_of(element);
    };
    Operands operands{DeviceBuffer(bytes(m, k, gemm.inputs())), DeviceBuffer(bytes(k, n, gemm.inputs())),
                      DeviceBuffer(bytes(m, n, gemm.output()))};
    fill_normal(operands.a.data(), static_cast<std::size_t>(m * k), gemm.inputs(), options_.seed, stream_.get());
    fill_normal(operands.b.data(), static_cast<std::size_t>(k * n), gemm.inputs(), options_.seed + 1, stream_.get());
    return operands;
  }

  Operands copy_of(const Operands& from) {
    Operands copy{DeviceBuffer(from.a.bytes()), DeviceBuffer(from.b.bytes()), DeviceBuffer(from.c.bytes())};
    const auto copied = [this](const DeviceBuffer& to, const DeviceBuffer& source) {
      check(cudaMemcpyAsync(to.data(), source.data(), source.bytes(), cudaMemcpyDeviceToDevice, stream_.get()),
            "copying operands");
    };
    copied(copy.a, from.a);
    copied(copy.b, from.b);
    return copy;
  }

  double check_once(const CublasLtGemm& gemm, const Operands& operands, std::int64_t m, std::int64_t k, std::int64_t n,
                    const std::string& dtype, const Enqueue& enqueue) {
    poison(operands.c.data(), operands.c.bytes(), stream_.get());
    enqueue(stream_.get(), 0);
    ProductOnDevice product;
    product.m = m;
    product.k = k;
    product.n = n;
    product.a = operands.a.data();
    product.b = operands.b.data();
    product.c = operands.c.data();
    product.inputs = gemm.inputs();
    product.output = gemm.output();
    product.b_column_major = gemm.b_column_major();
    const double error = sampled_error(product, options_.seed + 2, stream_.get());
    require_right(error, gemm_tolerance(dtype, k));
    return error;
  }

  /// `power_window_tflops` is what the window reached: less than `tflops` where power or heat slow the clock in time.
  void add_power(Row& row, const Graph& graph, double graph_ns, double graph_flops) {
    const PowerWindow window = measure_power(stream_, graph, graph_ns, sensors_, window_s_);
    if (window.reading.avg_power_w) {
      row.metrics.set(kMeanPower, *window.reading.avg_power_w);
      if (window.graphs_per_s > 0) {
        const double tflops = graph_flops * window.graphs_per_s * 1e-12;
        row.metrics.set(kPowerWindowTflops, tflops);
        row.metrics.set(kTflopsPerWatt, tflops / *window.reading.avg_power_w);
      }
      row.metrics.set(kPowerWindowS, window.reading.window_s);
      row.metrics.set(kPowerSamples, window.reading.samples);
    } else {
      row.flags.emplace_back("power_invalid");
    }
    add_clock(row, window.reading);
  }

  static void add_clock(Row& row, const PowerReading& reading) {
    if (reading.sm_clock_mhz) row.metrics.set(kSmClockMhz, *reading.sm_clock_mhz);
    if (reading.temperature_c) row.metrics.set(kTemperatureC, *reading.temperature_c);
  }

  Options options_;
  double window_s_;
  SampleLimits limits_;
  GpuFacts facts_;
  Device device_;
  Sensors sensors_;
  Stream stream_;
  L2Flush flush_;
  CublasLt library_;
};

std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/gemm.json");
  auto window_s = std::make_shared<double>(1.0);
  command.add_option("--window", *window_s, "Seconds of a power window; below 0.7 the sensor's steps are too coarse")
      .rule(decimal_number(0.001, 1e6))
      .show_default();
  return [options, window_s] {
    const auto cases = gemm_cases(Suites(options->suites), "cublaslt", options->smoke);
    if (options->list) return list_cases(cases);
    GemmBench bench(*options, *window_s);
    return run_cases(*options, "gpu-gemm", cases,
                     [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
  };
}

const bool registered = register_command({20, "gemm", "Matrix products by cuBLASLt", set_up});

}  // namespace
}  // namespace kernbench::gpu
