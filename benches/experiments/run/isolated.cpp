// The pool: fork while there is room, wait, collect.
#include "benches/experiments/run/isolated.hpp"

#include <sched.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

#include "benches/experiments/run/child.hpp"
#include "benches/experiments/run/stop_signals.hpp"

namespace kernbench {
namespace {

using std::chrono::milliseconds;
using Children = std::vector<std::unique_ptr<Child>>;

constexpr milliseconds kTick{200};
constexpr milliseconds kTurn{50};  // of a child: forking one takes some milliseconds

void require_single_thread() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  if (std::distance(begin(threads), end(threads)) != 1) {
    throw std::logic_error("run_isolated forks: no thread may have been started before it");
  }
}

/// Until a child writes or ends, the nearest deadline, a tick, or a signal.
void wait_for_news(const Children& children, const StopSignals& signals) {
  std::vector<pollfd> descriptors;
  auto wake = Child::Clock::now() + kTick;
  for (const auto& child : children) {
    for (const int fd : {child->result_fd(), child->output_fd(), child->process_fd()}) {
      descriptors.push_back({fd, POLLIN, 0});
    }
    wake = std::min(wake, child->deadline());
  }
  const auto left = std::chrono::ceil<milliseconds>(wake - Child::Clock::now());
  signals.wait(descriptors, std::max(left, milliseconds(0)));
}

/// Work that waits for a child.
class WaitingWork {
 public:
  WaitingWork(std::size_t works, std::size_t jobs, std::size_t most_in_turn) : jobs_(jobs), most_(most_in_turn) {
    for (std::size_t i = 0; i < works; ++i) waiting_.push_back(i);
  }

  [[nodiscard]] bool empty() const { return waiting_.empty(); }

  /// For a child: as much as it does in kTurn, while there is enough for the others to be at work to the end.
  std::vector<std::size_t> take() {
    const auto in_time = static_cast<std::size_t>(kTurn / std::max(took_, std::chrono::nanoseconds(1)));
    const std::size_t count = std::clamp<std::size_t>(std::min(in_time, waiting_.size() / (2 * jobs_)), 1, most_);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    std::vector<std::size_t> taken(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return taken;
  }
  /// Comes next, in this order.
  void give_back(const std::deque<std::size_t>& left) { waiting_.insert(waiting_.begin(), left.begin(), left.end()); }
  /// How long the last one took.
  void learn(const DoneWork& done) {
    if (done.outcome.ok) took_ = done.took;
  }

 private:
  std::deque<std::size_t> waiting_;
  std::size_t jobs_;
  std::size_t most_;
  std::chrono::nanoseconds took_ = kTurn;
};

/// What has come to an end; children that have are gone, with what they left undone waiting again.
void collect(Children& running, WaitingWork& waiting, IsolationReport& report, const IsolationOptions& options) {
  for (auto child = running.begin(); child != running.end();) {
    const bool ended = (*child)->advance();
    for (DoneWork& done : (*child)->take_done()) {
      waiting.learn(done);
      const Outcome& outcome = report.outcomes[done.index].emplace(std::move(done.outcome));
      if (options.on_done) options.on_done(done.index, outcome);
    }
    if (ended) waiting.give_back((*child)->left());
    child = ended ? running.erase(child) : std::next(child);
  }
}

}  // namespace

int available_cores() {
  cpu_set_t cores;
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? std::max(1, CPU_COUNT(&cores)) : 1;
}

IsolationReport run_isolated(const std::vector<Work>& works, const IsolationOptions& options) {
  require_single_thread();
  const auto jobs = static_cast<std::size_t>(options.jobs > 0 ? options.jobs : available_cores());
  IsolationReport report;
  report.outcomes.resize(works.size());
  const StopSignals signals;
  Children running;  // after `signals`: however this function is left, no child outlives it
  auto next_tick = Child::Clock::now() + kTick;
  WaitingWork waiting(works.size(), jobs, options.most_in_turn);
  const WorkLimits limits{options.timeout, options.memory};
  while (!waiting.empty() || !running.empty()) {
    while (running.size() < jobs && !waiting.empty()) {
      running.push_back(std::make_unique<Child>(waiting.take(), works, limits));
    }
    wait_for_news(running, signals);
    if (StopSignals::caught() != 0) {
      report.stopped_by = StopSignals::caught();
      break;
    }
    collect(running, waiting, report, options);
    if (options.on_tick && Child::Clock::now() >= next_tick) {
      options.on_tick();
      next_tick = Child::Clock::now() + kTick;
    }
  }
  return report;
}

}  // namespace kernbench
