#include "benches/harness/results/limit.hpp"

#include <algorithm>

#include "benches/harness/results/cause_words.hpp"
#include "benches/harness/text/numbers.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

static_assert(std::ranges::equal(kCauses.all(), kCauseWords, {}, {}, &CauseWords::cause));

std::string metric_of(Cause cause) { return ledger_metric(kCauses[cause]); }

std::string shown(Bandwidth bandwidth) { return format_quantity(bandwidth.bytes_per_second, Dimension::kBandwidth); }
std::string shown(Picoseconds time) { return format_quantity(time.value, Dimension::kTime); }

Bandwidth read_path(const MachineSpec& machine) {
  return std::min({machine.die.hbm.bandwidth, machine.die.router.link, machine.pe.tcm.write});
}

/// Of one packet that nothing is in the way of, from its issue until its credits are back.
Picoseconds round_trip(const MachineSpec& machine) {
  const DieSpec& die = machine.die;
  const Picoseconds one_way =
      die.wire.delay(die.wire.pe_to_router_um) + die.router.hop + die.wire.delay(die.wire.hbm_to_router_um);
  const std::int64_t bursts = ceil_div(machine.simulation.packet / die.hbm.burst, die.hbm.pseudo_channels);
  const Bandwidth slower = std::min(die.router.link, machine.pe.tcm.write);
  return 2 * one_way + bursts * die.hbm.burst_time() + die.hbm.read_latency +
         slower.time_for(machine.simulation.packet);
}

std::string credits_cure(const MachineSpec& machine) {
  const std::int64_t credits = machine.pe.dma.outstanding_bursts;
  const Bytes burst = machine.die.hbm.burst;
  const Bandwidth rate = read_path(machine);
  return std::to_string(credits) + " x " + std::to_string(burst) + " B cover " + shown(rate.time_for(credits * burst)) +
         " of the " + shown(round_trip(machine)) + " round trip at " + shown(rate) +
         "; pe.dma.outstanding_bursts: " + std::to_string(credits_that_cover(machine)) + " would do";
}

}  // namespace

void add_ledger(Row& row, const Ledger::Closed& ledger) {
  Cause limit = Cause::kUntold;
  for (const Cause cause : kCauses.values()) {
    if (ledger.time.of(cause) > Picoseconds{}) row.metrics[metric_of(cause)] = ledger.time.of(cause).ns();
    if (ledger.path.of(cause) > ledger.path.of(limit)) limit = cause;
  }
  row.metrics["limited_by"] = kCauses[limit];
  row.metrics["limited_by_share"] =
      static_cast<double>(ledger.path.of(limit).value) / static_cast<double>(ledger.path.sum().value);
}

std::optional<CauseTime> limit_of(const Row& row) {
  if (!row.metrics.contains("limited_by")) return std::nullopt;
  const double share = row.metrics.at("limited_by_share").get<double>();
  return CauseTime{kCauses.parse(row.metrics.at("limited_by").get<std::string>()),
                   share * row.windows.at("pe_ns").get<double>(), share};
}

std::vector<CauseTime> ledger_of(const Row& row) {
  std::vector<CauseTime> causes;
  for (const Cause cause : kCauses.values()) {
    const auto metric = row.metrics.find(metric_of(cause));
    if (metric == row.metrics.end()) continue;
    const auto ns = metric->get<double>();
    causes.push_back({cause, ns, ns / row.windows.at("pe_ns").get<double>()});
  }
  std::ranges::stable_sort(causes, std::ranges::greater(), &CauseTime::ns);
  return causes;
}

std::string cause_name(Cause cause) { return cause_name(kCauses[cause]); }

std::int64_t credits_that_cover(const MachineSpec& machine) {
  const std::int64_t bytes =
      ceil_mul_div(round_trip(machine).value, read_path(machine).bytes_per_second, kPicosecondsPerSecond);
  return ceil_div(bytes, machine.die.hbm.burst);
}

std::string cure_of(Cause cause, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  switch (cause) {
    case Cause::kMac:
      return "it works: only more than " + grouped(pe.mac.peak_macs()) + " MACs a cycle, or a clock above " +
             format_quantity(pe.clock.hertz, Dimension::kFrequency) + ", would be faster";
    case Cause::kArrayFill:
      return "loads of weights, skew and padding: a tile with more rows and whole folds of the array; "
             "pe.mac.weight_buffers, now " +
             std::to_string(pe.mac.weight_buffers) + ", and pe.mac.operand_registers, now " +
             std::to_string(pe.mac.operand_registers) + "";
    case Cause::kEpilogue:
      return "more than the " + std::to_string(pe.vector.lanes) + " of pe.vector.lanes would be faster";
    case Cause::kHbm:
      return shown(machine.die.hbm.bandwidth) +
             ": fewer bytes (--map auto keeps blocks in TCM), or more of die.hbm.bandwidth";
    case Cause::kLinks:
      return shown(machine.die.router.link) + ": more of die.router.link_bandwidth, up to the " +
             shown(machine.die.hbm.bandwidth) + " of the HBM; or fewer bytes (--map auto)";
    case Cause::kTcmPort:
      return shown(pe.tcm.write) + ": more of pe.tcm.write_bandwidth, up to the " +
             shown(std::min(machine.die.hbm.bandwidth, machine.die.router.link)) +
             " that come; or fewer bytes (--map auto)";
    case Cause::kCredits:
      return credits_cure(machine);
    case Cause::kLatency:
      return "nothing was under way while it passed: operands asked for earlier (pe.stream_depth, now " +
             std::to_string(pe.stream_depth) + "; buffers of --map), or a larger problem";
    case Cause::kFetch:
      return shown(pe.fetch) + " into the array: more of pe.fetch_bandwidth, or a tile that uses an operand more often";
    case Cause::kReceive:
      return "messages that are sent earlier";
    case Cause::kDrain:
      return "more K in a result hides it; or pe.mac.accumulators, now " + std::to_string(pe.mac.accumulators) +
             ", pe.output_depth, now " + std::to_string(pe.output_depth) + ", pe.store_bandwidth, now " +
             shown(pe.store);
    case Cause::kControl:
      return "fewer and larger calls and tiles; pe.control_latency, now " + shown(pe.control) +
             ", pe.scheduler_latency, now " + shown(pe.scheduler);
    case Cause::kUntold:
      break;
  }
  return "";
}

}  // namespace kernbench
