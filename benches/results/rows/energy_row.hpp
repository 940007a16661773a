// The energy of a run in its row, and as a person reads it (adr/0036, 36.5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"
#include "sim/machine/energy.hpp"

namespace kernbench {

/// Adds energy_pj, energy_PART_pj, avg_power_w and, where the row has tflops, tflops_per_watt; or energy_missing, the
/// key without which they are not computed. Nothing for a machine without energies.
void add_energy(Row& row, const EnergySpec& energy, const Activity& activity, Picoseconds time);

/// What a stage took, static power apart, in pJ; nothing where a key is missing, or nothing was counted.
[[nodiscard]] std::optional<double> stage_energy(const EnergySpec& energy, const Activity& activity);

/// Title of a column of energies: "" where no row's machine has any.
[[nodiscard]] std::string energy_title(const std::vector<Row>& rows);
/// "1.234 uJ", of picojoules.
[[nodiscard]] std::string joules_text(double picojoules);
/// "1.234 uJ"; "" of a row whose energy is not known.
[[nodiscard]] std::string total_energy_text(const Row& row);
/// "1.234 uJ: mac 45.2 %, hbm 31.0 %, ..."; what is missing; "" of a row without energy.
[[nodiscard]] std::string energy_text(const Row& row);
/// "energy is not computed: the machine file does not say energy.hbm" of the first row that misses one; "" where none
/// does.
[[nodiscard]] std::string missing_energy_text(const std::vector<Row>& rows);
/// "5.43 W in the mean, 1.234 TFLOPS a watt"; "" where it is not known.
[[nodiscard]] std::string power_text(const Row& row);

}  // namespace kernbench
