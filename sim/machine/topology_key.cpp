#include "sim/machine/topology_key.hpp"

#include <algorithm>
#include <memory>

#include "sim/base/capacity_error.hpp"
#include "sim/base/check.hpp"
#include "sim/base/nearest.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/contradictions.hpp"
#include "sim/machine/gpu/gpu_contradictions.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/optional_sections.hpp"

namespace kernbench {
namespace {

const std::string& written_of_gpu(const GpuKey& key, const MachineSpec& machine) {
  return machine.gpu->origins.at(std::string(key.path)).written;
}

/// Of those that the machine file leaves out (3.13); what they would hold is none of this machine.
void require_needed_sections(const MachineSpec& machine) {
  if (machine.absent.empty()) return;
  for (const MachineKey& key : machine_keys()) {
    if (key.needed == NeededWhere::kNowhere || !is_needed(key, machine)) continue;
    const std::string missing(absent_part(machine, key.path));
    if (!missing.empty()) throw CapacityError(missing + ": " + missing_text(key, missing, machine));
  }
}

}  // namespace

const MachineKey* TopologyKey::pes() const {
  const auto* const key = std::get_if<const MachineKey*>(&key_);
  return key == nullptr ? nullptr : *key;
}

const GpuKey* TopologyKey::gpu() const {
  const auto* const key = std::get_if<const GpuKey*>(&key_);
  return key == nullptr ? nullptr : *key;
}

std::string_view TopologyKey::path() const { return gpu() != nullptr ? gpu()->path : pes()->path; }

std::optional<Dimension> TopologyKey::dimension() const {
  if (gpu() != nullptr) return gpu()->dimension;
  const auto* const field = std::get_if<QuantityField>(&pes()->field);
  return field == nullptr ? std::nullopt : std::optional(field->dimension);
}

MachineKind kind_of(const MachineSpec& machine) {
  return machine.gpu == nullptr ? MachineKind::kPes : MachineKind::kGpu;
}

std::optional<TopologyKey> find_topology_key(std::string_view path) {
  if (const MachineKey* const key = find_machine_key(path)) return *key;
  if (const GpuKey* const key = find_gpu_key(path)) return *key;
  return std::nullopt;
}

TopologyKey topology_key(std::string_view path) {
  const std::optional<TopologyKey> key = find_topology_key(path);
  KB_CHECK(key.has_value(), "a key of a machine: " + std::string(path));
  return *key;
}

bool has_key(const MachineSpec& machine, const TopologyKey& key) {
  if (kind_of(machine) != key.kind()) return false;
  if (key.gpu() == nullptr) return absent_part(machine, key.path()).empty();
  return machine.gpu->origins.contains(std::string(key.path()));
}

std::string left_out_with(const MachineSpec& machine, const TopologyKey& key) {
  if (kind_of(machine) != key.kind()) return "";
  if (key.gpu() == nullptr) return std::string(absent_part(machine, key.path()));
  return section_of(std::string(key.path()));
}

std::vector<TopologyKey> number_keys(const MachineSpec& machine) {
  std::vector<TopologyKey> keys;
  const auto add = [&](const TopologyKey& key) {
    if (key.dimension() && has_key(machine, key)) keys.push_back(key);
  };
  for (const MachineKey& key : machine_keys()) add(key);
  for (const GpuKey& key : gpu_keys()) add(key);
  return keys;
}

std::int64_t number_of(const TopologyKey& key, const MachineSpec& machine) {
  if (key.gpu() != nullptr) return parse_quantity(written_of_gpu(*key.gpu(), machine), key.gpu()->dimension);
  return std::get<QuantityField>(key.pes()->field).get(machine);
}

std::string written_value(const TopologyKey& key, const MachineSpec& machine) {
  return key.gpu() != nullptr ? written_of_gpu(*key.gpu(), machine) : written_value(*key.pes(), machine);
}

void read_value(const TopologyKey& key, std::string_view text, MachineSpec& machine) {
  if (key.gpu() == nullptr) return read_value(*key.pes(), text, machine);
  machine.gpu = std::make_shared<const LoadedGpu>(with_gpu_value(*machine.gpu, *key.gpu(), std::string(text)));
}

void require_consistent(const MachineSpec& machine) {
  const auto refuse = [](const auto& contradiction, const std::string& wrong) {
    if (!wrong.empty()) throw CapacityError(std::string(contradiction.keys.front()) + ": " + wrong);
  };
  if (kind_of(machine) == MachineKind::kGpu) {
    for (const GpuContradiction& one : gpu_contradictions()) refuse(one, one.check(machine.gpu->spec));
    return;
  }
  require_needed_sections(machine);
  for (const Contradiction& one : contradictions()) refuse(one, one.check(machine));
}

bool is_any_section(const std::string& path) { return is_section(path) || is_gpu_section(path); }

std::string names_in_any(const std::string& section) {
  return is_section(section) ? names_in(section) : joined(gpu_names_below(section));
}

std::string nearest_key(MachineKind kind, const std::string& path) {
  if (kind == MachineKind::kPes) {
    const std::string near = nearest_sibling(section_of(path), path.substr(path.rfind('.') + 1));
    return near.empty() ? nearest_elsewhere(path) : near;
  }
  std::vector<std::string> paths;
  for (const GpuKey& key : gpu_keys()) paths.emplace_back(key.path);
  return nearest_name(path, paths);
}

}  // namespace kernbench
