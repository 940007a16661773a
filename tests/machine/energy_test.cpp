// Counts times energies, by hand and over random ones.
#include "sim/machine/energy.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "sim/base/errors.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

Activity some() {
  Activity activity;
  activity.macs[static_cast<std::size_t>(Dtype::kBf16)] = 1000;
  activity.macs[static_cast<std::size_t>(Dtype::kInt8)] = 500;
  activity.vector_operations = 7;
  activity.registers = 11;
  activity.tcm = 13;
  activity.sram = 17;
  activity.hbm = 19;
  activity.router = 23;
  activity.die_to_die = 29;
  activity.package_link = 31;
  activity.pes = 2;
  return activity;
}

EnergySpec all() {
  EnergySpec energy;
  energy.mac.bf16 = 590;
  energy.mac.int8 = 77;
  energy.vector = 2;
  energy.registers = 3;
  energy.tcm = 5;
  energy.sram = 7;
  energy.hbm = 11;
  energy.router = 13;
  energy.die_to_die = 17;
  energy.package_link = 19;
  energy.static_power = 23;
  return energy;
}

}  // namespace

TEST_SUITE("ADR-0036") {
  TEST_CASE("36.3 a part is its count times its energy, and the run the sum of its parts") {
    const RunEnergy run = energy_of(all(), some(), Picoseconds{100});
    REQUIRE(run.parts.size() == 10);
    CHECK(run.parts[0].name == "mac");
    CHECK(run.parts[0].femtojoules == 1000 * 590 + 500 * 77);
    CHECK(run.parts[1].femtojoules == 7 * 2);
    CHECK(run.parts[5].femtojoules == 19 * 11);
    CHECK(run.parts[9].name == "static");
    CHECK(run.parts[9].femtojoules == 2 * 100 * 23);  // 23 mW for 100 ps are 2300 fJ
    CHECK(run.total == 1000 * 590 + 500 * 77 + 7 * 2 + 11 * 3 + 13 * 5 + 17 * 7 + 19 * 11 + 23 * 13 + 29 * 17 +
                           31 * 19 + 2 * 100 * 23);
    CHECK(run.missing.empty());
  }

  TEST_CASE("36.3 parts add up and do not depend on time but for the static one") {
    CHECK(rc::check("random counts and energies", [] {
      const auto value = [] { return *rc::gen::inRange<std::int64_t>(0, 1'000'000); };
      Activity activity;
      for (std::int64_t& macs : activity.macs) macs = value();
      EnergySpec energy = all();
      for (auto* mac :
           {&energy.mac.fp16, &energy.mac.fp8_e4m3, &energy.mac.fp8_e5m2, &energy.mac.tf32, &energy.mac.fp32,
            &energy.mac.bfp8, &energy.mac.bfp4, &energy.mac.mxfp8, &energy.mac.mxfp4, &energy.hbm, &energy.tcm}) {
        *mac = value();
      }
      activity.hbm = value();
      activity.tcm = value();
      activity.pes = *rc::gen::inRange<std::int64_t>(1, 300);
      const std::int64_t time = 1 + value();
      const RunEnergy run = energy_of(energy, activity, Picoseconds{time});
      std::int64_t sum = 0;
      for (const EnergyPart& part : run.parts) sum += part.femtojoules.value();
      RC_ASSERT(run.total == sum);
      const RunEnergy slower = energy_of(energy, activity, Picoseconds{3 * time});
      RC_ASSERT(*slower.total - *run.total == 2 * time * activity.pes * energy.static_power);
      activity += activity;
      RC_ASSERT(energy_of(energy, activity, Picoseconds{time}).total == 2 * *run.total);
    }));
  }

  TEST_CASE("36.4 a missing key is no zero: the part and the run are not computed and the first one is named") {
    EnergySpec energy = all();
    energy.hbm = kNotGiven;
    energy.static_power = kNotGiven;
    const RunEnergy run = energy_of(energy, some(), Picoseconds{100});
    CHECK(run.missing == "energy.hbm");
    CHECK_FALSE(run.total.has_value());
    CHECK(run.parts[0].femtojoules.has_value());
    CHECK_FALSE(run.parts[5].femtojoules.has_value());
    energy.mac.int8 = kNotGiven;
    CHECK(energy_of(energy, some(), Picoseconds{100}).missing == "energy.mac.int8");
    energy = all();
    energy.hbm = 0;
    CHECK(energy_of(energy, some(), Picoseconds{100}).total.has_value());
  }

  TEST_CASE("36.4 what is not counted needs no key, and a machine without keys has no energy") {
    EnergySpec energy = all();
    energy.sram = kNotGiven;
    energy.mac.fp32 = kNotGiven;
    Activity activity = some();
    activity.sram = 0;
    const RunEnergy run = energy_of(energy, activity, Picoseconds{100});
    CHECK(run.total.has_value());
    CHECK(run.parts.size() == 9);
    CHECK_FALSE(has_energy({}));
    EnergySpec one;
    one.static_power = 0;
    CHECK(has_energy(one));
    one = {};
    one.mac.tf32 = 0;
    CHECK(has_energy(one));
  }

  TEST_CASE("36.3 what 63 bits do not hold is an error") {
    Activity activity;
    activity.hbm = INT64_MAX / 2;
    CHECK_THROWS_AS(static_cast<void>(energy_of(all(), activity, Picoseconds{1})), OverflowError);
  }
}
