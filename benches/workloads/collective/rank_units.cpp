#include "benches/workloads/collective/rank_units.hpp"

#include <algorithm>
#include <utility>

#include "benches/workloads/collective/collective_case.hpp"
#include "sim/base/checked.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/machine/tcm_paths.hpp"
#include "sim/plan/collective/rails.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/system/collective/collective_launch.hpp"

namespace kernbench {
namespace {

/// Whether buffers lie in HBM, of the rail with least: then all do. Of what would take long to tell it is not said.
bool buffers_in_hbm(const CollectiveAlgorithm& algorithm, CollectiveRequest rail, const MachineSpec& machine) {
  rail.chunk = 0;  // queues are the same
  const std::int64_t elements = saturating_multiply(algorithm.buffers(rail.collective), rail.count);
  const auto beside = [&](std::int64_t queues) {
    return leaves_tcm(elements, message_slots(queues, machine), machine);
  };
  if (rail.count == 0) return false;
  if (beside(1)) return true;  // somebody has a queue
  const ScheduleSize size = algorithm.schedule_size(rail);
  if (size.steps(0) > kLongSchedule || !beside(static_cast<std::int64_t>(size.channels))) return false;
  return leaves_tcm(elements, message_slots(algorithm.generate(rail), machine), machine);
}

/// The ranks of each die that has some; of ranks of several dies, each alone.
std::vector<std::vector<std::int32_t>> ranks_of_dies(const MachinePart& part) {
  std::vector<std::vector<std::int32_t>> dies;
  std::int64_t last = -1;
  for (std::int32_t rank = 0; rank < part.grid.size(); ++rank) {
    const std::int64_t die = std::int64_t{rank} * part.pes_of_rank / pes_of_die(part.machine);
    if (die != last) dies.emplace_back();
    dies.back().push_back(rank);
    last = die;
  }
  return dies;
}

Bandwidth together(Bandwidth one, std::int64_t count) { return {saturating_multiply(count, one.bytes_per_second)}; }

/// Of a rank's PEs. `hbm`: 1 where buffers lie there, else 0.
std::vector<RankUnits> ports(const MachinePart& part, std::int64_t hbm) {
  return {{.name = "injection",
           .bandwidth = together(out_of_tcm(part.machine), part.pes_of_rank),
           .gives = {.sent = 1, .taken = hbm, .copied = hbm}},
          {.name = "ejection",
           .bandwidth = together(into_tcm(part.machine), part.pes_of_rank),
           .gives = {.sent = hbm, .taken = 1, .added = hbm, .copied = hbm}}};
}

/// What messages and buffers make of a machine.
class Units {
 public:
  Units(const CollectiveAlgorithm& algorithm, const CollectiveRequest& request, const MachinePart& part)
      : part_(part),
        machine_(part.machine),
        hbm_(buffers_in_hbm(algorithm, rail_request(request, {part.pes_of_rank - 1, part.pes_of_rank}), machine_) ? 1
                                                                                                                  : 0),
        dies_of_rank_(std::max<std::int64_t>(1, part.pes_of_rank / pes_of_die(machine_))) {}

  [[nodiscard]] std::vector<RankUnits> all() {
    units_ = ports(part_, hbm_);
    const PeSpec& pe = machine_.pe;
    if (pe.message_queue.consumer == SlotConsumer::kVectorUnit) {
      const std::int64_t elements = saturating_multiply(pe.vector.lanes, pe.clock.hertz);
      units_.push_back({.name = "vector",
                        .bandwidth = together({saturating_multiply(kElementBytes, elements)}, part_.pes_of_rank),
                        .gives = {.taken = 1, .copied = 1}});
    }
    const std::int64_t slots = pe.message_queue.tier == MemoryTier::kHbm ? 1 : 0;
    if (hbm_ + slots > 0) of_hbm(slots);
    if (pe.message_queue.tier == MemoryTier::kSram) {
      of_dies("sram", machine_.die.sram.bandwidth, dies_of_rank_, {.taken = 2});
      of_dies("sram_link", machine_.die.router.link, dies_of_rank_, {.taken = 1});
    }
    return std::move(units_);
  }

 private:
  void of_dies(const char* name, Bandwidth of_one, std::int64_t count, const RankWork& gives) {
    units_.push_back(
        {.name = name, .bandwidth = together(of_one, count), .gives = gives, .ranks = ranks_of_dies(part_)});
  }

  void of_hbm(std::int64_t slots) {
    const HbmSpec& hbm = machine_.die.hbm;
    const std::int64_t count = hbm.shared() ? dies_of_rank_ * controllers_of_die(machine_.die) : part_.pes_of_rank;
    const RankWork read{.sent = hbm_, .taken = slots, .added = hbm_, .copied = hbm_};
    const RankWork written{.taken = hbm_ + slots, .copied = hbm_};
    std::vector<std::vector<std::int32_t>> ranks;
    if (hbm.shared()) ranks = ranks_of_dies(part_);
    if (hbm.follows_keys()) {
      units_.push_back({.name = "hbm",
                        .bandwidth = together(hbm.bandwidth, count),
                        .gives = read,
                        .takes = written,
                        .held = saturating_multiply(count, queued_writes(machine_)),
                        .ranks = ranks});
    }
    for (const RankWork& way : {read, written}) {
      units_.push_back(
          {.name = "hbm_links", .bandwidth = together(machine_.die.router.link, count), .gives = way, .ranks = ranks});
    }
  }

  const MachinePart& part_;
  const MachineSpec& machine_;
  std::int64_t hbm_;  ///< 1 where buffers lie there, else 0
  std::int64_t dies_of_rank_;
  std::vector<RankUnits> units_;
};

}  // namespace

std::vector<RankUnits> rank_ports(const MachinePart& part) { return ports(part, 0); }

std::vector<RankUnits> rank_units(const CollectiveAlgorithm& algorithm, const CollectiveRequest& request,
                                  const MachinePart& part) {
  return Units(algorithm, request, part).all();
}

std::vector<std::string_view> keys_of_bound(std::string_view resource) {
  static constexpr std::string_view kLink = "die.router.link_bandwidth";
  if (resource == "injection") return {kLink, "pe.tcm.read_bandwidth"};
  if (resource == "ejection") return {kLink, "pe.tcm.write_bandwidth"};
  if (resource == "vector") return {"pe.vector.lanes"};
  if (resource == "hbm") return {"die.hbm.bandwidth"};
  if (resource == "sram") return {"die.sram.bandwidth"};
  if (resource == "hbm_links" || resource == "sram_link") return {kLink};
  if (resource.find("die") != std::string_view::npos) return {"package.die_to_die.bandwidth"};
  if (resource.find("package") != std::string_view::npos) return {"system.package_link.bandwidth"};
  return {};
}

}  // namespace kernbench
