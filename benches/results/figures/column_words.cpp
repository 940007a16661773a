#include "benches/results/figures/column_words.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "benches/results/rows/cause_words.hpp"

namespace kernbench {
namespace {

constexpr std::string_view kPhase = "When this phase of the schedule ends, from the start of the kernel.";

constexpr std::array kWords = std::to_array<ColumnWords>({
    // What every bench has.
    {"status", "status", "", "ok; failed; or skipped, since the machine cannot run the point: the reason says why."},
    {"reason", "reason", "", "Why a row failed or was skipped."},
    {"flags", "flags", "",
     "What a reader should know. under_tile: M, K or N is smaller than the tile's, and the array pads. verified: "
     "values "
     "were carried through the run and compared. parts_of_rows: a row does not fit in TCM and is read in parts, "
     "twice where y is made. no_sm_work: what SMs of a GPU take for it is not known, so the time is a least one."},
    {"time_ns", "time", "ns",
     "How long the simulated run takes: of a GEMM the PE window, of a collective from the start of the kernel to the "
     "end "
     "of the last rank; of traffic the mean latency of its messages."},
    {"bound:time_ns", "bound", "ns",
     "The least time that the machine's bandwidths and rates allow, in closed form: no latency that could be hidden, "
     "no "
     "waiting. No run is faster."},
    {"above", "above the bound", "%",
     "time ÷ bound − 1: latencies that nothing hides, filling and draining of the pipeline, and waiting. Large where a "
     "run is so short that latencies are most of it."},
    // Predictions beside measurements.
    {"measured_ns", "measured", "ns", "What the same took on the GPU, or another chip."},
    {"error", "error", "%",
     "predicted ÷ measured − 1: above zero, predicted to take longer than it did. Of many-core-predicted that of "
     "useful "
     "efficiency: above zero, predicted to be busier than it was."},
    {"state", "state", "",
     "Of the clock: a burst, before the governor acts, or steady, the same work again and again."},
    {"alone_ns", "alone", "ns", "What the product takes where no collective is beside it."},
    {"slowdown", "times as long", "", "Time beside the collective ÷ time alone, predicted."},
    {"measured_slowdown", "measured", "", "Time beside the collective ÷ time alone, measured."},
    {"untouched_ns", "untouched", "ns",
     "The step if nothing slowed anything: products and passes alone one after the other, then the last all_reduce."},
    {"clock_mhz", "clock", "MHz", "Of the SMs where a product has the GPU alone."},
    {"power_w", "power", "W",
     "What a GPU draws: the mean over the run, or of a product that it does again and again at this clock."},
    {"comm_channels", "channels in use", "", "Of NCCL's, of those asked for."},
    {"comm_sms", "SMs of them", "", "That a GPU's channels take."},
    {"traced_ns", "traced step", "ns",
     "A step of the simulated trace, from its first kernel to its last, gaps included: done once, at the clock of a "
     "burst."},
    {"measured_traced_ns", "measured", "ns", "The traced step, as the analysis of the measured trace has it."},
    {"computation_ns", "computation", "ns", "Of the traced step: a product or a pass runs."},
    {"measured_computation_ns", "measured", "ns", "Computation, as the analysis of the measured trace has it."},
    {"exposed_comm_ns", "exposed", "ns", "Of the step: an all_reduce runs and no other kernel does."},
    {"measured_exposed_comm_ns", "measured", "ns",
     "Exposed all_reduces, as the analysis of the measured trace has it."},
    {"idle_ns", "idle", "ns", "Of the traced step: no kernel runs."},
    {"measured_idle_ns", "measured", "ns", "Idle, as the analysis of the measured trace has it."},
    {"comm_ns", "all_reduces", "ns", "Their durations together, waits for other ranks included."},
    {"measured_comm_ns", "measured", "ns", "All_reduces, as the analysis of the measured trace has it."},
    {"comm_latency_ns", "all ranks there", "ns", "Their durations together from when all ranks have begun them."},
    {"measured_comm_latency_ns", "measured", "ns",
     "All_reduces from when all ranks have begun them, as the analysis of the measured trace has it."},
    {"comm_overlapped", "overlapped", "%", "Of the time in which an all_reduce runs: another kernel runs, too."},
    {"measured_comm_overlapped", "measured", "%",
     "The overlapped share, as the analysis of the measured trace has it."},
    {"gemm_ns", "GEMMs", "ns", "Durations of the GEMMs of a step together."},
    {"measured_gemm_ns", "measured", "ns", "GEMMs, as the analysis of the measured trace has it."},
    {"gemm_slowdown", "times alone", "", "The same ÷ what they take with no all_reduce beside them."},
    {"gemm_alone_ns", "GEMM alone", "ns", "What the GEMM takes with no collective beside it."},
    {"collective_alone_ns", "collective alone", "ns", "What the collective takes with no GEMM beside it."},
    {"collective_slowdown", "collective, times alone", "", "Its time beside the GEMM ÷ its time alone."},
    {"measured_gemm_slowdown", "measured", "", "GEMMs ÷ the same alone, as the analysis of the measured trace has it."},
    {"mean", "mean", "%", "Mean of the errors' sizes."},
    {"median", "median", "%", "Half of the errors are smaller."},
    {"p90", "90 %", "%", "Nine of ten errors are smaller."},
    {"bias", "bias", "%", "Geometric mean of predicted ÷ measured, less 1."},
    {"worst", "worst", "", "The rows that are furthest off."},
    {"right", "in the measured order", "%",
     "Of pairs of formats, the share of which the faster one is the faster one."},
    // What-if.
    {"times_faster", "times as fast", "", "Time of the machine as it is ÷ time of this one."},
    {"added_cost", "adds to the cost", "",
     "In the machine file's unit, to the cost of the machine with the stairs before."},
    // Products on a GPU.
    {"l2", "L2", "", "Of a GPU: warm, its L2 has the operands of the same product before; flushed, nothing of them."},
    {"sm_clock_mhz", "clock", "MHz", "Of the GPU's SMs."},
    {"peak_fraction", "of peak", "%", "Rate ÷ nominal rate of all SMs at their highest clock."},
    {"kernel", "kernel", "",
     "Which the GPU's library launches: columns and rows of C of a CTA, its cluster, parts of K (docs/gpu-model.md)."},
    // GEMM.
    {"m", "M", "", "Rows of A and of C in C (M×N) = A (M×K) × B (K×N)."},
    {"k", "K", "", "Columns of A, rows of B: what is summed over."},
    {"n", "N", "", "Columns of B and of C."},
    {"variant", "variant", "",
     "How the operands reach the PE. ref_ref streams A and B from HBM tile by tile; load_ref loads all of A into TCM "
     "first and streams B; load_load loads both first; blocked is the mapping that is chosen for the shape "
     "(docs/mappings.md)."},
    {"mapping", "mapping", "",
     "How a blocked run is laid over array and TCM: the tile, the block of a step, the order of the loops over blocks, "
     "buffers, what is "
     "streamed, and the format and place of sums."},
    {"bound:bottleneck", "bound by", "",
     "The resource that sets the bound. hbm: the memory; dma_in, dma_out: the DMA engines and their link; fetch, "
     "store: "
     "the ways between TCM and array; mac: the MAC array. Several that are equal are joined by +."},
    {"mac_util", "MAC utilisation", "%", "Time in which the MAC array works ÷ PE window; padding counts as work."},
    {"useful_eff", "useful efficiency", "%",
     "MACs that the problem needs ÷ what the array could do in the PE window; padding does not count."},
    {"measured_useful_eff", "measured useful efficiency", "%",
     "The published share of cycles in which the MACs that the problem needs would be done."},
    {"bound:mac_util", "MAC utilisation of the bound", "%", "The same if the run took exactly its bound."},
    {"bound:useful_eff", "useful efficiency of the bound", "%", "The same if the run took exactly its bound."},
    {"mac_util_composite", "MAC utilisation, composite", "%",
     "Over the composite window: without the loads before the composite."},
    {"useful_eff_composite", "useful efficiency, composite", "%",
     "Over the composite window: without the loads before the composite."},
    {"tflops", "rate", "TFLOPS", "2 × useful MACs ÷ PE window, of a GPU ÷ time, in 10¹² FLOP/s."},
    {"tiles", "tiles", "", "How many blocks of tile M × K × N the work is cut into."},
    {"tile_m", "tile M", "", "Rows of a tile of A, the block that the MAC array takes at a time."},
    {"tile_k", "tile K", "", "Depth of a tile."},
    {"tile_n", "tile N", "", "Columns of a tile of B."},
    {"useful_macs", "useful MACs", "", "Multiply-accumulates that the problem needs: M·K·N."},
    {"limited_by", "limited by", "",
     "What limits the run: the cause without which it could be the most faster. The columns \"time: ...\" say what "
     "each "
     "cause is."},
    {"limited_by_share", "share of the limit", "%",
     "Of the array, for how much of the PE window it works; of a wait, how much of it a run without the cause could "
     "save "
     "at most."},
    {"hbm_read_bytes", "read from HBM", "B", "Operand bytes that crossed the interface of the HBM."},
    {"hbm_written_bytes", "written to HBM", "B", "Result bytes that crossed the interface of the HBM."},
    {"energy_pj", "energy", "pJ",
     "What the run takes, with what the machine file says that each operation and byte does: docs/energy.md."},
    {"energy_mac_pj", "energy: mac", "pJ", "Of the energy, that of multiply-accumulates."},
    {"energy_vector_pj", "energy: vector", "pJ", "Of the energy, that of operations of the vector unit."},
    {"energy_registers_pj", "energy: registers", "pJ", "Of the energy, that of bytes between TCM and the array."},
    {"energy_tcm_pj", "energy: tcm", "pJ", "Of the energy, that of bytes of TCM."},
    {"energy_sram_pj", "energy: sram", "pJ", "Of the energy, that of bytes of SRAM."},
    {"energy_hbm_pj", "energy: hbm", "pJ", "Of the energy, that of bytes of HBM."},
    {"energy_router_pj", "energy: router", "pJ", "Of the energy, that of bytes through routers."},
    {"energy_die_to_die_pj", "energy: die to die", "pJ", "Of the energy, that of bytes from die to die."},
    {"energy_package_link_pj", "energy: package link", "pJ", "Of the energy, that of bytes from package to package."},
    {"energy_static_pj", "energy: static", "pJ", "Of the energy, what the PEs draw whatever they do."},
    {"avg_power_w", "mean power", "W", "Energy ÷ time."},
    {"tflops_per_watt", "efficiency", "TFLOPS/W", "Rate ÷ mean power."},
    {"energy_missing", "energy needs", "",
     "The key that the machine file lacks, without which the energy is not computed."},
    {"pe_ns", "PE window", "ns", "First to last activity of the PE, loads before the composite included."},
    {"composite_ns", "composite window", "ns",
     "First to last activity of the composite: the one command by which the PE works through all tiles."},
    {"bound:pe_ns", "PE window of the bound", "ns", "The bound of the PE window."},
    {"bound:composite_ns", "composite window of the bound", "ns", "The bound of the composite window."},
    // Points of a file.
    {"point", "point", "", "Its name in the file of --points, or its values."},
    {"count", "count", "", "How often it is run."},
    {"runs", "runs", "", "All counts together."},
    {"points", "points", "", "How many there are."},
    {"most", "takes most", "", "The point of which count × time is the most."},
    {"most_share", "of all", "%", "That, of the time of all."},
    // Operators.
    {"operation", "operator", "", "What is made of x: docs/operators.md says how."},
    {"implementation", "implementation", "", "plan: what the PEs do, simulated. On GPUs whose kernels."},
    {"batch_size", "batch", "", "Rows of x are batch × sequence."},
    {"sequence_length", "sequence", "", "Rows of a batch."},
    {"tensor_dimension", "dimension", "", "Elements of a row."},
    {"dtype", "dtype", "", "Of what is read and written."},
    {"over", "over", "", "The PEs that do it: of a die, a package, the system, or by number."},
    {"time_ms", "time", "ms", "The same time in milliseconds."},
    {"memory_mb", "memory", "MB", "10⁶ bytes of all partitions that hold inputs and results."},
    {"inference_speed", "speed", "1/s", "1000 ÷ the time in milliseconds."},
    {"efficiency", "of the roofline", "%",
     "The least time that memory, its links and the vector units of all PEs allow ÷ time, each byte moved once; of a "
     "GPU what HBM or the L2 allows."},
    {"roofline_ns", "roofline", "ns", "That least time: no plan is faster."},
    {"milestone_ns", "milestone claim", "ns",
     "What the milestone's machine of PEs claims at best: FLOP ÷ (the GPU's peak × its bound's useful efficiency)."},
    {"roofline_bottleneck", "roofline by", "", "What sets it: hbm, dma_in, dma_out or vector; of a GPU HBM or L2."},
    {"throughput_gbps", "throughput", "GB/s", "Bytes that must be read and written, each once, ÷ time."},
    {"bandwidth_share", "of the peak bandwidth", "%",
     "Throughput ÷ bandwidth of the partitions of all PEs; above 100 % at most by what they have not written yet when "
     "the run ends."},
    {"plan_bound_ns", "bound of the plan", "ns", "What its bytes and its vector work take at full rate."},
    {"plan_bottleneck", "bound of the plan by", "",
     "What sets it: hbm, dma_in, dma_out or vector; of a GPU HBM or L2."},
    {"vector_util", "vector unit", "%", "Time in which the vector units work ÷ time, in the mean."},
    {"pieces", "pieces", "", "In how many the rows pass through TCM, over all PEs."},
    {"piece_elements", "piece", "elements", "The largest of them."},
    {"tcm_bytes", "TCM", "B", "That a PE takes, or a mapping."},
    {"idle_pes", "idle PEs", "", "Those that have nothing to do."},
    // Collectives.
    {"collective", "collective", "", "What the ranks do together: all_reduce, all_gather, ..."},
    {"algorithm", "algorithm", "", "In which steps they do it: docs/collectives.md explains each."},
    {"scale", "scale", "", "Who takes part: the PEs of a die, of a package, or of the system of several packages."},
    {"arrangement", "arrangement", "", "How packages are wired: ring, mesh, torus, fully connected, or by a switch."},
    {"packages", "packages", "", "Rows × columns of packages."},
    {"tier", "tier", "", "The memory in which a receiver keeps message slots: its TCM, the die's SRAM, or HBM."},
    {"pes", "PEs", "", "How many PEs take part, where fewer than the scale has."},
    {"root_die", "root die", "",
     "Of hierarchical: the die through which a package's data leave, in its centre or corner."},
    {"bytes", "size", "B", "A rank's whole buffer; of a transfer what each moves."},
    {"initiator", "initiator", "", "The PEs that read or write, all at once, or the host."},
    {"target", "target", "", "What they read, or write to: of a PE its HBM, of a die its SRAM."},
    {"direction", "direction", "", "Whether they read or write."},
    {"gbs", "rate", "GB/s", "All bytes ÷ time."},
    {"first_done_ns", "first done", "ns", "When the first of several transfers is complete."},
    {"closed_form_ns", "closed form", "ns", "What the transfer takes in closed form; of several, at least."},
    {"closed_form", "form", "", "Whether the closed form is exact, a bound, or none."},
    {"one_way_ns", "one way", "ns", "Wires, ports and hops between the first of them and the memory."},
    {"peak_gbs", "the way carries", "GB/s",
     "The slowest link, port or memory of the way; of several, their max-min fair rates together."},
    {"utilisation", "of the way", "%", "Rate ÷ what the way carries."},
    // Traffic.
    {"traffic", "traffic", "", "Where messages go: uniform, transpose, neighbour, hotspot."},
    {"rate_bytes_per_s", "rate", "B/s", "What each PE creates."},
    {"message_bytes", "message", "B", "The size of a message."},
    {"hot_percent", "hot", "%", "Of the messages those that go to the PE in the middle."},
    {"seed", "seed", "", "Of the random numbers: the same seed, the same messages."},
    {"warm_up_ps", "warm-up", "ps", "Time before the window in which messages are measured."},
    {"measure_ps", "window", "ps", "Messages that are created in this time are measured."},
    {"latency_p50_ns", "median latency", "ns",
     "From creation to the last byte: half of the messages take at most this."},
    {"latency_p99_ns", "p99 latency", "ns", "99 of 100 messages take at most this."},
    {"latency_max_ns", "longest latency", "ns", "That of the message that takes longest."},
    {"zero_load_ns", "latency without load", "ns",
     "What the measured messages would take in the mean if none met another."},
    {"offered_gbs", "created", "GB/s", "By a PE, in the window."},
    {"accepted_gbs", "arrived", "GB/s", "Of what a PE creates, in the window."},
    {"load", "load", "%", "What the most loaded link is offered ÷ what it carries: from 100 % on it cannot keep up."},
    {"saturated", "saturated", "",
     "Whether the traffic is too much for the network: the latency then grows with the window."},
    {"saturates_at_gbs", "full at", "GB/s",
     "The rate of each PE at which the most loaded link is offered what it carries."},
    {"most_loaded_link", "full first", "",
     "The link that is offered most of what it carries, by the routes of all pairs."},
    {"mean_hops", "hops", "", "Routers and switches that a message visits, in the mean."},
    {"messages", "messages", "", "That are measured."},
    {"launch_ns", "launch", "ns", "From the host's command until every PE may start; not in the time."},
    {"ranks", "ranks", "", "Participants of the collective: PEs, or the dies or packages that a point names."},
    {"chunk_bytes", "chunk", "B", "The largest message that travels at a time; 0: whole blocks."},
    {"packet_bytes", "packet", "B", "The packets that the network was simulated with."},
    {"algbw_gbs", "algbw", "GB/s", "Algorithm bandwidth: size ÷ time, as nccl-tests defines it."},
    {"busbw_gbs", "busbw", "GB/s",
     "Bus bandwidth: algbw × a factor of the collective, so that it compares with a link's bandwidth, as nccl-tests "
     "defines it."},
    {"bound:algbw_gbs", "algbw of the bound", "GB/s", "The same if the run took exactly its bound."},
    {"bound:busbw_gbs", "busbw of the bound", "GB/s", "The same if the run took exactly its bound."},
    {"bound:ranks", "ranks of the bound", "", "Participants that the bound is of."},
    {"bound:bound", "bound by", "",
     "The resource that sets the bound: latency, or a link or memory that all bytes pass."},
    {"steps", "steps", "", "The most sends, receives, reductions and copies of one PE."},
    {"sent_bytes", "sent", "B", "Payload of all sends."},
    {"link_bytes", "on links", "B", "Bytes that links carried, credits included; a byte counts once a link."},
    {"link_util_mean", "mean link", "%", "Time in which a link carries bytes ÷ time, over all links."},
    {"link_util_max", "busiest link", "%", "The same of the link that is busiest."},
    {"busiest_link", "which link", "", "The name of the busiest link."},
    {"bound_ns", "bound of all algorithms", "ns", "What no algorithm of this collective beats on this machine."},
    {"bound", "bound of all by", "", "The resource that sets it."},
    {"bound_fraction", "of bound", "%", "Bound ÷ time: 100 % is the best that any algorithm can do."},
    {"in_hbm", "in HBM", "", "Whether the ranks' buffers lie in HBM, since TCM is too small."},
    {"reduce_scatter_ns", "end of reduce scatter", "ns", kPhase},
    {"all_gather_ns", "end of all gather", "ns", kPhase},
    {"halving_ns", "end of halving", "ns", kPhase},
    {"doubling_ns", "end of doubling", "ns", kPhase},
    {"reduce_ns", "end of reduce", "ns", kPhase},
    {"broadcast_ns", "end of broadcast", "ns", kPhase},
    {"die_reduce_scatter_ns", "end of die reduce scatter", "ns", kPhase},
    {"row_reduce_ns", "end of row reduce", "ns", kPhase},
    {"column_reduce_ns", "end of column reduce", "ns", kPhase},
    {"package_exchange_ns", "end of package exchange", "ns", kPhase},
    {"column_broadcast_ns", "end of column broadcast", "ns", kPhase},
    {"row_broadcast_ns", "end of row broadcast", "ns", kPhase},
    {"die_all_gather_ns", "end of die all gather", "ns", kPhase},
    {"best", "The fastest algorithm of each size", "", "Worked out from the simulated rows."},
    {"next", "next", "", "The second fastest algorithm."},
    {"next_time_ns", "time of the next", "ns", "What the second fastest takes."},
    {"tie", "tie", "", "Whether the next takes at most 1 % longer."},
    {"fit", "Time as alpha + beta × size", "", "Worked out from the simulated rows, a line for each regime of sizes."},
    {"segment", "segment", "", "Which regime of sizes, counted from 0."},
    {"alpha_ns", "alpha", "ns", "What a run takes however small it is."},
    {"beta_ns_per_byte", "beta", "ns/B", "What each further byte adds."},
    {"from_bytes", "from", "B", "The smallest size of the regime."},
    {"to_bytes", "to", "B", "The largest size of the regime."},
    {"residual_rms", "residual, rms", "%", "How far the whole fit is from the simulated times, relative."},
    {"residual_max", "residual, largest", "%", "The same at the worst size."},
});

/// What the words of a cause's column are parts of.
struct CauseColumn {
  explicit CauseColumn(const CauseWords& cause)
      : key(ledger_metric(cause.cause).name), heading("time: " + std::string(cause.name)), meaning(cause.column) {}
  std::string key;
  std::string heading;
  std::string_view meaning;
};

/// Those of the causes stand behind what limits.
std::vector<ColumnWords> with_causes() {
  static const std::vector<CauseColumn> kColumns(cause_words().begin(), cause_words().end());
  std::vector<ColumnWords> all(kWords.begin(), kWords.end());
  auto behind = std::ranges::find(all, "limited_by_share", &ColumnWords::key);
  for (const CauseColumn& one : kColumns) behind = all.insert(behind + 1, {one.key, one.heading, "ns", one.meaning});
  return all;
}

}  // namespace

std::span<const ColumnWords> column_words() {
  static const std::vector<ColumnWords> kAll = with_causes();
  return kAll;
}

const ColumnWords* find_column_words(std::string_view key) {
  const auto found = std::ranges::find(column_words(), key, &ColumnWords::key);
  return found == column_words().end() ? nullptr : &*found;
}

std::string column_reference() {
  std::string text = "| column | unit | meaning | field |\n|---|---|---|---|\n";
  for (const ColumnWords& words : column_words()) {
    text += "| " + std::string(words.heading) + " | " + std::string(words.unit) + " | " + std::string(words.meaning) +
            " | `" + std::string(words.key) + "` |\n";
  }
  return text;
}

}  // namespace kernbench
