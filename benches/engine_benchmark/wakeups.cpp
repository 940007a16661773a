// Wake-ups per second of the engine's calendar beside those of bare SC_METHODs, each of which notifies its own event.
#include "benches/engine_benchmark/wakeups.hpp"

#include <benchmark/benchmark.h>

#include <deque>
#include <string>

#include "benches/engine_benchmark/measured_child.hpp"
#include "sim/engine/process.hpp"  // and SystemC with it

namespace kernbench {
namespace {

constexpr std::int64_t kWakeups = 4'000'000;

/// Marsaglia's xorshift64: delays of 1 to 1000 ps, the same on both sides.
class Delays {
 public:
  explicit Delays(std::int64_t process) : state_(88172645463325252U + 7919U * static_cast<std::uint64_t>(process)) {}
  std::int64_t next() {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<std::int64_t>(state_ % 1000) + 1;
  }

 private:
  std::uint64_t state_;
};

Process wait_again(Calendar* calendar, Delays delays, std::int64_t times) {
  for (std::int64_t i = 0; i < times; ++i) co_await calendar->delay({delays.next()});
}

class BareMethod : public sc_core::sc_module {
  SC_HAS_PROCESS(BareMethod);

 public:
  BareMethod(const sc_core::sc_module_name& name, Delays delays, std::int64_t times)
      : sc_module(name), delays_(delays), left_(times) {
    SC_METHOD(run);
    sensitive << wake_;
  }

 private:
  void run() {
    if (left_-- > 0) wake_.notify(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(delays_.next())));
  }

  Delays delays_;
  std::int64_t left_;
  sc_core::sc_event wake_;
};

Sample run_calendar(std::int64_t processes) {
  Calendar calendar("calendar");
  std::deque<Process> all;
  for (std::int64_t i = 0; i < processes; ++i) {
    all.push_back(wait_again(&calendar, Delays(i), kWakeups / processes));
    all.back().start(calendar);
  }
  const double begin = process_cpu_s();
  calendar.run();
  return {.wakeups = calendar.wakeups(), .cpu_s = process_cpu_s() - begin};
}

Sample run_methods(std::int64_t processes) {
  std::deque<BareMethod> all;
  for (std::int64_t i = 0; i < processes; ++i) {
    all.emplace_back(("method" + std::to_string(i)).c_str(), Delays(i), kWakeups / processes);
  }
  const double begin = process_cpu_s();
  sc_core::sc_start();
  return {.wakeups = processes * (kWakeups / processes + 1), .cpu_s = process_cpu_s() - begin};
}

/// Both sides take turns, so that a busy host slows both. Time: CPU seconds of the calendar.
void wakeups(benchmark::State& state) {
  Sample calendar;
  Sample methods;
  const auto add = [](Sample& sum, const Sample& one) {
    sum.wakeups += one.wakeups;
    sum.cpu_s += one.cpu_s;
  };
  while (state.KeepRunning()) {
    const Sample one = measured_in_child([&] { return run_calendar(state.range(0)); });
    add(calendar, one);
    add(methods, measured_in_child([&] { return run_methods(state.range(0)); }));
    state.SetIterationTime(one.cpu_s);
  }
  const double of_calendar = static_cast<double>(calendar.wakeups) / calendar.cpu_s;
  const double of_methods = static_cast<double>(methods.wakeups) / methods.cpu_s;
  state.counters["calendar_per_s"] = of_calendar;
  state.counters["methods_per_s"] = of_methods;
  state.counters["ratio"] = of_calendar / of_methods;
}
BENCHMARK(wakeups)->Arg(1)->Arg(16)->Arg(64)->Arg(1024)->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

double bare_events_per_s(std::int64_t processes) {
  const Sample sample = measured_in_child([&] { return run_methods(processes); });
  return static_cast<double>(sample.wakeups) / sample.cpu_s;
}

}  // namespace kernbench
