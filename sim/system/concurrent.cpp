#include "sim/system/concurrent.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <utility>

#include "sim/base/capacity_error.hpp"
#include "sim/machine/tcm_paths.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/system/collective/rail_launches.hpp"

namespace kernbench {

namespace {

/// Of one PE: its DMA engines move bytes at the rate of their path, the others work as long as their records say.
std::vector<UnitWork> units_of(System& system, std::int32_t pe, const PeReport& report, Picoseconds end) {
  const MachineSpec& machine = system.machine();
  std::vector<UnitWork> units = {{"DMA reader", into_tcm(machine).time_for(report.read)},
                                 {"DMA writer", out_of_tcm(machine).time_for(report.sent + report.written)},
                                 {"vector unit", report.vector},
                                 {"MAC array", report.array}};
  if (const auto busy = system.hbm_busy_ns(pe, end)) {  // a foreign memory does not say
    units.push_back({"HBM channels", Picoseconds{std::llround(*busy * 1000) / hbm_channels(machine.die)}});
  }
  return units;
}

}  // namespace

Bytes tcm_beside(const MachineSpec& machine, const CollectiveRails& rails) {
  const bool in_tcm = machine.pe.message_queue.tier == MemoryTier::kTcm;
  const Bytes slots = in_tcm ? message_slots(*rails.front(), machine) : 0;
  if (slots < machine.pe.tcm.capacity) return machine.pe.tcm.capacity - slots;
  throw CapacityError("pe.message_queue: the collective's slots, " + std::to_string(slots) +
                      " bytes, leave nothing of pe.tcm.capacity; take fewer or smaller slots, or another algorithm");
}

ConcurrentResult run_concurrent(const MachineSpec& machine, const ConcurrentRequest& request,
                                const CollectiveRails& rails, ConcurrentRun which, const RunSettings& settings) {
  System system(machine,
                {.sink = settings.sink, .values = settings.verify, .ledger = which != ConcurrentRun::kCollective});
  std::unique_ptr<MultiPeGemmLaunch> gemm;
  std::unique_ptr<RailLaunches> collective;
  std::vector<Launch*> launches;
  if (which != ConcurrentRun::kCollective) {
    gemm = std::make_unique<MultiPeGemmLaunch>(system, request.gemm);
    launches.push_back(gemm.get());
  }
  if (which != ConcurrentRun::kGemm) {
    const CollectiveValues values = settings.verify ? CollectiveValues::kIntegers : CollectiveValues::kNone;
    const RailLaunches::Settings how{.values = values, .reserved = request.gemm_tcm};
    collective = std::make_unique<RailLaunches>(rails, how);
    std::ranges::copy(collective->launches(), std::back_inserter(launches));
  }
  run_launches(system, launches, settings.limit);
  ConcurrentResult result;
  if (gemm) {
    if (settings.verify) gemm->check(system);
    result.gemm = gemm->end();
    result.gemm_pes = reports_of(system, *gemm);
  }
  if (collective) {
    static_cast<void>(collective->check());
    result.collective = collective->end();
    result.in_hbm = collective->in_hbm();
  }
  const std::vector<std::int32_t>& pes = request.gemm.pes;
  const std::vector<PeReport> reports = gemm ? result.gemm_pes : reports_of(system, pes);
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    const auto units = units_of(system, pes[rank], reports[rank], std::max(result.gemm, result.collective));
    if (result.units.empty()) result.units = units;
    for (std::size_t i = 0; i < units.size(); ++i) result.units[i].work = std::max(result.units[i].work, units[i].work);
  }
  result.links = network_links(system);
  result.engine.wakeups = system.calendar().wakeups();
  return result;
}

}  // namespace kernbench
