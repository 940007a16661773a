#include "benches/traces/tables/column_meanings.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace kernbench::traces {
namespace {

struct Words {
  std::string_view key;  ///< a column of every table, or "table:column", which goes before it
  std::string_view meaning;
};

constexpr std::array kColumnMeanings = std::to_array<Words>({
    {"op", "The operator that launched the GEMM."},
    {"M", "Rows of A and of the result."},
    {"N", "Columns of B and of the result."},
    {"K", "Columns of A, rows of B: what is summed over."},
    {"batch", "How many products one call makes."},
    {"bias", "What the call adds to the product: 0 nothing, 1 a vector, 2 a matrix, 3 a matrix for each of a batch."},
    {"dtype_a", "Element type of A."},
    {"dtype_b", "Element type of B."},
    {"dtype_c", "Element type of the result; empty where it was not recorded."},
    {"layout", "Of A and B: N where the last stride is 1, else T."},
    {"kernel", "The GPU kernel that ran, of a row of several calls the one that most of them ran."},
    {"rank", "The rank of the process whose trace it is."},
    {"step", "Number of the training step that launched it."},
    {"at_us", "ts in the file where the kernel starts, in µs."},
    {"duration_us", "How long it took on the GPU."},
    {"base_us", "Median of the calls of this kernel that run beside no communication."},
    {"baseline",
     "Where these calls are from: the same point, the whole sweep where the point has fewer than three, or no "
     "baseline."},
    {"base_samples", "How many calls the base is the median of."},
    {"share_pct", "Share of the kernel's time in which communication of its rank runs too."},
    {"excess_us", "What the call took longer than the best."},
    {"contention_us", "What communication beside it costs, by the other calls of this kernel at this point."},
    {"clock_us", "What the rank's clock in that step costs, by its other kernels."},
    {"unexplained_us", "The rest of the excess; it may be negative."},
    {"contention_samples", "Overlapped calls that the contention rests on; 0: not known."},
    {"group", "Name of the process group."},
    {"group_ranks",
     "Ranks of the process group, as the file has them; by time: as its size and the times at which ranks run it say."},
    {"missing_ranks",
     "Ranks of the process group that nothing is seen of, or not known, where no file says how many it has: latency is "
     "then at most, bandwidths, skews and waits are at "
     "least what stands here, and who is last and what is waiting is not known."},
    {"collective", "What was called: allreduce, broadcast and so on; a kernel's name where the file does not say."},
    {"dtype", "Element type."},
    {"bytes", "Size."},
    {"kept_by", "What ended last on the last rank before it came; idle where its GPU had been idle for 2 µs or more."},
    {"timeline:scope", "Which GPU events count: linked, those with a launch in the file, or all."},
    {"timeline:gpu_events", "How many GPU events count."},
    {"timeline:computation_us", "Time with at least one kernel that computes; memsets are computation."},
    {"timeline:exposed_comm_us", "Time with communication and no computation."},
    {"timeline:exposed_copy_us", "Time with copies and neither computation nor communication."},
    {"timeline:busy_us", "Time with any GPU event."},
    {"timeline:total_us", "First start to last end."},
    {"timeline:idle_us", "Total − busy."},
    {"timeline:total_comm_us", "Time with communication, hidden or not."},
    {"timeline:total_copy_us", "Time with copies, hidden or not."},
    {"timeline:comm_overlapped_pct", "Share of communication that computation hides."},
    {"timeline:idle_host_us",
     "Idle before an event whose launch ended after the gap began: the GPU waited for the host."},
    {"timeline:idle_dependency_us",
     "Idle of 2 µs or more before an event launched in time: it waited for a stream, a rank, a copy."},
    {"timeline:idle_gap_us", "Shorter idle before an event launched in time."},
    {"timeline:idle_unknown_us", "Idle before an event whose launch the file does not have."},
    {"timeline:left_out_events", "GPU events that do not count."},
    {"timeline:left_out_us", "Sum of the durations of GPU events that do not count."},
    {"gemms:count", "Calls."},
    {"gemms:min_us", "The shortest call: the union of all GPU events that it launched."},
    {"gemms:mean_us", "Mean time of a call."},
    {"gemms:median_us", "Median time of a call."},
    {"gemms:std_us", "Standard deviation of the calls' times, with n − 1."},
    {"gemms:max_us", "The longest call."},
    {"gemms:sum_us", "All calls together."},
    {"gemms:spread_us", "Longest − shortest call."},
    {"gemms:kernel_min_us", "The shortest of the calls' longest kernels."},
    {"gemms:kernel_median_us", "Median of the calls' longest kernels."},
    {"gemms:kernel_max_us", "The longest of the calls' longest kernels."},
    {"gemms:kernel_sum_us", "Sum of the calls' longest kernels."},
    {"gemms:flops",
     "Floating-point operations of a call: batch · (2MNK + MN if bias); of complex numbers 8MNK + 2MN. "
     "Empty where A's or B's element type is not known."},
    {"gemms:bytes", "Bytes that a call has to move at least: of A, B, result and bias, each in its own type."},
    {"gemms:flop_per_byte", "Arithmetic intensity: flops ÷ bytes."},
    {"gemms:tflops_mean", "Mean of the calls' rates."},
    {"gemms:tflops_median", "Median of the calls' rates."},
    {"gemms:tflops_min", "The slowest call's rate."},
    {"gemms:tflops_max", "The fastest call's rate."},
    {"gemms:kernels_distinct", "How many different kernels the calls ran."},
    {"gemms:basis", "What tells the GEMM: its shape, its operator and kernel, or the kernel's name alone."},
    {"gemm_calls:call", "Number of the call in its row of gemms, by start, from 0."},
    {"gemm_calls:time_us", "Union of all GPU events that the call launched."},
    {"gemm_calls:kernel_us", "Its longest kernel alone."},
    {"top:place", "Place within its file, from 1."},
    {"top:count", "Calls."},
    {"top:min_us", "The shortest call."},
    {"top:max_us", "The longest call."},
    {"top:difference_us", "Longest − shortest call."},
    {"top:std_us", "Standard deviation of the calls' times, with n − 1."},
    {"top:min_at_us", "ts in the file where the shortest call's kernel starts, in µs."},
    {"top:max_at_us", "ts in the file where the longest call's kernel starts, in µs."},
    {"top:between_us", "Time between these two starts."},
    {"top:max_kernel_us", "The longest call's kernel alone; what follows is of it."},
    {"top:collectives", "How many communication kernels run beside it."},
    {"top:collective_names", "What runs beside it."},
    {"top:max_share_pct", "Share of it beside the one collective that has the largest share."},
    {"top:max_share_collective", "That collective."},
    {"top:overlap_us", "Time of it beside any communication."},
    {"top:min_share_pct", "That share of the shortest call's kernel."},
    {"top:excess_us", "What it took longer than the base."},
    {"causes:best_us",
     "Median of calls beside no communication, of the fastest kernel that the sweep has for the shape."},
    {"causes:kernel_us", "What another kernel than the fastest costs: base − best."},
    {"causes:kernel_pct", "Of the excess."},
    {"causes:contention_pct", "Of the excess."},
    {"causes:clock_pct", "Of the excess."},
    {"causes:unexplained_pct", "Of the excess."},
    {"causes:clock_samples",
     "Other kernels of the rank in that step that the clock rests on; fewer than 5: not known."},
    {"causes:main_cause",
     "The part that is largest in the excess's direction; what is unexplained may be the clock where that is not "
     "known."},
    {"slowdowns:instances", "Calls."},
    {"slowdowns:alone", "Calls with less than 1 % of communication beside them."},
    {"slowdowns:fully_overlapped", "Calls with more than 99 %."},
    {"slowdowns:alone_median_us", "Median time of the kernel, of calls with less than 1 %."},
    {"slowdowns:overlapped_median_us", "Median time of the kernel, of calls with more than 99 %."},
    {"slowdowns:slowdown", "Overlapped median ÷ alone median."},
    {"slowdowns:contention_slope",
     "By which part of the base a kernel beside communication from end to end is longer: the median over calls of more "
     "than 10 %, weighted by the squares of their shares."},
    {"collectives:index", "Number of the collective in its group, from 0."},
    {"collectives:ranks", "Ranks of the group; empty where that is not known."},
    {"collectives:bytes", "Size as nccl-tests counts it: what a rank gives, of an all_gather what it gets."},
    {"collectives:latency_us", "The shortest duration over the ranks: from when all of them are there."},
    {"collectives:start_skew_us", "Latest − earliest start."},
    {"collectives:end_skew_us", "Latest − earliest end."},
    {"collectives:last_rank", "Who starts last."},
    {"collectives:first_rank", "Who starts first."},
    {"collectives:algbw_gbs", "Bytes ÷ latency."},
    {"collectives:busbw_gbs", "algbw times the kind's factor, as nccl-tests defines it."},
    {"collectives:waiting_pct", "Share of all ranks' time in it that is waiting for the last one."},
    {"collectives:mostly", "waiting from 50 % on, transfer up to 10 %, else mixed; not known where waits are not."},
    {"collectives:alone_us", "What it takes on this device with nothing beside it, by reference data."},
    {"collectives:alone_basis", "measured at this size, or on the line between two sizes."},
    {"collectives:above_alone_us", "Latency − alone: contention or skew."},
    {"collectives:kept_idle_us", "How long the last rank's GPU had been idle before it came."},
    {"collectives:traces", "How many of the group's ranks there are files of."},
    {"stragglers:collectives", "Collectives of the group."},
    {"stragglers:wait_us", "What the rank waits for others, in all of them."},
    {"stragglers:mean_wait_us", "What it waits in one."},
    {"stragglers:times_last", "How often it starts last."},
    {"stragglers:times_first", "How often it starts first."},
    {"stragglers:collective_us", "Its time in them."},
    {"stragglers:end_offset_median_us", "Its ends − the first rank's, the median; as the files' clocks have them."},
    {"stragglers:clock_shift_us",
     "What its clock is moved by for waits and skews: its ends differ from most ranks', else the first's, by more than "
     "0.1 ms, or base times do not tell."},
    {"stragglers:end_offset_min_us", "The least of them."},
    {"stragglers:end_offset_max_us", "The most of them."},
    {"stragglers:others_wait_us", "Where it is last: what each other rank waits for it, the mean."},
    {"stragglers:straggler",
     "straggler where it is last in at least half of them and others wait more than 5 % of the mean latency; not "
     "known: "
     "with ranks missing, with clocks that no one difference sets right, or that were set and waits of up to 65 µs."},
    {"left_over:in_elements", "Elements in, as the file says."},
    {"left_over:out_elements", "Elements out, as the file says."},
    {"left_over:seq", "Its number in the process group, where recorded."},
    {"left_over:reason", "Why it has no partner on every rank."},
    {"around_longest:stream", "pid/tid of its track in the file."},
    {"around_longest:activity", "computation, communication or copy."},
    {"around_longest:name", "The kernel's or copy's name."},
    {"around_longest:start_us", "Time since the longest call's kernel starts."},
    {"around_longest:longest_call", "yes: it is that kernel."},
    {"around_longest:ends_us",
     "Of its rank: the median of its collectives' ends − those of the rank whose clock most agree with."},
    {"around_longest:shift_us", "What its rank's times are shifted by; 0 where the files' clocks agree."},
    {"run", "The run or sweep that the row is of."},
    {"differences:what", "timeline, or which GEMM."},
    {"differences:metric", "The column that is compared."},
    {"differences:base", "The run that is compared with: the first."},
    {"differences:run", "The run that is compared."},
    {"differences:base_us", "The first run's mean over the ranks."},
    {"differences:run_us", "This run's mean over the ranks."},
    {"differences:difference_us", "This run − the first."},
    {"differences:difference_pct", "Of the first run's."},
    {"differences:spread_us", "The larger of the two runs' most − least over the ranks."},
    {"differences:beyond_spread",
     "yes: every rank of one run lies above every rank of the other; empty: a run of one rank."},
});

constexpr std::array kTableMeanings = std::to_array<Words>({
    {"timeline", "A row a rank: where its time went."},
    {"gemms", "A row a GEMM and rank."},
    {"gemm_calls", "A row a call of each GEMM."},
    {"top", "A row a GEMM and rank, those whose longest call takes most more than their shortest."},
    {"causes", "Why the longest call of each row of top took longer than the shape's best kernel alone."},
    {"slowdowns",
     "A row a GEMM kernel and point: what it takes alone, beside communication, and the fit that causes go by."},
    {"collectives", "A row a collective, matched over the ranks of a point."},
    {"stragglers", "A row a rank and process group: who waits, and for whom."},
    {"left_over", "Communication without a partner on every rank."},
    {"around_longest", "GPU events of all ranks around the longest call of the GEMM whose calls vary most."},
    {"differences", "Each value of a run beside that of the first."},
});

constexpr std::string_view kNoGemm =
    "among the GPU events that count there is no GEMM, neither by an operator nor by a kernel's name.";
constexpr std::string_view kNoCommunication =
    "among the GPU events that count there is no communication on every rank; --comm names other kernels, --table "
    "left_over lists what has no partner.";

constexpr std::array kEmptyMeanings = std::to_array<Words>({
    {"gemms", kNoGemm},
    {"gemm_calls", kNoGemm},
    {"top", kNoGemm},
    {"causes", kNoGemm},
    {"slowdowns", "among the GPU events that count there is no GEMM of known shape."},
    {"collectives", kNoCommunication},
    {"stragglers", kNoCommunication},
    {"left_over", "all communication has a partner on every rank."},
});

template <typename Meanings>
std::string find_meaning(const Meanings& meanings, std::string_view key) {
  const auto found = std::ranges::find(meanings, key, &Words::key);
  return found == meanings.end() ? "" : std::string(found->meaning);
}

/// "3" of wait_rank3_us.
std::string rank_of_wait(const std::string& column) {
  constexpr std::string_view kPrefix = "wait_rank";
  if (!column.starts_with(kPrefix)) return "";
  return column.substr(kPrefix.size(), column.rfind('_') - kPrefix.size());
}

/// Whether the column stands before all that have words: an axis of the traces.
bool is_axis(const TraceTable& table, const TraceColumn& column) {
  for (const TraceColumn& other : table.columns) {
    if (other.name == column.name) return true;
    if (!find_meaning(kColumnMeanings, other.name).empty() && other.name != kRunAxis) return false;
  }
  return false;
}

}  // namespace

std::string column_meaning(const TraceTable& table, const TraceColumn& column) {
  std::string own = find_meaning(kColumnMeanings, table.name + ":" + column.name);
  if (!own.empty()) return own;
  if (const std::string rank = rank_of_wait(column.name); !rank.empty()) {
    return "What rank " + rank + " waits for the last one: latest start − own start.";
  }
  std::string common = find_meaning(kColumnMeanings, column.name);
  if (!common.empty() || !is_axis(table, column)) return common;
  return "Axis of the sweep, by the files' paths.";
}

std::string empty_meaning(const std::string& table) {
  const std::string meaning = find_meaning(kEmptyMeanings, table);
  return table + ": no rows" + (meaning.empty() ? "." : ": " + meaning);
}

std::string table_meaning(const std::string& table) { return find_meaning(kTableMeanings, table); }

}  // namespace kernbench::traces
