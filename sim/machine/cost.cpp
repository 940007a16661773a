#include "sim/machine/cost.hpp"

#include <algorithm>

#include "sim/machine/memory_places.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {

namespace {

constexpr double kKibi = 1024;
constexpr double kMebi = kKibi * kKibi;
constexpr double kGibi = kMebi * kKibi;
constexpr double kGiga = 1e9;
constexpr double kMillionths = 1e6;

double as_double(std::int64_t value) { return static_cast<double>(value); }
double as_double(Bandwidth bandwidth) { return as_double(bandwidth.bytes_per_second); }

/// Pairs of neighbours in a grid, one direction; of a torus those around the ends too.
std::int64_t neighbours(const GridSpec& grid, bool around = false) {
  const auto in_line = [around](std::int64_t length) { return length - 1 + (around && length > 2 ? 1 : 0); };
  return grid.rows * in_line(grid.columns) + grid.columns * in_line(grid.rows);
}

/// How many links there are, each direction one, and what they carry and hold together, in all of the machine.
struct Links {
  double bandwidth = 0;  ///< bytes a second
  double buffers = 0;    ///< bytes of one virtual channel
};

/// Of 16.3.
Links on_dies(const MachineSpec& machine, double dies) {
  const DieSpec& die = machine.die;
  const double mesh = 2 * as_double(neighbours(die.routers));
  const double from_ends =
      as_double(die.routers.count() + controllers_of_die(die)) + (has_section(machine, "die.sram") ? 1 : 0);
  return {dies * (mesh + 2 * from_ends) * as_double(die.router.link),
          dies * (mesh + from_ends) * as_double(die.router.buffer)};
}

/// Of 16.4 and 16.5: from die to die, and between the last row of dies and the package's switch.
Links between_dies(const MachineSpec& machine) {
  const DieToDieSpec& die_to_die = machine.package.die_to_die;
  const GridSpec& dies = machine.package.dies;
  const GridSpec& routers = machine.die.routers;
  const std::int64_t east_west = dies.rows * (dies.columns - 1) * routers.rows;
  const std::int64_t north_south = dies.rows * dies.columns * routers.columns;  // the last row's lead to the switch
  const double connections = 2 * as_double(machine.system.packages.count()) *
                             as_double(east_west * die_to_die.connections_of_router(routers.rows) +
                                       north_south * die_to_die.connections_of_router(routers.columns));
  return {connections * as_double(die_to_die.bandwidth), connections * as_double(die_to_die.buffer)};
}

/// Of 16.6.
Links between_packages(const SystemSpec& system) {
  const std::int64_t packages = system.packages.count();
  std::int64_t links = 0;
  switch (system.arrangement) {
    case PackageArrangement::kRing:
    case PackageArrangement::kTorus:
      links = 2 * neighbours(system.packages, true);
      break;
    case PackageArrangement::kMesh:
      links = 2 * neighbours(system.packages);
      break;
    case PackageArrangement::kFullyConnected:
      links = packages * (packages - 1);
      break;
    case PackageArrangement::kSwitched:
      links = packages > 1 ? 2 * packages : 0;
      break;
  }
  return {as_double(links) * as_double(system.package_link), as_double(links) * as_double(system.package_link_buffer)};
}

/// Of 16.5.
Links to_hosts(const SystemSpec& system) {
  const double packages = as_double(system.packages.count());
  return {2 * packages * as_double(system.host_link), packages * as_double(system.package_link_buffer)};
}

/// Of a PE (36.7).
double buffers_of_pe(const MachineSpec& machine) {
  const MacArraySpec& mac = machine.pe.mac;
  const TileShape& tile = mac.tile;
  const double operands = as_double(mac.operand_registers) * as_double(tile.m * tile.k + tile.k * tile.n) * 2;
  const double sums = as_double(mac.accumulators) * as_double(tile.m * tile.n) * 4;
  const bool rest = mac.dataflow == Dataflow::kWeightStationary;
  const double weights = rest ? as_double(mac.weight_buffers) * 2 * as_double(mac.peak_macs()) : 0;
  const double dma = 2 * as_double(machine.pe.dma.outstanding_bursts) * as_double(machine.die.hbm.burst);
  return operands + sums + weights + dma;
}

/// Adds parts up, and keeps the first price that is missing.
class Sum {
 public:
  explicit Sum(const CostSpec& prices) { cost_.unit = prices.unit; }

  void part(std::string_view name, double count, std::int64_t price) { part(name, {{name, count, price}}); }

  struct Counted {
    std::string_view key;
    double count = 0;
    std::int64_t price = kNotGiven;
  };
  void part(std::string_view name, const std::vector<Counted>& counted) {
    std::optional<double> sum = 0;
    bool any = false;
    for (const auto& [key, count, price] : counted) {
      if (count == 0) continue;
      any = true;
      if (price == kNotGiven) {
        sum.reset();
        if (cost_.missing.empty()) cost_.missing = "cost." + std::string(key);
      } else if (sum) {
        *sum += count * as_double(price) / kMillionths;
      }
    }
    if (any) cost_.parts.push_back({name, sum});
  }

  MachineCost finish() {
    if (!cost_.missing.empty()) return cost_;
    cost_.total = 0;
    for (const CostPart& one : cost_.parts) *cost_.total += *one.cost;
    return cost_;
  }

 private:
  MachineCost cost_;
};

bool has_prices(const MachineSpec& machine) {
  return std::ranges::any_of(machine_keys(), [&](const MachineKey& key) {
    const auto* price = std::get_if<QuantityField>(&key.field);
    return price != nullptr && key.path.starts_with("cost.") && price->get(machine) != kNotGiven;
  });
}

}  // namespace

MachineCost machine_cost(const MachineSpec& machine) {
  const CostSpec& prices = machine.cost;
  if (!has_prices(machine)) return {.unit = prices.unit, .parts = {}, .total = {}, .missing = "cost"};
  const PeSpec& pe = machine.pe;
  const DieSpec& die = machine.die;
  const double dies = as_double(machine.system.packages.count() * machine.package.dies.count());
  const double pes = dies * as_double(die.routers.count());
  const double controllers = dies * as_double(controllers_of_die(die));
  const auto only_with = [&machine](std::string_view section, double count) {
    return has_section(machine, section) ? count : 0;
  };
  const Links none;
  const Links on = on_dies(machine, dies);
  const Links between = has_section(machine, "package.die_to_die") ? between_dies(machine) : none;
  const Links packages = has_section(machine, "system.package_link") ? between_packages(machine.system) : none;
  const Links hosts = has_section(machine, "system.host_link") ? to_hosts(machine.system) : none;

  Sum sum(prices);
  sum.part("pe", pes, prices.pe);
  std::vector<Sum::Counted> macs;
  std::vector<std::string> keys;
  for (const Dtype dtype : kOperandDtypes.values()) keys.push_back("mac." + std::string(name_of(dtype)));
  for (const Dtype dtype : kOperandDtypes.values()) {
    const double rate = as_double(pe.mac.rates.of(dtype)) / as_double(MacRates::kOne);
    macs.push_back(
        {keys[static_cast<std::size_t>(dtype)], pes * as_double(pe.mac.peak_macs()) * rate, prices.mac.of(dtype)});
  }
  sum.part("mac", macs);
  const VectorRates& rates = pe.vector.rates;
  const double fastest = as_double(std::max({VectorRates::kOne, rates.special, rates.reduce, rates.convert}));
  sum.part("lane", pes * as_double(pe.vector.lanes) * fastest / as_double(VectorRates::kOne), prices.lane);
  const double channels = as_double(die.router.virtual_channels);
  sum.part("buffer",
           (pes * buffers_of_pe(machine) + controllers * as_double(die.hbm.port_buffer) +
            only_with("die.sram", dies * as_double(die.sram.port_buffer)) +
            channels * (on.buffers + between.buffers + packages.buffers + hosts.buffers)) /
               kKibi,
           prices.buffer);
  sum.part("tcm", pes * as_double(pe.tcm.capacity) / kMebi, prices.tcm);
  sum.part("tcm_bandwidth",
           pes * (as_double(pe.tcm.read) + as_double(pe.tcm.write) + as_double(pe.fetch) + as_double(pe.store)) / kGiga,
           prices.tcm_bandwidth);
  sum.part("sram", only_with("die.sram", dies * as_double(die.sram.capacity) / kMebi), prices.sram);
  sum.part("sram_bandwidth", only_with("die.sram", dies * as_double(die.sram.bandwidth) / kGiga),
           prices.sram_bandwidth);
  sum.part("hbm", controllers * as_double(die.hbm.capacity) / kGibi, prices.hbm);
  sum.part("hbm_bandwidth", controllers * as_double(die.hbm.bandwidth) / kGiga, prices.hbm_bandwidth);
  sum.part("router_bandwidth", on.bandwidth / kGiga, prices.router_bandwidth);
  sum.part("die_to_die_bandwidth", between.bandwidth / kGiga, prices.die_to_die_bandwidth);
  sum.part("package_link_bandwidth", packages.bandwidth / kGiga, prices.package_link_bandwidth);
  sum.part("host_link_bandwidth", hosts.bandwidth / kGiga, prices.host_link_bandwidth);
  return sum.finish();
}

}  // namespace kernbench
