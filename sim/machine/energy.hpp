// The energy of a run: what it did, counted, times what the machine file says that each takes (adr/0036).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// What a run did (36.2), on as many PEs as took part.
struct Activity {
  std::array<std::int64_t, kOperandDtypes.all().size()> macs{};  ///< valid ones, by Dtype of A
  std::int64_t vector_operations = 0;
  Bytes registers = 0;  ///< fetched and stored
  Bytes tcm = 0;
  Bytes sram = 0;
  Bytes hbm = 0;
  Bytes router = 0;
  Bytes die_to_die = 0;
  Bytes package_link = 0;
  std::int64_t pes = 0;

  Activity& operator+=(const Activity& other);
  bool operator==(const Activity& other) const = default;
};

struct EnergyPart {
  std::string_view name;                    ///< "mac", "hbm", "static"
  std::optional<std::int64_t> femtojoules;  ///< nothing where a key is missing
};

struct RunEnergy {
  std::vector<EnergyPart> parts;      ///< of what was counted
  std::optional<std::int64_t> total;  ///< femtojoules; nothing where a key is missing
  std::string missing;                ///< the first such key, "energy.hbm"
};

/// Whether the machine's file gives any key of `energy`.
[[nodiscard]] bool has_energy(const EnergySpec& energy);

/// Throws OverflowError where 63 bits do not hold a part or the sum, in femtojoules.
[[nodiscard]] RunEnergy energy_of(const EnergySpec& energy, const Activity& activity, Picoseconds time);

}  // namespace kernbench
