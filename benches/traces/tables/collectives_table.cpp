// The tables of collectives.hpp.
#include <algorithm>
#include <set>
#include <utility>

#include "benches/traces/tables/causes.hpp"
#include "benches/traces/tables/collective_kinds.hpp"
#include "benches/traces/tables/collective_notes.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/group_ranks.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench::traces {
namespace {

using Type = TraceColumn::Type;

constexpr double kWaiting = 0.5;   // of the ranks' time in a collective: from here on it is waiting
constexpr double kTransfer = 0.1;  // up to here it is transfer
constexpr const char* kAtMost = "≤";
constexpr const char* kAtLeast = "≥";
constexpr int kNeverFirst = 11;  // of a column that a narrow terminal lacks first
constexpr const char* kNotKnown = "not known";

void add_identity_columns(TraceTable& table) {
  table.columns.push_back({"collective", "", Type::kText, 0});
  table.columns.push_back({"dtype", "", Type::kText, 7});
}

/// Of all traces, each once.
std::vector<std::int64_t> ranks_of(const std::vector<PlacedTrace>& traces) {
  std::set<std::int64_t> ranks;
  for (const PlacedTrace& placed : traces) ranks.insert(placed.rank);
  return {ranks.begin(), ranks.end()};
}

/// What a terminal shows where a group with collectives needs it: which ranks are missing, or that time told its own.
struct ColumnRanks {
  int missing = kNeverFirst;
  int group = kNeverFirst;

  explicit ColumnRanks(const std::vector<TimedGroup>& groups) {
    for (const TimedGroup& timed : groups) {
      if (timed.times.empty()) continue;
      if (timed.group.may_lack_ranks()) missing = 0;
      if (timed.group.membership == Membership::kByTime) group = 0;
    }
  }
};

void add_collective_columns(TraceTable& table, const std::vector<std::int64_t>& ranks, ColumnRanks shown) {
  const auto column = [&table](const std::string& name, const char* unit, Type type, int rank, const char* bound = "") {
    table.columns.push_back({name, unit, type, rank, bound});
  };
  column("group", "", Type::kText, 4);
  column("index", "", Type::kInteger, 0);
  add_identity_columns(table);
  column("ranks", "", Type::kInteger, 6);
  column("missing_ranks", "", Type::kText, shown.missing);
  column("bytes", "B", Type::kInteger, 2);
  column("latency_us", "µs", Type::kTime, 0, kAtMost);
  column("start_skew_us", "µs", Type::kTime, 0, kAtLeast);
  column("end_skew_us", "µs", Type::kTime, 5, kAtLeast);
  column("last_rank", "", Type::kInteger, 0);
  column("first_rank", "", Type::kInteger, 5);
  column("algbw_gbs", "GB/s", Type::kReal, 6, kAtLeast);
  column("busbw_gbs", "GB/s", Type::kReal, 1, kAtLeast);
  for (const std::int64_t rank : ranks) {
    column("wait_rank" + std::to_string(rank) + "_us", "µs", Type::kTime, 9, kAtLeast);
  }
  column("waiting_pct", "%", Type::kReal, 3);
  column("mostly", "", Type::kText, 2);
  column("alone_us", "µs", Type::kTime, 3);
  column("alone_basis", "", Type::kText, 8);
  column("above_alone_us", "µs", Type::kTime, 3, kAtMost);
  column("kept_by", "", Type::kText, 10);
  column("kept_idle_us", "µs", Type::kTime, 8);
  column("traces", "", Type::kInteger, 11);
  column("group_ranks", "", Type::kText, shown.group);
}

const char* verdict_on(double waiting) {
  if (waiting >= kWaiting) return "waiting";
  return waiting <= kTransfer ? "transfer" : "mixed";
}

void add_bandwidth_cells(std::vector<TraceCell>& row, const CollectiveSignature& signature, std::int64_t ranks,
                         TracePs latency) {
  const std::int64_t bytes = collective_bytes(signature);
  if (bytes == 0 || latency <= 0) {
    row.resize(row.size() + 2);
    return;
  }
  const double algbw = 1000.0 * static_cast<double>(bytes) / static_cast<double>(latency);
  const std::optional<double> factor = busbw_factor_of(signature.kind, ranks);
  row.emplace_back(algbw);
  row.push_back(factor ? TraceCell(algbw * *factor) : TraceCell());
}

void add_alone_cells(std::vector<TraceCell>& row, const AloneTimes& alone_times, const CollectiveSignature& signature,
                     std::int64_t ranks, TracePs latency) {
  const std::optional<kernbench::Collective> collective = collective_of(signature.kind);
  const std::int64_t bytes = collective_bytes(signature);
  const std::optional<AloneTime> alone =
      collective && bytes > 0 ? alone_times.at(std::string(kCollectives[*collective]), ranks, bytes) : std::nullopt;
  if (!alone) {
    row.resize(row.size() + 3);
    return;
  }
  row.emplace_back(alone->time);
  row.emplace_back(std::string(alone->is_measured ? "measured" : "between sizes"));
  row.emplace_back(Picoseconds{latency - alone->time.value});
}

/// What needs every rank of the group, and one clock.
TraceCell if_all(WaitsKnown waits, const TraceCell& cell) { return waits == WaitsKnown::kAll ? cell : TraceCell(); }
/// What needs one clock.
TraceCell if_timed(WaitsKnown waits, const TraceCell& cell) {
  return waits == WaitsKnown::kNothing ? TraceCell() : cell;
}

/// Rows of one group.
class CollectiveRows {
 public:
  CollectiveRows(TraceTable& table, const TimedGroup& timed, std::vector<TraceCell> place)
      : table_(table),
        timed_(timed),
        place_(std::move(place)),
        waits_(timed.waits()),
        missing_(missing_ranks(timed.group)) {}

  void add(std::size_t index, const std::vector<std::int64_t>& ranks, const AloneTimes& alone_times) {
    const CollectiveGroup& group = timed_.group;
    const MatchedCollective& matched = group.matched[index];
    const CollectiveTimes& times = timed_.times[index];
    const std::int64_t bytes = collective_bytes(matched.signature);
    const bool is_size_known = group.is_size_said || !group.may_lack_ranks();
    const std::int64_t size = is_size_known ? group.size : 0;
    std::vector<TraceCell> row = place_;
    row.emplace_back(group.name);
    row.emplace_back(static_cast<std::int64_t>(index));
    row.emplace_back(matched.signature.kind);
    row.emplace_back(matched.signature.dtype);
    row.push_back(is_size_known ? TraceCell(size) : TraceCell());
    row.emplace_back(missing_);
    row.push_back(bytes > 0 ? TraceCell(bytes) : TraceCell());
    row.emplace_back(Picoseconds{times.latency});
    for (const TracePs time : {times.start_skew, times.end_skew}) row.push_back(if_timed(waits_, Picoseconds{time}));
    for (const std::size_t member : {times.last, times.first})
      row.push_back(if_all(waits_, group.members[member]->rank));
    add_bandwidth_cells(row, matched.signature, size, times.latency);
    for (const std::int64_t rank : ranks) row.push_back(if_timed(waits_, wait_cell(times, rank)));
    row.push_back(if_all(waits_, 100 * times.waiting_share()));
    row.emplace_back(std::string(waits_ == WaitsKnown::kAll ? verdict_on(times.waiting_share()) : kNotKnown));
    add_alone_cells(row, alone_times, matched.signature, size, times.latency);
    row.push_back(if_all(waits_, kept_by(timed_, times)));
    row.push_back(if_all(waits_, Picoseconds{times.kept.idle}));
    row.emplace_back(std::ssize(group.members));
    row.emplace_back(group.ranks);
    table_.add_row(std::move(row), group.may_lack_ranks());
  }

 private:
  [[nodiscard]] TraceCell wait_cell(const CollectiveTimes& times, std::int64_t rank) const {
    const auto member = std::ranges::find(timed_.group.members, rank, &PlacedTrace::rank);
    if (member == timed_.group.members.end()) return {};
    return Picoseconds{times.waits[static_cast<std::size_t>(member - timed_.group.members.begin())]};
  }

  TraceTable& table_;
  const TimedGroup& timed_;
  std::vector<TraceCell> place_;
  WaitsKnown waits_;
  std::string missing_;
};

std::string device_of(const RankTrace& trace) { return trace.devices.empty() ? "" : trace.devices.front(); }

std::string straggler_word(Straggler straggler) {
  if (straggler == Straggler::kNotKnown) return kNotKnown;
  return straggler == Straggler::kYes ? "straggler" : "";
}

void add_rank_row(TraceTable& table, std::vector<TraceCell> row, const TimedGroup& timed, std::size_t member,
                  const RankWaits& rank) {
  const auto collectives = static_cast<double>(timed.times.size());
  const WaitsKnown waits = timed.waits();
  row.emplace_back(std::ssize(timed.times));
  row.emplace_back(missing_ranks(timed.group));
  row.push_back(if_timed(waits, Picoseconds{rank.wait}));
  row.push_back(if_timed(waits, static_cast<double>(rank.wait) / 1e6 / collectives));
  row.push_back(if_all(waits, static_cast<std::int64_t>(rank.times_last)));
  row.push_back(if_all(waits, static_cast<std::int64_t>(rank.times_first)));
  row.emplace_back(Picoseconds{rank.collective});
  const auto [least, most] = std::ranges::minmax(rank.end_offsets);
  for (const TracePs time : {median_time(rank.end_offsets), least, most}) row.emplace_back(Picoseconds{time});
  row.emplace_back(Picoseconds{static_cast<TracePs>(timed.clocks[member].shift_ps)});
  row.emplace_back(timed.group.name);
  row.push_back(if_all(waits, rank.others_wait / 1e6));
  row.emplace_back(straggler_word(rank.straggler));
  row.push_back(if_all(waits, rank.kept_by));
  row.emplace_back(timed.group.ranks);
  table.add_row(std::move(row), timed.group.may_lack_ranks());
}

TraceTable empty_stragglers_table(const std::vector<TraceColumn>& places, ColumnRanks shown) {
  TraceTable table{"stragglers", places, {}};
  const auto column = [&table](const char* name, const char* unit, Type type, int rank, const char* bound = "") {
    table.columns.push_back({name, unit, type, rank, bound});
  };
  column("collectives", "", Type::kInteger, 0);
  column("missing_ranks", "", Type::kText, shown.missing);
  column("wait_us", "µs", Type::kTime, 0, kAtLeast);
  column("mean_wait_us", "µs", Type::kReal, 1, kAtLeast);
  for (const char* name : {"times_last", "times_first"}) column(name, "", Type::kInteger, 0);
  column("collective_us", "µs", Type::kTime, 2);
  column("end_offset_median_us", "µs", Type::kTime, 4);
  for (const char* name : {"end_offset_min_us", "end_offset_max_us", "clock_shift_us"}) {
    column(name, "µs", Type::kTime, 6);
  }
  column("group", "", Type::kText, 5);
  column("others_wait_us", "µs", Type::kReal, 1);
  column("straggler", "", Type::kText, 0);
  column("kept_by", "", Type::kText, 8);
  column("group_ranks", "", Type::kText, shown.group);
  return table;
}

std::vector<TraceCell> left_over_row(std::vector<TraceCell> row, const std::string& group,
                                     const LeftOverCollective& left) {
  const RankTrace& trace = left.placed->trace;
  for (const std::string* text : {&group, &left.signature.kind, &left.signature.dtype}) row.emplace_back(*text);
  for (const std::int64_t number : {left.signature.in_elements, left.signature.out_elements, left.sequence}) {
    row.push_back(number < 0 ? TraceCell() : TraceCell(number));
  }
  row.emplace_back(instant_us(trace, trace.gpu_events[left.event].start));
  row.emplace_back(Picoseconds{trace.gpu_events[left.event].duration});
  row.emplace_back(left.reason);
  return row;
}

}  // namespace

TraceTable collectives_table(const std::vector<PlacedTrace>& traces, const std::vector<TimedGroup>& groups,
                             const AloneTimesOf& alone_times) {
  const std::vector<TraceColumn> axes = axis_columns(traces);
  const std::vector<std::int64_t> ranks = ranks_of(traces);
  TraceTable table{"collectives", axes, {}};
  add_collective_columns(table, ranks, ColumnRanks(groups));
  table.notes = collective_notes(groups);
  for (const TimedGroup& timed : groups) {
    const PlacedTrace& first = *timed.group.members.front();
    CollectiveRows rows(table, timed, place_cells(axes, first));
    const AloneTimes& alone = alone_times(device_of(first.trace));
    for (std::size_t i = 0; i < timed.times.size(); ++i) rows.add(i, ranks, alone);
  }
  return table;
}

TraceTable stragglers_table(const std::vector<PlacedTrace>& traces, const std::vector<TimedGroup>& groups) {
  const std::vector<TraceColumn> places = place_columns(traces);
  TraceTable table = empty_stragglers_table(places, ColumnRanks(groups));
  table.notes = collective_notes(groups);
  for (const TimedGroup& timed : groups) {
    if (timed.times.empty()) continue;
    const std::vector<RankWaits> ranks = rank_waits(timed);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      add_rank_row(table, place_cells(places, *timed.group.members[i]), timed, i, ranks[i]);
    }
  }
  return table;
}

TraceTable left_over_table(const std::vector<PlacedTrace>& traces, const std::vector<TimedGroup>& groups) {
  const std::vector<TraceColumn> places = place_columns(traces);
  TraceTable table{"left_over", places, {}};
  table.columns.push_back({"group", "", Type::kText, 0});
  add_identity_columns(table);
  for (const char* name : {"in_elements", "out_elements", "seq"})
    table.columns.push_back({name, "", Type::kInteger, 3});
  table.columns.push_back({"at_us", "", Type::kText, 5});
  table.columns.push_back({"duration_us", "µs", Type::kTime, 0});
  table.columns.push_back({"reason", "", Type::kText, 0});
  for (const TimedGroup& timed : groups) {
    for (const LeftOverCollective& left : timed.group.left_over) {
      table.add_row(left_over_row(place_cells(places, *left.placed), timed.group.name, left));
    }
  }
  return table;
}

}  // namespace kernbench::traces
