// The end of counted time, and sums of busy times beyond it.
#include <doctest/doctest.h>

#include <string>
#include <systemc>

#include "sim/base/errors.hpp"
#include "sim/engine/op_log.hpp"
#include "sim/engine/process.hpp"
#include "tests/engine/trace.hpp"

using namespace kernbench;

namespace {

constexpr Picoseconds kLast{kForever.value - 1};

/// What happens to a process that waits until `first`, then for `more`.
std::string waiting(Picoseconds first, Picoseconds more) {
  return traced([=](Calendar& calendar, Trace& trace) {
    const auto waits = [&]() -> Process {
      co_await calendar.until(first);
      trace.line(calendar.now(), "served");
      co_await calendar.delay(more);
      trace.line(calendar.now(), "served");
    };
    Process process = waits();
    process.start(calendar);
    try {
      calendar.run();
    } catch (const OverflowError& error) {
      trace.text += error.what();
    }
  });
}

/// A foreign module that waits for longer than our clock counts.
class Patient : public sc_core::sc_module {
  SC_HAS_PROCESS(Patient);

 public:
  explicit Patient(const sc_core::sc_module_name& name) : sc_module(name) {
    SC_METHOD(act);
    sensitive << next_;
  }

 private:
  void act() {
    if (!waits_) next_.notify(sc_core::sc_time::from_value(sc_dt::uint64{1} << 63U));
    waits_ = true;
  }
  sc_core::sc_event next_;
  bool waits_ = false;
};

}  // namespace

TEST_SUITE("ADR-0002") {
  TEST_CASE("2.5 the last instant that is counted is served, the next one ends the run with an error") {
    const std::string last = std::to_string(kLast.value) + " served\n";
    const std::string before = std::to_string(kLast.value - 1) + " served\n";
    const std::string error = "simulated time reached 2^62 - 1 ps (53 days)";
    CHECK(waiting({kLast.value - 1}, {1}) == before + last);
    CHECK(waiting({kLast.value - 1}, {2}).find(before + error) == 0);
    CHECK(waiting(kLast, {2}).find(last + error) == 0);
    CHECK(waiting({1}, kForever).find("1 served\n" + error) == 0);
  }

  TEST_CASE("2.5 a foreign module that waits beyond counted time holds nobody up") {
    const std::string text = traced([](Calendar& calendar, Trace& trace) {
      Patient patient("patient");
      const auto waits = [&]() -> Process {
        co_await calendar.until(kLast);
        trace.line(calendar.now(), "served");
      };
      Process process = waits();
      process.start(calendar);
      calendar.run({kLast.value});
    });
    CHECK(text == std::to_string(kLast.value) + " served\n");
  }

  TEST_CASE("2.5 busy times, bytes and MACs of an engine are summed beyond 63 bits, and named where they are read") {
    constexpr Picoseconds kMost{INT64_MAX - 1};
    OpChannel channel("pe0.dma_in", {"dma_in"});
    channel.record({{0}, kMost, INT64_MAX - 1, INT64_MAX - 1});
    channel.record({{0}, {1}, 1, 1});
    CHECK(channel.busy() == Picoseconds{INT64_MAX});
    CHECK(channel.bytes() == INT64_MAX);
    CHECK(channel.macs() == INT64_MAX);
    channel.record({{1}, {2}, 1, 1});
    CHECK(channel.wall() == kMost);  // is no sum: the clock bounds it
    CHECK(channel.records() == 3);
    CHECK_THROWS_WITH_AS((void)channel.busy(),
                         doctest::Contains("busy time of dma_in on pe0.dma_in beyond 2^63 - 1 ps (106 days)"),
                         OverflowError);
    CHECK_THROWS_WITH_AS((void)channel.bytes(), doctest::Contains("bytes of dma_in on pe0.dma_in beyond"),
                         OverflowError);
    CHECK_THROWS_WITH_AS((void)channel.macs(), doctest::Contains("MACs of dma_in on pe0.dma_in beyond"), OverflowError);
  }
}
