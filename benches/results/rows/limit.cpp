#include "benches/results/rows/limit.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/epilogue.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/plan/probe/path_rates.hpp"
#include "sim/system/run.hpp"

namespace kernbench {
namespace {

static_assert(std::ranges::equal(kCauses.all(), kCauseWords, {}, {}, &CauseWords::cause));

Metric<double, std::string> metric_of(Cause cause) { return ledger_metric(kCauses[cause]); }

/// Over the PEs of a run: "ledger_hbm_mean_ns".
Metric<double, std::string> metric_of(Cause cause, const char* statistic) {
  return ledger_metric(std::string(kCauses[cause]) + "_" + statistic);
}

std::string shown(Bandwidth bandwidth) { return format_quantity(bandwidth.bytes_per_second, Dimension::kBandwidth); }
std::string shown(Picoseconds time) { return format_quantity(time.value, Dimension::kTime); }

std::string credits_cure(const MachineSpec& machine) {
  const std::int64_t credits = machine.pe.dma.outstanding_bursts;
  const Bytes burst = machine.die.hbm.burst;
  const MachineSpec alone = one_pe_of(machine);  // a large machine has a large network
  const CreditsNeeded needed = credits_needed(plan_network(alone), alone);
  return std::to_string(credits) + " x " + std::to_string(burst) + " B cover " +
         shown(needed.rate.time_for(credits * burst)) + " of the " + shown(needed.round_trip) + " round trip at " +
         shown(needed.rate) + "; pe.dma.outstanding_bursts: " + std::to_string(needed.bursts) + " would do";
}

/// Of the stage on its engine; 0 where the run has none.
double wall_of(const Row& row, const std::string& name) {
  const auto stage = std::ranges::find(row.stages, name, &StageRow::stage);
  return stage == row.stages.end() ? 0 : stage->wall_ns;
}

std::string array_cure(const Row& row, const PeSpec& pe) {
  const Dtype dtype = parse_dtype(row.point.value("dtype", "bf16"), "dtype");
  const std::int64_t macs = ceil_mul_div(pe.mac.peak_macs(), pe.mac.rates.of(dtype), MacRates::kOne);
  const bool fetch_too = wall_of(row, "fetch") > 0.95 * wall_of(row, "mac");
  return grouped(macs) + " MACs a cycle at " + format_quantity(pe.clock.hertz, Dimension::kFrequency) +
         (fetch_too ? ", and fetch from TCM is as busy: a larger array with more of pe.fetch_bandwidth, now " +
                          shown(pe.fetch)
                    : ": a larger array, or a higher clock");
}

/// What has a K to sum over and a mapping; operators and kernels of one's own have none that are known here.
bool is_gemm(const Row& row) { return row.point.contains("k"); }

std::string memory_cure(const Row& row, const MachineSpec& machine) {
  const Bandwidth memory = with_partition(machine).die.hbm.bandwidth;
  std::string keys = "more of die.hbm.bandwidth";
  if (machine.die.hbm.shared()) keys += " or die.hbm.controllers";
  if (machine.die.router.link <= memory) keys += " and die.router.link_bandwidth";
  if (machine.pe.tcm.write <= memory) keys += " and pe.tcm.write_bandwidth";
  const std::string fewer = is_gemm(row) ? "by blocks that are read less often (--map), " : "by a smaller dtype, ";
  return shown(memory) + ": fewer bytes, " + fewer + "or " + keys;
}

std::string none_here(const Row& row) {
  return std::string("none on this PE: ") +
         (row.metrics.has(kCollectiveTogether) ? "the collective at another time; " : "");
}

/// By the room behind them where that holds them up.
std::string links_cure(const MachineSpec& machine) {
  const MachineSpec alone = one_pe_of(machine);
  const PathRate own = path_rates(plan_network(alone), alone).front();
  const auto room = std::ranges::find(own.terms, "die.router.buffer", &PathTerm::key);
  if (room != own.terms.end())
    return formatted("%.6g GB/s", room->rate.gbs()) + " by the room of " + room->key + ", " + room->what;
  return shown(machine.die.router.link) + ": more of die.router.link_bandwidth, up to the " +
         shown(with_partition(machine).die.hbm.bandwidth) + " of the HBM; or fewer bytes";
}

/// By special functions, where they take more of the vector unit's time on an output tile than all else.
std::string epilogue_cure(const Row& row, const PeSpec& pe) {
  std::string lanes = "more than the " + std::to_string(pe.vector.lanes) + " of pe.vector.lanes would be faster";
  VectorWork work;
  for (const Epilogue& epilogue : parse_epilogues(row.point.value("epilogue", ""))) work += vector_work(epilogue.op);
  const std::int64_t elements = pe.mac.tile.m * pe.mac.tile.n;
  const Cycles special = vector_cycles(pe.vector, {.special = work.special}, elements);
  const Cycles all = vector_cycles(pe.vector, work, elements);
  if (2 * special <= all) return lanes;
  return "special functions take " + std::to_string(special) + " of the " + std::to_string(all) +
         " cycles of an output tile: more of pe.vector.rates.special, now " +
         format_quantity(pe.vector.rates.special, Dimension::kRatio) + "; " + lanes;
}

/// Results that are longer on their way to HBM than in the store unit wait there, behind what is read.
std::string drain_cure(const Row& row, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  if (wall_of(row, "dma_out") > 2 * wall_of(row, "store")) {
    return "written to HBM beside what is read from it: more of die.hbm.bandwidth, now " +
           shown(machine.die.hbm.bandwidth) + ", and of die.router.link_bandwidth, now " +
           shown(machine.die.router.link) + ", fewer bytes" + (is_gemm(row) ? ", or more K in a result" : "");
  }
  if (!is_gemm(row)) {
    return "the last results leave when nothing else is left to do: smaller pieces of the work, or more of "
           "die.hbm.bandwidth, now " +
           shown(machine.die.hbm.bandwidth);
  }
  return "more K in a result hides it; or pe.mac.accumulators, now " + std::to_string(pe.mac.accumulators) +
         ", pe.mac.operand_registers, now " + std::to_string(pe.mac.operand_registers) + ", pe.output_depth, now " +
         std::to_string(pe.output_depth) + ", pe.store_bandwidth, now " + shown(pe.store);
}

}  // namespace

void add_ledger(Row& row, const Ledger::Closed& ledger) {
  for (const Cause cause : kCauses.values()) {
    if (ledger.time.of(cause) > Picoseconds{}) row.metrics.set(metric_of(cause), ledger.time.of(cause).ns());
  }
  const Cause limit = ledger.limit();
  if (ledger.time.sum() == Picoseconds{}) return;  // of a program without a call
  row.metrics.set(kLimitedBy, kCauses[limit]);
  row.metrics.set(kLimitedByShare,
                  static_cast<double>((is_array(limit) ? ledger.time.of(limit) : ledger.worth(limit)).value) /
                      static_cast<double>(ledger.time.sum().value));
}

void add_ledgers(Row& row, const std::vector<PeReport>& pes) {
  const auto last = std::ranges::max_element(pes, {}, &PeReport::end);
  if (last == pes.end()) return;
  row.metrics.set(kCriticalPe, last->name);
  row.windows["pe_ns"] = last->end.ns();
  add_ledger(row, last->ledger);
  for (const Cause cause : kCauses.values()) {
    const auto time = [cause](const PeReport& pe) { return pe.ledger.time.of(cause); };
    const auto [least, most] = std::ranges::minmax_element(pes, {}, time);
    if (time(*most) == Picoseconds{}) continue;
    Picoseconds sum;
    for (const PeReport& pe : pes) sum += time(pe);
    row.metrics.set(metric_of(cause, "mean"), sum.ns() / static_cast<double>(pes.size()));
    row.metrics.set(metric_of(cause, "min"), time(*least).ns());
    row.metrics.set(metric_of(cause, "max"), time(*most).ns());
  }
}

std::vector<CauseSpread> ledger_spread_of(const Row& row) {
  std::vector<CauseSpread> causes;
  for (const Cause cause : kCauses.values()) {
    const auto ns = [&](const auto& metric) { return row.metrics.value_or(metric, 0); };
    const CauseSpread spread{cause, ns(metric_of(cause)), ns(metric_of(cause, "mean")), ns(metric_of(cause, "min")),
                             ns(metric_of(cause, "max"))};
    if (spread.max_ns > 0) causes.push_back(spread);
  }
  std::ranges::stable_sort(causes, std::ranges::greater(), &CauseSpread::mean_ns);
  return causes;
}

std::optional<CauseTime> limit_of(const Row& row) {
  if (!row.metrics.has(kLimitedByShare)) return std::nullopt;
  const double share = row.metrics.at(kLimitedByShare);
  return CauseTime{kCauses.parse(row.metrics.at(kLimitedBy)), share * row.windows.at("pe_ns").get<double>(), share};
}

std::optional<LimitWords> limit_words(const Row& row) {
  if (const std::optional<CauseTime> limit = limit_of(row)) return LimitWords{cause_name(limit->cause), limit->share};
  if (!row.metrics.has(kLimitedBy)) return std::nullopt;
  return LimitWords{row.metrics.at(kLimitedBy)};
}

std::vector<CauseTime> ledger_of(const Row& row) {
  std::vector<CauseTime> causes;
  for (const Cause cause : kCauses.values()) {
    const std::optional<double> ns = row.metrics.find(metric_of(cause));
    if (ns) causes.push_back({cause, *ns, *ns / row.windows.at("pe_ns").get<double>()});
  }
  std::ranges::stable_sort(causes, std::ranges::greater(), &CauseTime::ns);
  return causes;
}

std::vector<BusyUnit> busy_units(const Row& row, const MachineSpec& machine) {
  constexpr double kBusy = 0.95;
  if (!row.windows.contains("pe_ns") || row.metrics.has(kCriticalPe)) return {};
  const double window = row.windows.at("pe_ns").get<double>();
  std::vector<BusyUnit> busy;
  const auto add = [&](const std::string& name, double time) {
    if (time > kBusy * window) busy.push_back({name, time / window});
  };
  add(cause_name(Cause::kMac), wall_of(row, "mac"));
  add(cause_name(Cause::kFetch), wall_of(row, "fetch"));
  add(cause_name(Cause::kEpilogue), wall_of(row, "vector"));
  add("store unit", wall_of(row, "store"));
  if (row.metrics.has(kHbmBusy)) {
    const auto channels = static_cast<double>(hbm_channels(machine.die));
    add(cause_name(Cause::kHbm), row.metrics.at(kHbmBusy) / channels);
  }
  return busy.size() > 1 ? busy : std::vector<BusyUnit>{};
}

std::string limit_and_busy(const std::string& limit, const std::vector<BusyUnit>& busy) {
  std::vector<std::string> names{limit};
  for (const BusyUnit& unit : busy) {
    const bool same =
        unit.name == limit || (unit.name == cause_name(Cause::kMac) && limit == cause_name(Cause::kArrayFill));
    if (!same) names.push_back(unit.name);
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : joined(names, ", ") + " and " + last;
}

std::string cause_name(Cause cause) { return cause_name(kCauses[cause]); }

std::string cure_of(Cause cause, const Row& row, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  switch (cause) {
    case Cause::kMac:
      return array_cure(row, pe);
    case Cause::kArrayFill:
      return pe.mac.dataflow == Dataflow::kDotProduct
                 ? "padding: a tile that the problem fills (--map chooses one)"
                 : "loads of weights, skew and padding: a tile with more rows and whole folds of the array; "
                   "pe.mac.weight_buffers, now " +
                       std::to_string(pe.mac.weight_buffers) + ", and pe.mac.operand_registers, now " +
                       std::to_string(pe.mac.operand_registers);
    case Cause::kEpilogue:
      return epilogue_cure(row, pe);
    case Cause::kConvert:
      return "of B, tile by tile, by the vector unit: more of pe.vector.rates.convert, now " +
             format_quantity(pe.vector.rates.convert, Dimension::kRatio) + " of " + std::to_string(pe.vector.lanes) +
             " lanes; pe.mac.operand_registers, now " + std::to_string(pe.mac.operand_registers) +
             ", that hide it; tiles with more rows of A, which convert B less often; or B in the dtype of A";
    case Cause::kHbm:
      return memory_cure(row, machine);
    case Cause::kLinks:
      return links_cure(machine);
    case Cause::kTcmPort:
      return shown(pe.tcm.write) + ": more of pe.tcm.write_bandwidth, up to the " +
             shown(std::min(machine.die.hbm.bandwidth, machine.die.router.link)) + " that come; or fewer bytes";
    case Cause::kSetup:
      return shown(pe.dma.setup) +
             " for each transfer: less of pe.dma.setup_latency, or larger tiles and blocks, of which a "
             "transfer is one";
    case Cause::kCredits:
      return credits_cure(machine);
    case Cause::kLatency:
      return "nothing was under way while it passed: operands asked for earlier (pe.stream_depth, now " +
             std::to_string(pe.stream_depth) + (is_gemm(row) ? "; buffers of --map" : "") + "), or a larger problem";
    case Cause::kFetch:
      return shown(pe.fetch) + " into the array: more of pe.fetch_bandwidth, or a tile that uses an operand more often";
    case Cause::kReceive:
      return none_here(row) + "messages that are sent earlier, and received earlier (pe.message_queue.slots, now " +
             std::to_string(pe.message_queue.slots) + ")";
    case Cause::kBarrier:
      return "none on this PE: the last PE to come has to be earlier; work that is shared more evenly";
    case Cause::kContention:
      return none_here(row) +
             "operands in its own partition, or in more memories than one (--place); more of die.hbm.bandwidth, now " +
             shown(machine.die.hbm.bandwidth) + ", and die.router.link_bandwidth, now " +
             shown(machine.die.router.link) + ", lets others be through sooner";
    case Cause::kDrain:
      return drain_cure(row, machine);
    case Cause::kControl:
      return "fewer and larger calls and tiles; pe.control_latency, now " + shown(pe.control) +
             ", pe.scheduler_latency, now " + shown(pe.scheduler);
    case Cause::kUntold:
      break;
  }
  return "";
}

}  // namespace kernbench
