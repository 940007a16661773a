#include "benches/gpu/calibrate/probe_bench.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "benches/gpu/calibrate/kernels.hpp"
#include "benches/gpu/data/fill.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/gpu/timing/spin.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/measured/probes/probe_metrics.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench::gpu {
namespace {

constexpr Metric<std::int64_t> kSampleCount{"samples"};
constexpr Metric<std::int64_t> kKernelCount{"kernels"};

constexpr int kSamples = 15;
constexpr double kLine = 128;
constexpr long long kGap = 120'000;  // cycles in which the host enqueues a sample

/// The metric, and how far the samples lie apart: (90 % quantile - 10 % quantile) / median.
void add_metric(Row& row, const Metric<double>& metric, const std::vector<double>& samples) {
  const double middle = median(samples);
  row.metrics.set(metric, middle);
  row.metrics.set(kSpread, middle > 0 ? (quantile(samples, 0.9) - quantile(samples, 0.1)) / middle : 0);
  row.metrics.set(kSampleCount, samples.size());
}

std::vector<double> timed_ns(const Stream& stream, const std::function<void()>& enqueue) {
  const Event begin;
  const Event end;
  std::vector<double> samples;
  for (int i = 0; i < kSamples + 2; ++i) {
    enqueue_spin(kGap, stream.get());
    begin.record(stream);
    enqueue();
    end.record(stream);
    end.synchronize();
    if (i >= 2) samples.push_back(begin.nanoseconds_to(end));
  }
  return samples;
}

std::vector<CtaTimes> fetched(const DeviceBuffer& times, int ctas, const Stream& stream) {
  std::vector<CtaTimes> all(static_cast<std::size_t>(ctas));
  check(cudaMemcpyAsync(all.data(), times.data(), all.size() * sizeof(CtaTimes), cudaMemcpyDeviceToHost, stream.get()),
        "fetching times");
  stream.synchronize();
  return all;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::int64_t attribute(cudaDeviceAttr which) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
  return value;
}

}  // namespace

ProbeBench::ProbeBench() : facts_(read_facts(0)), wgmma_(has_wgmma(facts_.major, facts_.minor)), sensors_(0) {}

void ProbeBench::measure(const PlannedCase& planned, Row& row) const {
  static const std::map<std::string, void (ProbeBench::*)(Row&) const> kProbes{
      {"device", &ProbeBench::device},     {"read", &ProbeBench::read},     {"lines", &ProbeBench::lines},
      {"launch", &ProbeBench::launch},     {"tensor", &ProbeBench::tensor}, {"idle", &ProbeBench::idle},
      {"governor", &ProbeBench::governor}, {"nccl", &ProbeBench::nccl}};
  const auto found = kProbes.find(planned.point.at("probe").get<std::string>());
  if (found == kProbes.end()) throw NotSupported("this version has no such probe");
  (this->*found->second)(row);
}

void ProbeBench::device(Row& row) const {
  row.metrics.set(kGpuName, facts_.name);
  row.metrics.set(kSmCount, facts_.sms);
  row.metrics.set(kSmClockMhz, facts_.max_sm_clock_mhz);
  row.metrics.set(kL2Bytes, facts_.l2_bytes);
  row.metrics.set(kDeviceMemory, sensors_.memory_bytes().value_or(static_cast<double>(facts_.memory_bytes)));
  row.metrics.set(kSharedMemory, attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  row.metrics.set(kRegisterCount, attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
  row.metrics.set(kThreadCount, attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  row.metrics.set(kCtaSlots, attribute(cudaDevAttrMaxBlocksPerMultiprocessor));
  if (facts_.power_limit_w > 0) row.metrics.set(kPowerLimitW, facts_.power_limit_w);
}

void ProbeBench::read(Row& row) const {
  const auto bytes = static_cast<std::size_t>(row.point.at("bytes").get<std::int64_t>());
  const DeviceBuffer data(bytes);
  const DeviceBuffer sink(4);
  fill_normal(data.data(), bytes, Element::kFp8E4m3, 1, stream_.get());
  const int ctas = static_cast<int>(facts_.sms) * 2;
  const int passes = static_cast<int>(std::clamp(1e9 / static_cast<double>(bytes), 1.0, 64.0));
  std::vector<double> rates =
      timed_ns(stream_, [&] { enqueue_read(data.data(), bytes, passes, ctas, sink.as<unsigned>(), stream_.get()); });
  for (double& rate : rates) rate = static_cast<double>(bytes) * passes / rate;
  add_metric(row, kGbs, rates);
}

void ProbeBench::lines(Row& row) const {
  if (facts_.major < 9) throw NotSupported("bulk copies need compute capability 9.0");
  const int sms = row.point.at("sms").get<int>();
  const int cluster = row.point.at("cluster").get<int>();
  if (cluster > 1 && !wgmma_) throw NotSupported("copies to a cluster are measured on compute capability 9.0 alone");
  const bool same = row.point.at("pattern").get<std::string>() == "same";
  const auto bytes = static_cast<std::size_t>(row.point.at("bytes").get<std::int64_t>());
  constexpr int kChunks = 1024;
  const DeviceBuffer data(bytes);
  const DeviceBuffer times(static_cast<std::size_t>(sms) * sizeof(CtaTimes));
  fill_normal(data.data(), bytes, Element::kFp8E4m3, 1, stream_.get());
  std::vector<double> cycles;
  std::vector<double> ns;
  for (int i = 0; i < kSamples + 2; ++i) {
    enqueue_bulk(data.data(), bytes, kChunks, same, cluster, sms, times.as<CtaTimes>(), stream_.get());
    if (i < 2) continue;
    const std::vector<CtaTimes> all = fetched(times, sms, stream_);
    std::vector<double> cta_cycles;
    std::vector<double> cta_ns;
    for (const CtaTimes& one : all) {
      cta_cycles.push_back(static_cast<double>(one.cycles));
      cta_ns.push_back(static_cast<double>(one.end_ns - one.begin_ns));
    }
    cycles.push_back(median(cta_cycles) / (kChunks * kBulkChunk / kLine));
    ns.push_back(median(cta_ns) / (kChunks * kBulkChunk / kLine));
  }
  row.metrics.set(kCyclesPerLine, median(cycles));
  add_metric(row, kNsPerLine, ns);
}

void ProbeBench::launch(Row& row) const {
  constexpr int kKernels = 64;
  const int ctas = row.point.at("ctas").get<int>();
  const int shared = row.point.at("shared_bytes").get<int>();
  const Graph graph(stream_, [&](cudaStream_t stream) {
    for (int i = 0; i < kKernels; ++i) enqueue_empty(ctas, shared, stream);
  });
  std::vector<double> samples = timed_ns(stream_, [&] { graph.launch(stream_); });
  for (double& sample : samples) sample /= kKernels;
  add_metric(row, kTime, samples);
}

void ProbeBench::tensor(Row& row) const {
  const auto dtype = row.point.at("dtype").get<std::string>();
  const int n = row.point.at("n").get<int>();
  const double macs = tensor_macs(dtype, n, wgmma_);
  if (macs == 0) throw NotSupported("no such instruction on this compute capability");
  constexpr int kIterations = 2000;
  const int sms = static_cast<int>(facts_.sms);
  const DeviceBuffer times(static_cast<std::size_t>(sms) * sizeof(CtaTimes));
  const DeviceBuffer sink(4);
  std::vector<double> rates;
  std::vector<double> cycles;
  std::vector<double> clocks;
  for (int i = 0; i < kSamples + 2; ++i) {
    enqueue_tensor(dtype, n, kIterations, sms, wgmma_, times.as<CtaTimes>(), sink.as<float>(), stream_.get());
    check(cudaGetLastError(), "tensor kernel");
    if (i < 2) continue;
    const CtaTimes one = fetched(times, sms, stream_).front();
    rates.push_back(macs * kIterations / static_cast<double>(one.cycles));
    cycles.push_back(static_cast<double>(one.cycles) / (kIterations * kTensorUnroll));
    clocks.push_back(static_cast<double>(one.cycles) / static_cast<double>(one.end_ns - one.begin_ns) * 1e3);
  }
  row.metrics.set(kInstruction, wgmma_ ? "wgmma" : "mma.sync");
  row.metrics.set(kClockMhz, median(clocks));
  row.metrics.set(kCyclesPerStep, median(cycles));
  add_metric(row, kMacsPerCycle, rates);
}

void ProbeBench::nccl(Row& row) const {
  const int gpus = row.point.at("gpus").get<int>();
  if (gpus < 2) throw NotSupported("collectives need two GPUs, there is " + std::to_string(gpus));
  const int channels = row.point.at("channels").get<int>();
  const auto bytes = row.point.at("bytes").get<std::int64_t>();
  if (!collectives_ || !collectives_->serve(gpus, channels, bytes)) {
    collectives_.reset();
    collectives_ = std::make_unique<CheckedCollectives>(gpus, channels, std::max(bytes, std::int64_t{64} << 20U));
  }
  const SampleLimits limits{.from = kSamples, .most = kSamples};
  const auto measured = collectives_->measure(row.point.at("collective"), bytes, limits, RankLaunch::kGraph);
  add_metric(row, kTime, measured.samples.time_ns);
}

void ProbeBench::idle(Row& row) const {
  if (!sensors_.power_w()) throw NotSupported("NVML tells no power: " + sensors_.missing());
  const auto begin = std::chrono::steady_clock::now();
  std::vector<double> powers;
  std::vector<double> clocks;
  while (seconds_since(begin) < 3.5) {
    // One thread that counts keeps the clock up and does as good as nothing.
    enqueue_spin(40'000'000, stream_.get());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (seconds_since(begin) > 1.5) {
      powers.push_back(*sensors_.power_w());
      clocks.push_back(sensors_.sm_clock_mhz().value_or(0));
    }
    stream_.synchronize();
  }
  row.metrics.set(kClockMhz, median(clocks));
  add_metric(row, kPowerW, powers);
}

void ProbeBench::governor(Row& row) const {
  const double seconds = row.point.at("seconds").get<double>();
  constexpr std::size_t kInFlight = 4;
  const int sms = static_cast<int>(facts_.sms);
  const DeviceBuffer sink(4);
  std::vector<DeviceBuffer> times;
  const std::vector<Event> done(kInFlight);
  for (std::size_t i = 0; i < kInFlight; ++i) times.emplace_back(static_cast<std::size_t>(sms) * sizeof(CtaTimes));
  const double macs = tensor_macs("bf16", 256, wgmma_);
  const int iterations = static_cast<int>(2e-3 * 1.8e9 * 2048 / macs);  // about 2 ms
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));         // from idle
  const auto begin = std::chrono::steady_clock::now();
  Json at_ms = Json::array();
  Json clock_mhz = Json::array();
  Json power_w = Json::array();
  unsigned long long first_ns = 0;
  for (std::size_t launched = 0; seconds_since(begin) < seconds; ++launched) {
    const std::size_t slot = launched % kInFlight;
    if (launched >= kInFlight) {
      done[slot].synchronize();
      CtaTimes one;
      const Stream beside;
      check(cudaMemcpyAsync(&one, times[slot].data(), sizeof one, cudaMemcpyDeviceToHost, beside.get()), "times");
      beside.synchronize();
      if (first_ns == 0) first_ns = one.begin_ns;
      at_ms.push_back(std::round(static_cast<double>(one.begin_ns - first_ns) * 1e-3) * 1e-3);
      clock_mhz.push_back(
          std::round(static_cast<double>(one.cycles) / static_cast<double>(one.end_ns - one.begin_ns) * 1e4) * 0.1);
      power_w.push_back(launched % 8 == 4 ? std::round(sensors_.power_w().value_or(0)) : 0);
    }
    enqueue_tensor("bf16", 256, iterations, sms, wgmma_, times[slot].as<CtaTimes>(), sink.as<float>(), stream_.get());
    done[slot].record(stream_);
  }
  stream_.synchronize();
  row.metrics.set(kKernelCount, at_ms.size());
  row.timeline = {{"at_ms", at_ms}, {"clock_mhz", clock_mhz}, {"power_w", power_w}};
}

}  // namespace kernbench::gpu
