#include "benches/gpu/ranks/ranks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/timing/spin.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// What the threads share while they time one operation.
struct Timing {
  std::barrier<> meet;
  std::vector<double> of_ranks;  ///< ns, of the sample that is being taken

  explicit Timing(int ranks) : meet(ranks), of_ranks(static_cast<std::size_t>(ranks)) {}

  [[nodiscard]] double largest() const { return *std::max_element(of_ranks.begin(), of_ranks.end()); }
};

/// A rank that is done, or has failed, no longer comes to the meetings of the others.
class Leave {
 public:
  explicit Leave(std::barrier<>& meet) : meet_(meet) {}
  ~Leave() { meet_.arrive_and_drop(); }
  Leave(const Leave&) = delete;
  Leave& operator=(const Leave&) = delete;
  Leave(Leave&&) = delete;
  Leave& operator=(Leave&&) = delete;

 private:
  std::barrier<>& meet_;
};

/// One rank's part of one sample: `work` behind a spin of `cycles` (0: on an idle stream).
void take_sample(Timing& timing, const Ranks& ranks, int rank, const std::function<void()>& work, long long cycles,
                 const Event& begin, const Event& end) {
  const Stream& stream = ranks.stream(rank);
  timing.meet.arrive_and_wait();
  if (cycles > 0) enqueue_spin(cycles, stream.get());
  begin.record(stream);
  work();
  end.record(stream);
  wait_for(end, rank);
  timing.of_ranks.at(static_cast<std::size_t>(rank)) = begin.nanoseconds_to(end);
  timing.meet.arrive_and_wait();
}

}  // namespace

void require_gpus(int gpus) {
  const int visible = visible_gpus();
  if (visible >= gpus) return;
  throw ConfigError("--gpus " + std::to_string(gpus) + ": CUDA shows " + std::to_string(visible) +
                    " here (CUDA_VISIBLE_DEVICES may hide some)");
}

void enable_peer_access(int gpus) {
  for (int from = 0; from < gpus; ++from) {
    const UseDevice use(from);
    for (int to = 0; to < gpus; ++to) {
      if (to == from) continue;
      const std::string pair = std::to_string(from) + " to " + std::to_string(to);
      int can = 0;
      check(cudaDeviceCanAccessPeer(&can, from, to), "asking for peer access " + pair);
      if (can == 0) throw GpuError("no peer access from GPU " + pair);
      const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
      if (code == cudaErrorPeerAccessAlreadyEnabled) {
        static_cast<void>(cudaGetLastError());
        continue;
      }
      check(code, "enabling peer access " + pair);
    }
  }
}

Ranks::Ranks(int gpus) {
  for (int device = 0; device < gpus; ++device) {
    const UseDevice use(device);
    streams_.emplace_back();
  }
}

void Ranks::run(const std::function<void(int rank)>& work) const {
  std::vector<std::exception_ptr> failures(streams_.size());
  std::vector<std::thread> threads;
  threads.reserve(streams_.size());
  for (int rank = 0; rank < size(); ++rank) {
    threads.emplace_back([&, rank] {
      try {
        check(cudaSetDevice(rank), "cudaSetDevice " + std::to_string(rank));
        work(rank);
      } catch (...) {
        failures.at(static_cast<std::size_t>(rank)) = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void wait_for(const Event& end, int rank) {
  const auto begin = Clock::now();
  for (;;) {
    const cudaError_t code = cudaEventQuery(end.get());
    if (code == cudaSuccess) return;
    if (code != cudaErrorNotReady) check(code, "GPU " + std::to_string(rank));
    if (Clock::now() - begin > std::chrono::seconds(30)) {
      throw GpuError("GPU " + std::to_string(rank) + " has not ended after 30 s");
    }
  }
}

RankSamples time_ranks(const Ranks& ranks, const EnqueueRank& enqueue, const SampleLimits& limits, RankLaunch launch) {
  constexpr double kSample_ns = 200e3;
  constexpr int kMostOperations = 32;
  constexpr double kCyclesPerNs = 2;  // no less than any SM clock: a longer spin does no harm
  Timing timing(ranks.size());
  RankSamples samples;
  ranks.run([&](int rank) {
    const Leave leave(timing.meet);
    const Event begin;
    const Event end;
    const Stream& stream = ranks.stream(rank);
    const auto enqueue_all = [&](cudaStream_t to, int operations) {
      for (int i = 0; i < operations; ++i) enqueue(rank, to);
    };
    const auto sample = [&](const std::function<void()>& work, long long cycles) {
      take_sample(timing, ranks, rank, work, cycles, begin, end);
    };
    const auto once = [&] { enqueue_all(stream.get(), 1); };
    // Nobody writes before all have come to the next sample's first meeting: each thread reads the same numbers.
    for (int i = 0; i < 3; ++i) sample(once, 0);
    const double once_ns = timing.largest();
    const int operations =
        std::clamp(static_cast<int>(std::ceil(kSample_ns / std::max(once_ns, 1.0))), 2, kMostOperations);
    // A call costs the host less than it takes from all-idle.
    const auto cycles = static_cast<long long>(std::min(once_ns, 50e3) * operations * kCyclesPerNs);
    std::unique_ptr<Graph> graph;
    if (launch == RankLaunch::kGraph) {
      graph = std::make_unique<Graph>(stream, [&](cudaStream_t capturing) { enqueue_all(capturing, operations); });
    }
    const auto many = [&] {
      if (graph) return graph->launch(stream);
      enqueue_all(stream.get(), operations);
    };
    for (int i = 0; i < std::max(1, limits.warm_ups); ++i) sample(many, cycles);
    const double operation_ns = timing.largest() / operations;
    const int times = limits.samples(operation_ns * operations);
    for (int i = 0; i < times; ++i) {
      sample(many, cycles);
      if (rank == 0) samples.time_ns.push_back(timing.largest() / operations);
    }
    const int latencies = limits.samples(once_ns);
    for (int i = 0; i < latencies; ++i) {
      sample(once, 0);
      if (rank == 0) samples.latency_ns.push_back(timing.largest());
    }
  });
  return samples;
}

}  // namespace kernbench::gpu
