// The summary of a machine: its keys level by level, and what follows from them.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/cost.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

std::string number(double value, const std::string& unit) { return formatted("%.6g ", value) + unit; }

std::string time(Picoseconds time) { return number(time.ns(), "ns"); }
std::string gbs(double bytes_per_second) { return number(bytes_per_second / 1e9, "GB/s"); }
std::string bytes(Bytes value) { return format_quantity(value, Dimension::kBytes); }

/// Of the whole machine, and of each part; which price is missing.
Lines costs_of(const MachineSpec& machine) {
  const MachineCost cost = machine_cost(machine);
  Lines lines;
  const std::string missing = "not computed: no " + cost.missing;
  for (const CostPart& part : cost.parts) {
    lines.emplace_back("cost of " + std::string(part.name), part.cost ? number(*part.cost, cost.unit) : "not computed");
  }
  lines.emplace_back("cost of the machine", cost.total ? number(*cost.total, cost.unit) : missing);
  return lines;
}

/// Whether it is said: of energy and cost only what the file gives.
bool is_shown(const MachineSpec& machine, const MachineKey& key) {
  if (key.path == "cost.unit") return machine_cost(machine).missing != "cost";
  const auto* field = std::get_if<QuantityField>(&key.field);
  return field == nullptr || !field->may_be_unknown || field->get(machine) != kNotGiven;
}

/// Quantities that follow from the keys of a level; the keys themselves come from the schema.
Lines derived_of(const MachineSpec& machine, std::string_view level) {
  const auto pes_per_die = machine.die.routers.count();
  const auto dies = machine.package.dies.count();
  const auto packages = machine.system.packages.count();
  const auto pes = pes_per_die * dies * packages;
  const auto& hbm = machine.die.hbm;
  const auto& pe = machine.pe;
  const auto hbm_bandwidth = static_cast<double>(hbm.bandwidth.bytes_per_second);
  if (level == "system") {
    return {
        {"packages", std::to_string(packages)},
        {"PEs", std::to_string(pes)},
        {"peak", number(pe.peak_tflops() * static_cast<double>(pes), "TFLOPS")},
        {"HBM bandwidth", gbs(hbm_bandwidth * static_cast<double>(controllers_of_die(machine.die) * dies * packages))}};
  }
  if (level == "package") {
    const auto& die_to_die = machine.package.die_to_die;
    const auto columns = machine.die.routers.columns;
    Lines lines{{"dies", std::to_string(dies)}, {"PEs", std::to_string(pes_per_die * dies)}};
    if (has_section(machine, "package.die_to_die")) {
      lines.emplace_back("bandwidth of a die's side",
                         gbs(static_cast<double>(die_to_die.connections_of_router(columns) * columns) *
                             die_to_die.bandwidth.gbs() * 1e9));
    }
    return lines;
  }
  if (level == "die") {
    Lines lines{{"PEs", std::to_string(pes_per_die)}};
    if (hbm.shared()) {
      lines.emplace_back("HBM controllers", std::to_string(controllers_of_die(machine.die)));
      lines.emplace_back("HBM bandwidth", gbs(hbm_bandwidth * static_cast<double>(controllers_of_die(machine.die))));
    }
    lines.emplace_back("pseudo-channel bandwidth", gbs(hbm_bandwidth / static_cast<double>(hbm.pseudo_channels)));
    lines.emplace_back("burst on its pseudo-channel", time(hbm.burst_time()));
    lines.emplace_back("wire between routers", time(machine.die.wire.delay(machine.die.wire.router_to_router_um)));
    return lines;
  }
  if (level == "pe") {
    const auto& tile = pe.mac.tile;
    const Bytes a_tile = 2 * tile.m * tile.k;
    const Bytes b_tile = 2 * tile.k * tile.n;
    const Bandwidth all_hbm{(hbm.shared() ? controllers_of_die(machine.die) : 1) * hbm.bandwidth.bytes_per_second};
    return {{"peak", number(pe.peak_tflops(), "TFLOPS")},
            {"MACs of the array", std::to_string(pe.mac.peak_macs()) + " a cycle"},
            {"tile on the MAC array", std::to_string(pe.tile_cycles()) + " cycles, " + time(pe.tile_time())},
            {"A tile, B tile, output tile",
             bytes(a_tile) + ", " + bytes(b_tile) + ", " + bytes(2 * tile.m * tile.n) + " of bf16"},
            {"A and B tile from HBM", time(all_hbm.time_for(a_tile + b_tile))},
            {"A and B tile fetched from TCM", time(pe.fetch.time_for(a_tile + b_tile))}};
  }
  if (level == "energy") return {};
  if (level == "cost") return costs_of(machine);
  return {{"HBM bursts in a packet", std::to_string(machine.simulation.packet / hbm.burst)}};
}

void append(std::string& text, const Lines& lines, std::size_t width, const std::string& mark) {
  for (const auto& [label, value] : lines) {
    text.append("  ").append(label).append(width - label.size() + 2, ' ').append(mark).append(value).append("\n");
  }
}

}  // namespace

std::string describe_machine(const MachineSpec& spec) {
  std::vector<std::pair<std::string, Lines>> levels;
  std::string_view told_absent;
  for (const auto& key : machine_keys()) {
    const auto dot = key.path.find('.');
    if (dot == std::string_view::npos || !is_shown(spec, key)) continue;
    const std::string level(key.path.substr(0, dot));
    if (levels.empty() || levels.back().first != level) levels.push_back({level, {}});
    const std::string_view absent = absent_part(spec, key.path);
    if (absent.empty()) {
      levels.back().second.emplace_back(key.path.substr(dot + 1), written_value(key, spec));
    } else if (absent != told_absent) {
      levels.back().second.emplace_back(absent.substr(dot + 1), "none");
    }
    told_absent = absent;
  }
  std::size_t width = 0;
  for (const auto& [level, lines] : levels) {
    for (const auto& [label, value] : lines) width = std::max(width, label.size());
    for (const auto& [label, value] : derived_of(spec, level)) width = std::max(width, label.size());
  }
  std::string text = "machine " + spec.name + "  (= marks what follows from the keys)\n";
  for (const auto& [level, lines] : levels) {
    text += '\n' + level + '\n';
    append(text, lines, width, "  ");
    append(text, derived_of(spec, level), width, "= ");
  }
  return text;
}

}  // namespace kernbench
