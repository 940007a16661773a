// `kernbench-gpu copy`: how fast bytes move inside a GPU, between GPUs, and to and from the host.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "benches/gpu/data/fill.hpp"
#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/ranks/ranks.hpp"
#include "benches/gpu/run_cases.hpp"
#include "benches/gpu/timing/timing.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/program/program.hpp"
#include "benches/measured/cases/copy_cases.hpp"
#include "benches/measured/cases/device_peaks.hpp"
#include "benches/measured/cases/statistics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench::gpu {
namespace {

/// Host memory that the GPU reads and writes without a detour.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes) {
    check(cudaMallocHost(&data_, bytes), "cudaMallocHost of " + std::to_string(bytes) + " bytes");
  }
  ~PinnedBuffer() { static_cast<void>(cudaFreeHost(data_)); }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  PinnedBuffer(PinnedBuffer&&) = delete;
  PinnedBuffer& operator=(PinnedBuffer&&) = delete;

  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

/// Throws GpuError where the current device reads different bytes in the two.
void require_copied(const void* from, const void* to, std::size_t bytes, const Stream& stream) {
  const std::size_t different = count_different(from, to, bytes, stream.get());
  if (different > 0) throw GpuError("wrong: " + std::to_string(different) + " bytes of the copy differ");
}

class CopyBench {
 public:
  CopyBench(const Options& options, int gpus)
      : limits_(sample_limits(options)), seed_(options.seed), device_(describe_gpu(read_facts(0))) {
    if (gpus > 1) enable_peer_access(gpus);
  }

  void measure(const PlannedCase& planned, Row& row) const {
    const auto copy = planned.point.at("copy").get<std::string>();
    const auto bytes = static_cast<std::size_t>(planned.point.at("bytes").get<std::int64_t>());
    const int gpus = planned.point.at("gpus").get<int>();
    if (copy == "device_to_device") {
      inside_device(bytes, row);
    } else if (copy == "peer" || copy == "peer_bidirectional") {
      between_devices(copy == "peer" && gpus == 2 ? 1 : gpus, gpus, bytes, row);
    } else {
      with_host(copy == "host_to_device", bytes, row);
    }
    const double moved =
        static_cast<double>(bytes) * (copy == "device_to_device" || copy == "peer_bidirectional" ? 2 : 1);
    const double gbs = moved / row.metrics.at(kTime);
    row.metrics.set(kGbs, gbs);
    if (copy == "device_to_device") row.metrics.set(kPeakFraction, gbs / device_.memory_gbs);
    if (gpus > 1 && device_.link_gbs) {
      row.metrics.set(kPeakFraction, gbs / *device_.link_gbs / (copy == "peer_bidirectional" ? 2 : 1));
    }
  }

 private:
  static void enqueue_copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  }

  void add_families(Row& row, const Stream& stream, const Enqueue& enqueue, int operations, const L2Flush* flush,
                    double operation_ns) const {
    const Graph graph(stream, sample_work(enqueue, operations, flush != nullptr));
    add_family(row.metrics, "time", time_samples(stream, graph, operations, flush, limits_, operation_ns));
    add_family(row.metrics, "latency", latency_samples(stream, enqueue, flush, limits_, operation_ns));
  }

  /// Every copy of a sample has its own buffers and the L2 is flushed: the memory is measured, not the cache.
  void inside_device(std::size_t bytes, Row& row) const {
    const Stream stream;
    const L2Flush flush(static_cast<std::size_t>(device_.facts.at("l2_bytes").get<std::int64_t>()));
    std::vector<DeviceBuffer> from;
    std::vector<DeviceBuffer> to;
    const auto add_set = [&] {
      from.emplace_back(bytes);
      to.emplace_back(bytes);
      fill_normal(from.back().data(), bytes, Element::kFp8E4m3, seed_, stream.get());
    };
    add_set();
    const Enqueue enqueue = [&](cudaStream_t on, int set) {
      const auto at = static_cast<std::size_t>(set);
      enqueue_copy(to.at(at).data(), from.at(at).data(), bytes, on);
    };
    const double operation_ns = estimate_ns(stream, enqueue);
    require_copied(from[0].data(), to[0].data(), bytes, stream);
    constexpr std::size_t kMostBytes = std::size_t{8} << 30U;
    const int operations =
        std::min(operations_per_sample(operation_ns), std::max(1, static_cast<int>(kMostBytes / (2 * bytes))));
    while (static_cast<int>(from.size()) < operations) add_set();
    add_families(row, stream, enqueue, operations, &flush, operation_ns);
  }

  void with_host(bool to_device, std::size_t bytes, Row& row) const {
    const Stream stream;
    const PinnedBuffer host(bytes);
    const DeviceBuffer on_device(bytes);
    fill_normal(on_device.data(), bytes, Element::kFp8E4m3, seed_, stream.get());
    enqueue_copy(host.data(), on_device.data(), bytes, stream.get());
    stream.synchronize();
    // What the first copy writes must not be there yet.
    if (to_device) {
      poison(on_device.data(), bytes, stream.get());
    } else {
      std::memset(host.data(), 0xff, bytes);
    }
    const Enqueue enqueue = [&](cudaStream_t on, int /*set*/) {
      to_device ? enqueue_copy(on_device.data(), host.data(), bytes, on)
                : enqueue_copy(host.data(), on_device.data(), bytes, on);
    };
    const double operation_ns = estimate_ns(stream, enqueue);
    require_copied(host.data(), on_device.data(), bytes, stream);
    add_families(row, stream, enqueue, operations_per_sample(operation_ns), nullptr, operation_ns);
  }

  /// The first `senders` of `gpus` devices send to the next, all at once.
  void between_devices(int senders, int gpus, std::size_t bytes, Row& row) const {
    const Ranks ranks(gpus);
    std::vector<DeviceBuffer> from;
    std::vector<DeviceBuffer> to;
    for (int device = 0; device < gpus; ++device) {
      const UseDevice use(device);
      from.emplace_back(bytes);
      to.emplace_back(bytes);
      fill_normal(from.back().data(), bytes, Element::kFp8E4m3, seed_ + static_cast<std::uint64_t>(device),
                  ranks.stream(device).get());
      poison(to.back().data(), bytes, ranks.stream(device).get());
      ranks.stream(device).synchronize();
    }
    const auto next = [gpus](int rank) { return static_cast<std::size_t>((rank + 1) % gpus); };
    const EnqueueRank enqueue = [&](int rank, cudaStream_t stream) {
      if (rank >= senders) return;
      const void* source = from.at(static_cast<std::size_t>(rank)).data();
      check(cudaMemcpyPeerAsync(to.at(next(rank)).data(), static_cast<int>(next(rank)), source, rank, bytes, stream),
            "cudaMemcpyPeerAsync");
    };
    const RankSamples samples = time_ranks(ranks, enqueue, limits_);
    for (int rank = 0; rank < senders; ++rank) {
      const UseDevice use(rank);
      require_copied(from.at(static_cast<std::size_t>(rank)).data(), to.at(next(rank)).data(), bytes,
                     ranks.stream(rank));
    }
    add_family(row.metrics, "time", samples.time_ns);
    add_family(row.metrics, "latency", samples.latency_ns);
  }

  SampleLimits limits_;
  std::uint64_t seed_;
  Device device_;
};

std::function<int()> set_up(CommandSpec& command) {
  auto options = Options::add_to(command, "out/gpu/copy.json");
  command.add_option("--gpus", options->gpus, "1: inside a GPU, and to and from the host; more: between GPUs")
      .rule(whole_number(1, 1024))
      .show_default();
  return [options] {
    const auto cases = copy_cases(Suites(options->suites), options->gpus, options->smoke);
    if (options->list) return list_cases(cases);
    require_gpus(options->gpus);
    const CopyBench bench(*options, options->gpus);
    return run_cases(*options, "gpu-copy", cases,
                     [&bench](const PlannedCase& planned, Row& row) { bench.measure(planned, row); });
  };
}

const bool registered = register_command({30, "copy", "Copies inside a GPU, between GPUs, and with the host", set_up});

}  // namespace
}  // namespace kernbench::gpu
