// Keys of a machine, be it one of PEs (schema.hpp) or a GPU (gpu/gpu_keys.hpp): what a sweep, a search and a what-if
// change. No path is a key of both.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/quantity.hpp"
#include "sim/machine/gpu/gpu_keys.hpp"
#include "sim/machine/machine_kind.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {

class TopologyKey {
 public:
  TopologyKey(const MachineKey& key) : key_(&key) {}  // NOLINT(google-explicit-constructor): it is one
  TopologyKey(const GpuKey& key) : key_(&key) {}      // NOLINT(google-explicit-constructor)

  [[nodiscard]] MachineKind kind() const { return gpu() == nullptr ? MachineKind::kPes : MachineKind::kGpu; }
  [[nodiscard]] std::string_view path() const;
  /// Of a number; nothing of a name and of a choice of words.
  [[nodiscard]] std::optional<Dimension> dimension() const;
  bool operator==(const TopologyKey&) const = default;

  /// The entry of the table that it is of; nullptr where it is of the other.
  [[nodiscard]] const MachineKey* pes() const;
  [[nodiscard]] const GpuKey* gpu() const;

 private:
  std::variant<const MachineKey*, const GpuKey*> key_;
};

[[nodiscard]] MachineKind kind_of(const MachineSpec& machine);

/// The key at `path` of either kind of machine.
[[nodiscard]] std::optional<TopologyKey> find_topology_key(std::string_view path);
/// The key at `path`, which our own code names, or the fields of a sweep: there is one.
[[nodiscard]] TopologyKey topology_key(std::string_view path);

/// Whether the machine is of the key's kind, and has the optional section that the key is of.
[[nodiscard]] bool has_key(const MachineSpec& machine, const TopologyKey& key);
/// Why not, of a key that the machine has not: the section that its file leaves out; "" where it is of another kind.
[[nodiscard]] std::string left_out_with(const MachineSpec& machine, const TopologyKey& key);
/// Those that are numbers and that the machine has, in the order of their reference.
[[nodiscard]] std::vector<TopologyKey> number_keys(const MachineSpec& machine);

/// Of a key that is a number and that the machine has, in base units of its dimension (quantity.hpp).
[[nodiscard]] std::int64_t number_of(const TopologyKey& key, const MachineSpec& machine);
/// As a machine file may write it; of a key that the machine has.
[[nodiscard]] std::string written_value(const TopologyKey& key, const MachineSpec& machine);
/// As --set does, but that contradictions are left to require_consistent(). Throws ConfigError ("expected ..., got
/// ...", without a place) for a value that is malformed or out of the key's range.
void read_value(const TopologyKey& key, std::string_view text, MachineSpec& machine);

/// Throws CapacityError, which names the key, where values that are each in range cannot be true together, and where
/// they need a section that the machine file leaves out (3.5).
void require_consistent(const MachineSpec& machine);

/// Of either kind of machine: whether keys are below `path`.
[[nodiscard]] bool is_any_section(const std::string& path);
/// "a, b, c": the names directly in such a section.
[[nodiscard]] std::string names_in_any(const std::string& section);
/// The key of this kind of machine that was meant by a path that is none; "" where none is near.
[[nodiscard]] std::string nearest_key(MachineKind kind, const std::string& path);

}  // namespace kernbench
