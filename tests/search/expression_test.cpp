// Arithmetic over keys and metrics.
#include "benches/experiments/search/expression.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>

#include "benches/experiments/search/search.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

Row row_with(double time, double utilisation) {
  Row row;
  row.metrics.json()["time_ns"] = time;
  row.metrics.json()["mac_util"] = utilisation;
  row.metrics.json()["mac_util.min"] = utilisation / 2;
  row.metrics.json()["limited_by"] = "hbm";
  return row;
}

double value_of(const std::string& text, const std::vector<std::string>& settings = {}) {
  const Row row = row_with(1000, 0.5);
  return Expression("--minimise", text).value(milestone(settings), &row);
}

std::string wrong(const std::string& text) {
  return ::error_of([&] { static_cast<void>(Expression("--minimise", text)); });
}

std::string wrong_for_row(const std::string& text) {
  return ::error_of([&] { Expression("--minimise", text).require_metrics(row_with(1000, 0.5)); });
}

}  // namespace

TEST_SUITE("ADR-0038") {
  TEST_CASE("38.3 names are keys in base units, sections of rows and columns, and metrics") {
    CHECK(value_of("die.hbm.bandwidth", {"die.hbm.bandwidth=512 GB/s"}) == 512e9);
    CHECK(value_of("pe.dma.outstanding_bursts*2", {"pe.dma.outstanding_bursts=48"}) == 96);
    CHECK(value_of("die.hbm.read_latency", {"die.hbm.read_latency=32 ns"}) == 32'000);
    CHECK(value_of("die.routers", {"die.routers.rows=2", "die.routers.columns=4"}) == 8);
    CHECK(value_of("time_ns / 1e3 + mac_util") == 1.5);
    CHECK(value_of("mac_util.min") == 0.25);
    CHECK(value_of("2 + 3*4^2") == 50);
  }

  TEST_CASE("38.3 a number with a unit is in base units") {
    CHECK(value_of("pe.tcm.capacity - 96 MiB", {"pe.tcm.capacity=100 MiB"}) == 4.0 * (1 << 20));
    CHECK(value_of("die.hbm.bandwidth / 0.5 TB/s", {"die.hbm.bandwidth=256 GB/s"}) == 0.512);
    CHECK(value_of("die.hbm.read_latency + 2ns", {"die.hbm.read_latency=32 ns"}) == 34'000);
    CHECK(value_of("pe.clock/1 GHz", {"pe.clock=1.5 GHz"}) == 1.5);
    CHECK(value_of("1e-3*time_ns + 2.5E1") == 26);
    const auto mixed = [](const std::string& text) {
      return ::error_of([&] { static_cast<void>(goal_of("--minimise", text, false)); });
    };
    CHECK(mixed("time_ns + 5 us").find("expected a key of the machine in that unit beside 5 us") != std::string::npos);
    CHECK(mixed("die.hbm.bandwidth / 5 us").find("beside 5 us") != std::string::npos);
    CHECK(mixed("die.hbm.bandwidth / 5 GB/s") == "");
    const auto condition = [](const std::string& text) {
      return ::error_of([&] { static_cast<void>(Condition("--target", text)); });
    };
    CHECK(condition("time_ns < 9 us").find("time_ns <= 9000 is 9 us") != std::string::npos);
    CHECK(condition("die.hbm.bandwidth >= 256 ns").find("beside 256 ns") != std::string::npos);
    CHECK(condition("96 MiB >= pe.tcm.capacity*die.routers") == "");
    CHECK(condition("energy.hbm <= 31.3 pJ/B") == "");
    CHECK(value_of("energy.hbm / 1 pJ/B + cost.pe", {"energy.hbm=31.5 pJ/B", "cost.pe=0.5", "cost.unit=x"}) == 32);
    CHECK(::error_of([] { static_cast<void>(value_of("energy.hbm")); }) == "energy.hbm is not known: none");
    CHECK(wrong("die.hbm.bandwidth + 5 GBs") ==
          "--minimise die.hbm.bandwidth + 5 GBs: expected an operator or a unit such as GB/s, MiB or ns behind 5, got "
          "'GBs'");
    CHECK(wrong("pe.tcm.capacity + 0.3 B").find("--minimise pe.tcm.capacity + 0.3 B: ") == 0);
  }

  TEST_CASE("38.3 what is no expression is refused, with what was meant") {
    CHECK(wrong("").find("--minimise : ") == 0);
    CHECK(wrong("time_ns +").find("--minimise time_ns +: ") == 0);
    CHECK(wrong("(time_ns").find("--minimise (time_ns: ") == 0);
    CHECK(wrong("time_ns < 9").find("expected + - * / ^ and brackets, got '<'") != std::string::npos);
    CHECK(::error_of([] { static_cast<void>(Condition("--target", "1 < time_ns < 9")); }).find("got '<'") !=
          std::string::npos);
    CHECK(
        wrong("die.hbm.bandwith") ==
        "--minimise die.hbm.bandwith: there is no key die.hbm.bandwith of a machine; did you mean die.hbm.bandwidth?");
    CHECK(wrong("die.hbm").find("die.hbm is a section: expected one of ") != std::string::npos);
    CHECK(wrong("system.arrangement").find("system.arrangement is a word, not a number") != std::string::npos);
    CHECK(wrong_for_row("time_n").find("unknown metric 'time_n': did you mean 'time_ns'?") != std::string::npos);
    CHECK(wrong_for_row("limited_by").find("limited_by is a word, not a number") != std::string::npos);
    CHECK(wrong_for_row("time_ns*die.routers") == "");
  }

  TEST_CASE("38.3 a condition is missed by a share of its right side") {
    const Row row = row_with(1000, 0.5);
    const MachineSpec machine = milestone();
    const auto missed = [&](const std::string& text) { return Condition("--target", text).missed_by(machine, &row); };
    const auto holds = [&](const std::string& text) { return Condition("--target", text).holds(machine, &row); };
    CHECK(missed("mac_util>=0.8") == doctest::Approx(0.375));
    CHECK(missed("time_ns <= 500") == doctest::Approx(1));
    CHECK(holds("mac_util >= 0.5"));
    CHECK_FALSE(holds("mac_util > 0.5"));
    CHECK(holds("time_ns <= 1000"));
    CHECK_FALSE(holds("time_ns < 1000"));
    CHECK(Condition("--where", "pe.tcm.capacity*die.routers <= 96 MiB").is_of_machine());
    CHECK_FALSE(Condition("--where", "pe.tcm.capacity <= time_ns").is_of_machine());
    CHECK(::error_of([] { static_cast<void>(Condition("--target", "mac_util")); }) ==
          "--target mac_util: expected two sides with >=, <=, > or < between, such as mac_util>=0.8");
    CHECK(::error_of([] { static_cast<void>(Condition("--target", "mac_util>=")); }).find("--target ") == 0);
  }

  TEST_CASE("38.3 sums and products of any keys and numbers") {
    CHECK(rc::check([] {
      const auto bursts = *rc::gen::inRange(1, 4096);
      const auto factor = *rc::gen::inRange(1, 1000);
      const auto bytes = *rc::gen::inRange(1, 1'000'000);
      const std::string text =
          std::to_string(factor) + "*(pe.dma.outstanding_bursts + " + std::to_string(bytes) + " B)";
      const double value = value_of(text, {"pe.dma.outstanding_bursts=" + std::to_string(bursts)});
      RC_ASSERT(value == static_cast<double>(factor) * (bursts + bytes));
    }));
  }
}
