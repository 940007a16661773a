// Metrics and words of energy.
#include "benches/results/rows/energy_row.hpp"

#include <doctest/doctest.h>

#include "benches/results/rows/row_from_run.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

Activity some_macs() {
  Activity activity;
  activity.macs[static_cast<std::size_t>(Dtype::kBf16)] = 1'000'000;
  activity.hbm = 10'000;
  activity.pes = 4;
  return activity;
}

MachineSpec with(const std::vector<std::string>& energies) { return milestone(energies); }

}  // namespace

TEST_SUITE("ADR-0036") {
  TEST_CASE("36.5 metrics are the energy, its parts, the mean power and TFLOPS a watt") {
    const MachineSpec machine = with({"energy.mac.bf16=0.5 pJ", "energy.hbm=30 pJ/B", "energy.static=2 W"});
    Row row;
    row.metrics.json()["tflops"] = 2.0;  // of 1,000,000 MACs in 1000 ns
    add_energy(row, machine.energy, some_macs(), Picoseconds{1'000'000});
    CHECK(row.metrics.json().at("energy_mac_pj") == 500'000.0);
    CHECK(row.metrics.json().at("energy_hbm_pj") == 300'000.0);
    CHECK(row.metrics.json().at("energy_static_pj") == 8'000'000.0);  // 4 PEs of 2 W for 1 us
    CHECK(row.metrics.json().at("energy_pj") == 8'800'000.0);
    CHECK(row.metrics.json().at("avg_power_w").get<double>() == doctest::Approx(8.8).epsilon(1e-12));
    CHECK(row.metrics.json().at("tflops_per_watt").get<double>() == doctest::Approx(2 / 8.8).epsilon(1e-12));
    CHECK_FALSE(row.metrics.json().contains("energy_missing"));
    CHECK_FALSE(row.metrics.json().contains("energy_tcm_pj"));
    CHECK(energy_text(row) == "8.8 uJ: static 90.9 %, mac 5.7 %, hbm 3.4 %");
    CHECK(power_text(row) == "8.8 W in the mean, 0.2273 TFLOPS a watt");
    CHECK(energy_title({Row{}, row}) == "energy");
    CHECK(total_energy_text(row) == "8.8 uJ");
  }

  TEST_CASE("36.4 36.5 a key that is missing is named, and neither energy nor power is there") {
    const MachineSpec machine = with({"energy.mac.bf16=0.5 pJ", "energy.static=2 W"});
    Row row;
    row.metrics.json()["tflops"] = 2.0;
    add_energy(row, machine.energy, some_macs(), Picoseconds{1'000'000});
    CHECK(row.metrics.json().at("energy_missing") == "energy.hbm");
    CHECK(row.metrics.json().at("energy_mac_pj") == 500'000.0);
    for (const char* metric : {"energy_pj", "energy_hbm_pj", "avg_power_w", "tflops_per_watt"}) {
      CAPTURE(metric);
      CHECK_FALSE(row.metrics.json().contains(metric));
    }
    CHECK(energy_text(row) ==
          "not computed: the machine file does not say energy.hbm; known are static 8 uJ, mac 500 nJ");
    CHECK(power_text(row).empty());
    Row nothing_known;
    add_energy(nothing_known, with({"energy.sram=1 pJ/B"}).energy, some_macs(), Picoseconds{1});
    CHECK(energy_text(nothing_known) == "not computed: the machine file does not say energy.mac.bf16");
    CHECK(missing_energy_text({Row{}, row}) == "energy is not computed: the machine file does not say energy.hbm");
  }

  TEST_CASE("36.4 36.5 a machine without energies adds nothing to a row") {
    Row row;
    add_energy(row, milestone().energy, some_macs(), Picoseconds{1'000'000});
    CHECK(row.metrics.json().empty());
    CHECK(energy_text(row).empty());
    CHECK(energy_title({row}).empty());
    CHECK(missing_energy_text({row}).empty());
  }

  TEST_CASE("36.5 what takes no time has no power") {
    Row row;
    row.metrics.json()["tflops"] = 0.0;
    add_energy(row, with({"energy.mac.bf16=1 pJ", "energy.hbm=0 pJ/B"}).energy, some_macs(), Picoseconds{0});
    CHECK(row.metrics.json().contains("energy_pj"));
    CHECK_FALSE(row.metrics.json().contains("avg_power_w"));
    CHECK_FALSE(row.metrics.json().contains("tflops_per_watt"));
  }
}
