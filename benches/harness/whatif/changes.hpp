// Changes of a machine that a designer could buy: keys with a multiple of what they have (adr/0035-what-if.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/schema.hpp"

namespace kernbench {

/// A key gets `times` / `over` of its value, rounded down to a whole base unit.
struct Factor {
  std::int64_t times = 1;
  std::int64_t over = 1;
  bool operator==(const Factor&) const = default;
};

inline constexpr Factor kQuarter{1, 4};
inline constexpr Factor kHalf{1, 2};
inline constexpr Factor kTenthMore{11, 10};
inline constexpr Factor kTwice{2, 1};
inline constexpr Factor kFourTimes{4, 1};

/// "a quarter", "half", "10 % more", "twice", "four times"; of another factor "3/2".
[[nodiscard]] std::string to_text(const Factor& factor);

struct KeyChange {
  const MachineKey* key = nullptr;
  Factor factor = kTwice;
};

using Changes = std::vector<KeyChange>;

/// Keys of hardware that are numbers (35.1), in the order of the schema.
[[nodiscard]] std::vector<const MachineKey*> hardware_keys();

/// Whether the key says how many PEs there are: with others a collective is another one, of more or fewer ranks.
[[nodiscard]] bool counts_pes(const MachineKey& key);

/// Whether the key is what a technology gives, not what a designer chooses: shown alone, never a stair (35.4).
[[nodiscard]] bool is_technology(const MachineKey& key);

/// The machine with these changes. Throws ConfigError, which names the key, where a value would not change, where a
/// tenth more is less than 9 % of it, and where a value would leave its range or contradict another.
[[nodiscard]] MachineSpec changed(MachineSpec machine, const Changes& changes);

/// Throws CapacityError, which names the key, where values that are each in range cannot be true together.
void require_consistent(const MachineSpec& machine);

/// "die.hbm.bandwidth 256 GB/s to 512 GB/s".
[[nodiscard]] std::string to_text(const KeyChange& change, const MachineSpec& before);
/// "die.hbm.bandwidth=512 GB/s", as --set takes it.
[[nodiscard]] std::string setting_of(const KeyChange& change, const MachineSpec& before);

/// Keys that wait for each other: one alone may gain nothing until another moves with it (35.3).
struct CoupledKeys {
  std::string_view name;
  std::vector<std::string_view> causes;  ///< of the ledger, which hang on these keys
  Changes better;                        ///< each key in the direction that may help
  bool whole = false;                    ///< all of them at once, less those without which it is as fast
};

[[nodiscard]] std::span<const CoupledKeys> coupled_keys();

/// Whether the key is afterwards within a quarter and four times of what `first` has.
[[nodiscard]] bool within_reach(const KeyChange& change, const MachineSpec& machine, const MachineSpec& first);

/// What of a path this machine can change within reach of `first`, in sets of at most `most` keys.
[[nodiscard]] std::vector<Changes> candidates_on(const CoupledKeys& path, const MachineSpec& machine,
                                                 const MachineSpec& first, std::size_t most);

/// The non-empty sets of at most `most` of these, the smallest first, in their order.
[[nodiscard]] std::vector<Changes> sets_of(const Changes& changes, std::size_t most);

}  // namespace kernbench
