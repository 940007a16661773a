#include "benches/results/rows/cause_words.hpp"

#include <algorithm>
#include <optional>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/palette.hpp"
#include "sim/base/quantity.hpp"
#include "sim/plan/epilogue.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/plan/probe/path_rates.hpp"
#include "sim/system/run.hpp"

namespace kernbench {
namespace {

std::string shown(Bandwidth bandwidth) { return format_quantity(bandwidth.bytes_per_second, Dimension::kBandwidth); }
std::string shown(Picoseconds time) { return format_quantity(time.value, Dimension::kTime); }

std::string credits_cure(const Row& /*row*/, const MachineSpec& machine) {
  const std::int64_t credits = machine.pe.dma.outstanding_bursts;
  const Bytes burst = machine.die.hbm.burst;
  const MachineSpec alone = one_pe_of(machine);  // a large machine has a large network
  const CreditsNeeded needed = credits_needed(plan_network(alone), alone);
  return std::to_string(credits) + " x " + std::to_string(burst) + " B cover " +
         shown(needed.rate.time_for(credits * burst)) + " of the " + shown(needed.round_trip) + " round trip at " +
         shown(needed.rate) + "; pe.dma.outstanding_bursts: " + std::to_string(needed.bursts) + " would do";
}

std::string array_cure(const Row& row, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
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
  const Bandwidth memory = hbm_bandwidth(machine.die);
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
std::string links_cure(const Row& /*row*/, const MachineSpec& machine) {
  const MachineSpec alone = one_pe_of(machine);
  const PathRate own = path_rates(plan_network(alone), alone).front();
  const auto room = std::ranges::find(own.terms, "die.router.buffer", &PathTerm::key);
  if (room != own.terms.end())
    return formatted("%.6g GB/s", room->rate.gbs()) + " by the room of " + room->key + ", " + room->what;
  return shown(machine.die.router.link) + ": more of die.router.link_bandwidth, up to the " +
         shown(hbm_bandwidth(machine.die)) + " of the HBM; or fewer bytes";
}

std::vector<Epilogue> epilogues_of(const Row& row) {
  const std::string text = row.point.value("epilogue", "none");
  return text == "none" ? std::vector<Epilogue>{} : parse_epilogues(text);
}

/// By special functions, where they take more of the vector unit's time on an output tile than all else.
std::string epilogue_cure(const Row& row, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  std::string lanes = "more than the " + std::to_string(pe.vector.lanes) + " of pe.vector.lanes would be faster";
  VectorWork work;
  for (const Epilogue& epilogue : epilogues_of(row)) work += vector_work(epilogue.op);
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

std::string fill_cure(const Row& /*row*/, const MachineSpec& machine) {
  const MacArraySpec& mac = machine.pe.mac;
  if (mac.dataflow == Dataflow::kDotProduct) return "padding: a tile that the problem fills (--map chooses one)";
  return "loads of weights, skew and padding: a tile with more rows and whole folds of the array; "
         "pe.mac.weight_buffers, now " +
         std::to_string(mac.weight_buffers) + ", and pe.mac.operand_registers, now " +
         std::to_string(mac.operand_registers);
}

std::string convert_cure(const Row& /*row*/, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  return "of B, tile by tile, by the vector unit: more of pe.vector.rates.convert, now " +
         format_quantity(pe.vector.rates.convert, Dimension::kRatio) + " of " + std::to_string(pe.vector.lanes) +
         " lanes; pe.mac.operand_registers, now " + std::to_string(pe.mac.operand_registers) +
         ", that hide it; tiles with more rows of A, which convert B less often; or B in the dtype of A";
}

std::string port_cure(const Row& /*row*/, const MachineSpec& machine) {
  return shown(machine.pe.tcm.write) + ": more of pe.tcm.write_bandwidth, up to the " +
         shown(std::min(hbm_bandwidth(machine.die), machine.die.router.link)) + " that come; or fewer bytes";
}

std::string setup_cure(const Row& /*row*/, const MachineSpec& machine) {
  return shown(machine.pe.dma.setup) +
         " for each transfer: less of pe.dma.setup_latency, or larger tiles and blocks, of which a transfer is one";
}

std::string latency_cure(const Row& row, const MachineSpec& machine) {
  return "nothing was under way while it passed: operands asked for earlier (pe.stream_depth, now " +
         std::to_string(machine.pe.stream_depth) + (is_gemm(row) ? "; buffers of --map" : "") +
         "), or a larger problem";
}

std::string fetch_cure(const Row& /*row*/, const MachineSpec& machine) {
  return shown(machine.pe.fetch) +
         " into the array: more of pe.fetch_bandwidth, or a tile that uses an operand more often";
}

std::string receive_cure(const Row& row, const MachineSpec& machine) {
  return none_here(row) + "messages that are sent earlier, and received earlier; what holds them up is not told: " +
         "die.router.link_bandwidth, now " + shown(machine.die.router.link) + ", pe.message_queue.slots, now " +
         std::to_string(machine.pe.message_queue.slots) + ", or what they wait for at their sender";
}

std::string barrier_cure(const Row& /*row*/, const MachineSpec& /*machine*/) {
  return "none on this PE: the last PE to come has to be earlier; work that is shared more evenly";
}

std::string contention_cure(const Row& row, const MachineSpec& machine) {
  const bool loads_once = row.point.value("variant", "").starts_with("grid_");
  const char* const fewer = loads_once ? ""
                            : machine.die.hbm.shared()
                                ? "fewer bytes that all PEs ask for (--variant all has ways that load each once); "
                                : "operands in its own partition, or in more memories than one (--place); ";
  return none_here(row) + fewer + "more of die.hbm.bandwidth, now " + shown(machine.die.hbm.bandwidth) +
         ", and die.router.link_bandwidth, now " + shown(machine.die.router.link) + ", lets others be through sooner";
}

std::string control_cure(const Row& /*row*/, const MachineSpec& machine) {
  return "fewer and larger calls and tiles; pe.control_latency, now " + shown(machine.pe.control) +
         ", pe.scheduler_latency, now " + shown(machine.pe.scheduler);
}

std::string none_cure(const Row& /*row*/, const MachineSpec& /*machine*/) { return ""; }

/// The array is green, the memory blue.
constexpr auto kWords = std::to_array<CauseWords>({
    {.cause = Cause::kMac,
     .name = "MAC array",
     .colour = palette::kGreen,
     .column = "Of the PE window, in which the MAC array works on what the problem needs. These columns add up to the "
               "window.",
     .cure = array_cure,
     .keys = {"pe.mac.macs_per_cycle", "pe.mac.rows", "pe.mac.columns", "pe.mac.depth", "pe.clock",
              "pe.fetch_bandwidth"},
     .paths = {KeyPath::kArray, KeyPath::kAll}},
    {.cause = Cause::kArrayFill,
     .name = "fill of the MAC array",
     .colour = palette::kPaleGreen,
     .column = "In which the array works on padding, or waits for weights to be loaded and for skew.",
     .cure = fill_cure,
     .keys = {"pe.mac.weight_buffers", "pe.mac.operand_registers"},
     .paths = {KeyPath::kArray, KeyPath::kAll}},
    {.cause = Cause::kEpilogue,
     .name = "vector unit",
     .colour = palette::kYellow,
     .column = "In which the array waits for the vector unit.",
     .cure = epilogue_cure,
     .keys = {"pe.vector.lanes", "pe.vector.rates.special"},
     .paths = {KeyPath::kResults}},
    {.cause = Cause::kConvert,
     .name = "conversion of operands",
     .colour = palette::kPaleYellow,
     .column = "In which the array waits for the vector unit to convert an operand to its dtype.",
     .cure = convert_cure,
     .keys = {"pe.vector.rates.convert", "pe.vector.lanes", "pe.mac.operand_registers"},
     .paths = {KeyPath::kConversion, KeyPath::kAll}},
    {.cause = Cause::kHbm,
     .name = "HBM bandwidth",
     .colour = palette::kBlue,
     .column = "In which it waits for operands because the channels of the HBM are busy.",
     .cure = memory_cure,
     .keys = {"die.hbm.bandwidth", "die.router.link_bandwidth", "pe.tcm.write_bandwidth"},
     .paths = {KeyPath::kOperands, KeyPath::kAll}},
    {.cause = Cause::kLinks,
     .name = "links from HBM",
     .colour = palette::kSkyBlue,
     .column = "In which it waits for operands because links on their way are busy.",
     .cure = links_cure,
     .keys = {"die.router.link_bandwidth", "die.router.buffer"},
     .paths = {KeyPath::kOperands, KeyPath::kAll}},
    {.cause = Cause::kTcmPort,
     .name = "TCM write port",
     .colour = palette::kPaleBlue,
     .column = "In which it waits for operands because the port by which they enter TCM is busy.",
     .cure = port_cure,
     .keys = {"pe.tcm.write_bandwidth"},
     .paths = {KeyPath::kOperands, KeyPath::kAll}},
    {.cause = Cause::kSetup,
     .name = "DMA set-up",
     .colour = palette::kPaleVermillion,
     .column = "In which it waits for operands whose transfer the DMA engine is setting up.",
     .cure = setup_cure,
     .keys = {"pe.dma.setup_latency"},
     .paths = {KeyPath::kRequests}},
    {.cause = Cause::kCredits,
     .name = "DMA credits",
     .colour = palette::kPaleOrange,
     .column = "In which it waits for operands that the DMA engine may not ask for yet: too many bursts are under way.",
     .cure = credits_cure,
     .keys = {"pe.dma.outstanding_bursts"},
     .paths = {KeyPath::kOperands, KeyPath::kRequests, KeyPath::kAll}},
    {.cause = Cause::kLatency,
     .name = "latency of reads",
     .colour = palette::kOrange,
     .column = "In which it waits for operands that are on their way, with nothing busy that would hold them up.",
     .cure = latency_cure,
     .keys = {"pe.stream_depth"},
     .paths = {KeyPath::kOperands, KeyPath::kRequests}},
    {.cause = Cause::kFetch,
     .name = "fetch from TCM",
     .colour = palette::kVermillion,
     .column = "In which it waits for the way of operands from TCM into the array.",
     .cure = fetch_cure,
     .keys = {"pe.fetch_bandwidth"},
     .paths = {KeyPath::kArray, KeyPath::kAll}},
    {.cause = Cause::kReceive,
     .name = "messages",
     .colour = palette::kPalePurple,
     .column = "In which the kernel waits for a message, or for a slot for one.",
     .cure = receive_cure,
     .keys = {"pe.message_queue.slots"},
     .paths = {KeyPath::kMessages}},
    {.cause = Cause::kBarrier,
     .name = "barriers",
     .colour = palette::kPaleGrey,
     .column = "In which the kernel waits at a barrier for the last PE to come.",
     .cure = barrier_cure},
    {.cause = Cause::kContention,
     .name = "contention with others",
     .colour = palette::kDeepPurple,
     .column = "In which its packets wait for those of other PEs, or of another launch of its own, at what they share: "
               "links, channels of an HBM, the port of a TCM.",
     .cure = contention_cure,
     .keys = {"die.hbm.bandwidth", "die.router.link_bandwidth"},
     .paths = {KeyPath::kMessages}},
    {.cause = Cause::kDrain,
     .name = "results on their way out",
     .colour = palette::kPurple,
     .column = "In which results leave the array, TCM and the PE and nothing else is left to do, or their places are "
               "not free yet.",
     .cure = drain_cure,
     .keys = {"pe.mac.accumulators", "pe.mac.operand_registers", "pe.output_depth", "pe.store_bandwidth",
              "die.hbm.bandwidth", "die.router.link_bandwidth"},
     .paths = {KeyPath::kResults}},
    {.cause = Cause::kControl,
     .name = "control",
     .colour = palette::kGrey,
     .column = "In which the control processor and the scheduler start the work.",
     .cure = control_cure,
     .keys = {"pe.control_latency", "pe.scheduler_latency"},
     .paths = {KeyPath::kRequests}},
    {.cause = Cause::kUntold,
     .name = "untold",
     .colour = palette::kInk,
     .column = "A wait of which no cause is known: none where a PE reads its own memory.",
     .cure = none_cure},
});
static_assert(std::ranges::equal(kWords, kCauses.values(), {}, &CauseWords::cause) &&
                  std::ranges::all_of(kWords,
                                      [](const CauseWords& words) {
                                        return !words.name.empty() && words.colour != nullptr &&
                                               !words.column.empty() && words.cure != nullptr;
                                      }),
              "every cause has all of its words, in the order of the enumeration");

}  // namespace

std::span<const CauseWords> cause_words() { return kWords; }

const CauseWords& words_of(Cause cause) { return kWords.at(static_cast<std::size_t>(cause)); }

std::string cause_name(Cause cause) { return std::string(words_of(cause).name); }

std::string cause_name(std::string_view cause) {
  const std::optional<Cause> known = kCauses.find(cause);
  return known ? cause_name(*known) : std::string(cause);
}

Metric<double, std::string> ledger_metric(Cause cause, std::string_view statistic) {
  std::string name = "ledger_" + std::string(kCauses[cause]);
  if (!statistic.empty()) name.append("_").append(statistic);
  return {name + "_ns"};
}

}  // namespace kernbench
