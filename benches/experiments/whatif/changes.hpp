// Changes of a machine that a designer could buy: keys with a multiple of what they have (adr/0035-what-if.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/hw/pe/cause.hpp"
#include "sim/machine/topology_key.hpp"

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

/// Of a key, and of those that go along with it by the same factor (35.13).
struct KeyChange {
  TopologyKey key;
  Factor factor = kTwice;
};

using Changes = std::vector<KeyChange>;

/// Keys of the machine's hardware that are numbers (35.1), all numbers of a GPU's file (35.13), in the order of their
/// reference.
[[nodiscard]] std::vector<TopologyKey> hardware_keys(const MachineSpec& machine);

/// Keys that a GPU has and that mean little without this one: they change by the same factor (35.13). None of a machine
/// of PEs.
[[nodiscard]] std::vector<TopologyKey> keys_along_with(const TopologyKey& key, const MachineSpec& machine);
/// "sm.count with clustered": the key and those that go along with it.
[[nodiscard]] std::string name_with_others(const TopologyKey& key, const MachineSpec& machine);

/// Whether it may be a stair (35.4, 35.14): not a key that counts PEs, with which a collective is another one, and not
/// what a technology or software gives, which is shown alone.
[[nodiscard]] bool may_be_bought(const TopologyKey& key);

/// The machine with these changes. Throws ConfigError, which names the key, where a value would not change, where a
/// tenth more is less than 9 % of it, and where a value would leave its range or contradict another.
[[nodiscard]] MachineSpec changed(MachineSpec machine, const Changes& changes);

/// The changes of single keys that these are: each with those that go along behind it.
[[nodiscard]] Changes each_key_of(const Changes& changes, const MachineSpec& machine);

/// "die.hbm.bandwidth 256 GB/s to 512 GB/s", a line for each key that changes.
[[nodiscard]] std::string to_text(const KeyChange& change, const MachineSpec& before);
/// "die.hbm.bandwidth=512 GB/s", as --set takes it; "sm.count=264; sm.clustered=264" where keys go along.
[[nodiscard]] std::string setting_of(const KeyChange& change, const MachineSpec& before);

/// Keys that wait for each other: one alone may gain nothing until another moves with it (35.3).
struct CoupledKeys {
  std::string_view name;
  std::vector<Cause> causes;  ///< which hang on these keys
  Changes better;             ///< each key in the direction that may help
  bool whole = false;         ///< all of them at once, less those without which it is as fast
};

/// Of this kind of machine.
[[nodiscard]] std::span<const CoupledKeys> coupled_keys(MachineKind kind);

/// Whether the key is afterwards within a quarter and four times of what `first` has.
[[nodiscard]] bool within_reach(const KeyChange& change, const MachineSpec& machine, const MachineSpec& first);

/// What of a path this machine can change within reach of `first`, in sets of at most `most` of these changes.
[[nodiscard]] std::vector<Changes> candidates_on(const CoupledKeys& path, const MachineSpec& machine,
                                                 const MachineSpec& first, std::size_t most);

/// The non-empty sets of at most `most` of these, the smallest first, in their order.
[[nodiscard]] std::vector<Changes> sets_of(const Changes& changes, std::size_t most);

}  // namespace kernbench
