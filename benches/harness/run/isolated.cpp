// The pool: fork while there is room, wait, collect.
#include "benches/harness/run/isolated.hpp"

#include <sched.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "benches/harness/run/child.hpp"
#include "benches/harness/run/stop_signals.hpp"

namespace kernbench {
namespace {

using std::chrono::milliseconds;
using Children = std::vector<std::unique_ptr<Child>>;

constexpr milliseconds kTick{200};

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
  std::size_t next = 0;
  while (next < works.size() || !running.empty()) {
    for (; running.size() < jobs && next < works.size(); ++next) {
      running.push_back(std::make_unique<Child>(next, works[next], options.timeout, options.memory));
    }
    wait_for_news(running, signals);
    if (StopSignals::caught() != 0) {
      report.stopped_by = StopSignals::caught();
      break;
    }
    for (auto child = running.begin(); child != running.end();) {
      if (!(*child)->advance()) {
        ++child;
        continue;
      }
      const std::size_t index = (*child)->index();
      report.outcomes[index] = (*child)->outcome();
      child = running.erase(child);
      if (options.on_done) options.on_done(index, *report.outcomes[index]);
    }
    if (options.on_tick && Child::Clock::now() >= next_tick) {
      options.on_tick();
      next_tick = Child::Clock::now() + kTick;
    }
  }
  return report;
}

}  // namespace kernbench
