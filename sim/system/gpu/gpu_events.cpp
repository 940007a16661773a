// The calendar of kernels on GPUs (adr/0050): a cluster's tile ends, a launch is ready or over, a collective or a pass
// ends. At each such instant SMs that are free go to kernels in the order in which they came, and what runs shares
// anew.
#include <algorithm>
#include <limits>
#include <list>
#include <map>
#include <memory>

#include "sim/base/errors.hpp"
#include "sim/system/gpu/gpu_kernels.hpp"

namespace kernbench {
namespace {

/// A launch that is under way on a GPU.
struct Kernel {
  GpuRecord record;
  std::unique_ptr<RunningProduct> product;        ///< or
  std::shared_ptr<RunningCollective> collective;  ///< or
  std::unique_ptr<RunningPass> pass;
};

struct Timer {
  Picoseconds at;
  std::int64_t sequence = 0;
  std::size_t gpu = 0;
  std::size_t stream = 0;
  enum class What { kBegin, kReady, kOver } what = What::kBegin;
  bool operator<(const Timer& other) const { return at != other.at ? at < other.at : sequence < other.sequence; }
};

struct StreamState {
  std::size_t next = 0;   ///< launch
  std::size_t ended = 0;  ///< launches
  bool waits = false;     ///< for launches of other streams
  std::unique_ptr<Kernel> kernel;
};

struct GpuAtWork {
  std::int64_t free = 0;
  std::vector<StreamState> streams;
  std::list<Kernel*> waiting;  ///< for SMs, in the order in which they came
};

class GpuEvents {
 public:
  GpuEvents(const GpuSpec& gpu, const std::vector<GpuStreams>& work, const GpuRunSettings& settings)
      : gpu_(gpu), work_(work), settings_(settings) {}

  GpuRun run();

 private:
  void start_timer(Picoseconds after, std::size_t gpu, std::size_t stream, Timer::What what);
  void launch(std::size_t gpu, std::size_t stream);
  void ready(std::size_t gpu, std::size_t stream);
  void over(std::size_t gpu, std::size_t stream);
  void end_due();
  void place_all();
  bool place(std::size_t gpu, Kernel& kernel);
  /// What runs on a GPU wants of it.
  struct Demand {
    double bytes = 0;     ///< of HBM, a ns
    double hbm = 1;       ///< share of them that it gets
    double products = 0;  ///< SMs that products have, of those that they have alone
    bool held = false;    ///< a collective holds SMs
    bool beside = false;  ///< and runs
  };
  std::vector<Demand> demands();
  void share();
  [[nodiscard]] bool finite_work_left() const;
  [[nodiscard]] Picoseconds next_instant() const;
  void go_to(Picoseconds instant);

  template <class Do>
  void for_kernels(Do act) {
    for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
      for (std::size_t stream = 0; stream < gpus_[gpu].streams.size(); ++stream) {
        if (Kernel* kernel = gpus_[gpu].streams[stream].kernel.get()) act(gpu, stream, *kernel);
      }
    }
  }

  const GpuSpec& gpu_;
  const std::vector<GpuStreams>& work_;
  GpuRunSettings settings_;
  Picoseconds now_;
  std::int64_t sequence_ = 0;
  std::vector<Timer> timers_;  ///< sorted, the next one last
  std::vector<GpuAtWork> gpus_;
  std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<RunningCollective>> collectives_;  ///< stream, launch
  GpuRun run_;
};

void GpuEvents::start_timer(Picoseconds after, std::size_t gpu, std::size_t stream, Timer::What what) {
  timers_.push_back({now_ + after, sequence_++, gpu, stream, what});
  std::ranges::sort(timers_, [](const Timer& a, const Timer& b) { return b < a; });
}

bool GpuEvents::finite_work_left() const {
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    for (std::size_t stream = 0; stream < gpus_[gpu].streams.size(); ++stream) {
      const GpuStream& asked = work_[gpu][stream];
      const StreamState& state = gpus_[gpu].streams[stream];
      if (!asked.again && (state.next < asked.launches.size() || state.kernel)) return true;
    }
  }
  return false;
}

void GpuEvents::launch(std::size_t gpu, std::size_t stream) {
  const GpuStream& asked = work_[gpu][stream];
  StreamState& state = gpus_[gpu].streams[stream];
  if (asked.launches.empty() || (state.next >= asked.launches.size() && !(asked.again && finite_work_left()))) return;
  const GpuLaunched& launched = asked.launches[state.next % asked.launches.size()];
  state.waits = std::ranges::any_of(
      launched.after, [&](const GpuPlace& place) { return gpus_[gpu].streams.at(place.stream).ended <= place.launch; });
  if (state.waits) return;
  state.kernel = std::make_unique<Kernel>();
  Kernel& kernel = *state.kernel;
  kernel.record.gpu = static_cast<std::int64_t>(gpu);
  kernel.record.stream = static_cast<std::int64_t>(stream);
  kernel.record.launch = static_cast<std::int64_t>(state.next);
  kernel.record.ready = now_;
  kernel.record.begin = {-1};
  if (launched.product) {
    kernel.record.product = true;
    kernel.product = std::make_unique<RunningProduct>(*launched.product, gpu_, settings_);
    start_timer(kernel.product->front(), gpu, stream, Timer::What::kReady);
  } else if (launched.pass) {
    kernel.record.begin = now_;
    kernel.pass = std::make_unique<RunningPass>(*launched.pass, gpu_);
  } else {
    auto& collective = collectives_[{stream, state.next}];
    if (!collective) collective = std::make_shared<RunningCollective>(*launched.collective, gpu_, gpus_.size());
    kernel.collective = collective;
    start_timer({0}, gpu, stream, Timer::What::kReady);
  }
  ++state.next;
}

void GpuEvents::ready(std::size_t gpu, std::size_t stream) {
  Kernel& kernel = *gpus_[gpu].streams[stream].kernel;
  if (kernel.collective) kernel.collective->arrive(gpu);
  gpus_[gpu].waiting.push_back(&kernel);
}

void GpuEvents::over(std::size_t gpu, std::size_t stream) {
  StreamState& state = gpus_[gpu].streams[stream];
  state.kernel->record.end = now_;
  run_.records.push_back(state.kernel->record);
  gpus_[gpu].waiting.remove(state.kernel.get());
  state.kernel.reset();
  ++state.ended;
  launch(gpu, stream);
  for (std::size_t other = 0; other < gpus_[gpu].streams.size(); ++other) {
    if (gpus_[gpu].streams[other].waits) launch(gpu, other);
  }
}

/// Tiles and collectives that end now.
void GpuEvents::end_due() {
  for_kernels([&](std::size_t gpu, std::size_t stream, Kernel& kernel) {
    if (!kernel.product || !kernel.product->running()) return;
    const std::int64_t held = kernel.product->sms();
    run_.events += kernel.product->end_due_tiles();
    gpus_[gpu].free += held - kernel.product->sms();
    kernel.record.tiles = kernel.product->most_tiles();
    if (kernel.product->done()) start_timer(kernel.product->tail(), gpu, stream, Timer::What::kOver);
  });
  for_kernels([&](std::size_t gpu, std::size_t stream, Kernel& kernel) {
    if (!kernel.collective || !kernel.collective->done()) return;
    ++run_.events;
    gpus_[gpu].free += kernel.collective->sms();
    collectives_.erase({stream, static_cast<std::size_t>(kernel.record.launch)});
    over(gpu, stream);
  });
  for_kernels([&](std::size_t gpu, std::size_t stream, const Kernel& kernel) {
    if (!kernel.pass || !kernel.pass->done()) return;
    ++run_.events;
    over(gpu, stream);
  });
}

/// Whether it wants no more.
bool GpuEvents::place(std::size_t gpu, Kernel& kernel) {
  GpuAtWork& state = gpus_[gpu];
  const auto begin = [&] {
    if (kernel.record.begin.value < 0) kernel.record.begin = now_;
  };
  if (kernel.product) {
    const auto all = static_cast<std::int64_t>(gpu_.sm.count);
    while (kernel.product->wants() && state.free >= kernel.product->cluster() &&
           kernel.product->reaches(all - state.free - kernel.product->sms())) {
      state.free -= kernel.product->cluster();
      kernel.product->place();
      begin();
    }
    kernel.record.sms = std::max(kernel.record.sms, kernel.product->sms());
    return !kernel.product->wants();
  }
  const std::int64_t taken = std::min(state.free, kernel.collective->sms() - kernel.collective->held(gpu));
  if (taken > 0) {
    state.free -= taken;
    kernel.collective->place(gpu, taken);
    kernel.record.sms = kernel.collective->held(gpu);
    begin();
  }
  return !kernel.collective->wants(gpu);
}

void GpuEvents::place_all() {
  for (std::size_t gpu = 0; gpu < gpus_.size(); ++gpu) {
    auto& waiting = gpus_[gpu].waiting;
    while (!waiting.empty() && place(gpu, *waiting.front())) waiting.pop_front();
  }
}

std::vector<GpuEvents::Demand> GpuEvents::demands() {
  std::vector<Demand> all(gpus_.size());
  for_kernels([&](std::size_t gpu, std::size_t, const Kernel& kernel) {
    Demand& of = all[gpu];
    if (kernel.pass) of.bytes += kernel.pass->hbm_rate();
    if (kernel.product && kernel.product->running()) {
      of.bytes += kernel.product->hbm_rate();
      of.products += kernel.product->share_of_sms();
    } else if (kernel.collective && kernel.collective->held(gpu) > 0) {
      of.held = true;
      of.beside = of.beside || kernel.collective->running();
      if (kernel.collective->running()) of.bytes += kernel.collective->hbm_rate();
    }
  });
  for (Demand& of : all) of.hbm = of.bytes <= gpu_.hbm.bandwidth ? 1 : gpu_.hbm.bandwidth / of.bytes;
  return all;
}

/// Divides clock, HBM and channels among what runs (50.6).
void GpuEvents::share() {
  const std::vector<Demand> all = demands();
  for_kernels([&](std::size_t gpu, std::size_t, Kernel& kernel) {
    if (kernel.pass) kernel.pass->set_rate(all[gpu].hbm);
    if (kernel.product && kernel.product->running()) {
      const Demand& of = all[gpu];
      kernel.product->set_rate(of.held ? kernel.product->clock_beside(of.products, of.beside) : 1, of.hbm);
    }
    if (!kernel.collective || !kernel.collective->running()) return;
    const auto products = [](const Demand& of) { return of.products > 0; };
    kernel.collective->set_rate(std::ranges::any_of(all, products), std::ranges::min(all, {}, &Demand::hbm).hbm);
  });
}

Picoseconds GpuEvents::next_instant() const {
  double soonest = std::numeric_limits<double>::infinity();
  for (const GpuAtWork& gpu : gpus_) {
    for (const StreamState& stream : gpu.streams) {
      if (!stream.kernel) continue;
      const Kernel& kernel = *stream.kernel;
      if (kernel.pass) soonest = std::min(soonest, kernel.pass->next());
      if (kernel.product && kernel.product->running()) soonest = std::min(soonest, kernel.product->next());
      if (kernel.collective && kernel.collective->running()) soonest = std::min(soonest, kernel.collective->next());
    }
  }
  Picoseconds next{std::numeric_limits<std::int64_t>::max()};
  if (soonest < static_cast<double>(next.value - now_.value))
    next = now_ + Picoseconds{static_cast<std::int64_t>(soonest)};
  return timers_.empty() ? next : std::min(next, timers_.back().at);
}

void GpuEvents::go_to(Picoseconds instant) {
  const auto real = static_cast<double>((instant - now_).value);
  std::vector<const RunningCollective*> moved;  // once, however many GPUs it is on
  for_kernels([&](std::size_t, std::size_t, Kernel& kernel) {
    if (kernel.pass) kernel.pass->advance(real);
    if (kernel.product) kernel.product->advance(real);
    if (kernel.collective && std::ranges::find(moved, kernel.collective.get()) == moved.end()) {
      kernel.collective->advance(real);
      moved.push_back(kernel.collective.get());
    }
  });
  now_ = instant;
}

GpuRun GpuEvents::run() {
  for (const GpuStreams& streams : work_) {
    gpus_.emplace_back();
    gpus_.back().free = static_cast<std::int64_t>(gpu_.sm.count);
    gpus_.back().streams.resize(streams.size());
  }
  for (std::size_t gpu = 0; gpu < work_.size(); ++gpu) {
    for (std::size_t stream = 0; stream < work_[gpu].size(); ++stream) {
      start_timer(work_[gpu][stream].begin, gpu, stream, Timer::What::kBegin);
    }
  }
  constexpr Picoseconds kNever{std::numeric_limits<std::int64_t>::max()};
  for (Picoseconds next = next_instant(); next != kNever; next = next_instant()) {
    go_to(next);
    end_due();
    while (!timers_.empty() && timers_.back().at == now_) {
      const Timer timer = timers_.back();
      timers_.pop_back();
      ++run_.events;
      if (timer.what == Timer::What::kBegin) launch(timer.gpu, timer.stream);
      if (timer.what == Timer::What::kReady) ready(timer.gpu, timer.stream);
      if (timer.what == Timer::What::kOver) over(timer.gpu, timer.stream);
    }
    place_all();
    share();
  }
  if (finite_work_left()) {
    throw SimulationError("a collective waits for SMs that its GPUs do not have together: each of " +
                          std::to_string(gpus_.size()) + " GPUs needs the same collectives, and one never starts");
  }
  return std::move(run_);
}

}  // namespace

GpuRun run_gpus(const GpuSpec& gpu, const std::vector<GpuStreams>& gpus, const GpuRunSettings& settings) {
  for (const GpuStreams& streams : gpus) {
    for (const GpuStream& stream : streams) {
      for (const GpuLaunched& launched : stream.launches) {
        if (launched.product) {
          check_gemm(launched.product->gemm, gpu);
          check_kernel(launched.product->kernel, launched.product->gemm, gpu, "a product");
        } else if (launched.collective) {
          check_nccl(*launched.collective, gpu);
        }
      }
    }
  }
  return GpuEvents(gpu, gpus, settings).run();
}

}  // namespace kernbench
