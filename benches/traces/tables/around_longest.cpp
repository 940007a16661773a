#include "benches/traces/tables/around_longest.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "benches/traces/tables/sweep_points.hpp"
#include "benches/traces/tables/top.hpp"

namespace kernbench::traces {
namespace {

using Type = TraceColumn::Type;

constexpr std::size_t kMostRanks = 16;
constexpr std::size_t kMostEvents = 4000;

/// A rank that is shown.
struct ShownRank {
  const PlacedTrace* placed = nullptr;
  RankClock clock;
  TracePs offset = 0;  ///< added to its times: since the call's kernel starts
};

struct ShownEvent {
  const ShownRank* rank = nullptr;
  const GpuEvent* event = nullptr;
  bool is_call = false;

  [[nodiscard]] TracePs start() const { return event->start + rank->offset; }
};

struct Column {
  const char* name;
  const char* unit;
  Type type;
  int rank;
};

TraceTable empty_table(const std::vector<TraceColumn>& places) {
  TraceTable table{"around_longest", places, {}};
  for (const Column& column : {Column{"stream", "", Type::kText, 0}, Column{"activity", "", Type::kText, 0},
                               Column{"name", "", Type::kText, 1}, Column{"start_us", "µs", Type::kTime, 0},
                               Column{"duration_us", "µs", Type::kTime, 0}, Column{"longest_call", "", Type::kText, 2},
                               Column{"ends_us", "µs", Type::kTime, 5}, Column{"shift_us", "µs", Type::kTime, 5}}) {
    table.columns.push_back({column.name, column.unit, column.type, column.rank});
  }
  return table;
}

const char* activity_word(GpuActivity activity) {
  switch (activity) {
    case GpuActivity::kCommunication:
      return "communication";
    case GpuActivity::kCopy:
      return "copy";
    case GpuActivity::kComputation:
      break;
  }
  return "computation";
}

/// As the groups that it is in have it; without collectives where it is in none.
RankClock clock_of(const PlacedTrace* placed, const std::vector<TimedGroup>& groups) {
  for (const TimedGroup& timed : groups) {
    const auto& members = timed.group.members;
    const auto found = std::ranges::find(members, placed);
    if (found != members.end()) return timed.clocks[static_cast<std::size_t>(found - members.begin())];
  }
  return {};
}

/// The call's rank, and the first others.
SweepPoint shown_ranks(SweepPoint point, const PlacedTrace* of_call) {
  std::ranges::stable_sort(point, {}, [of_call](const PlacedTrace* placed) { return placed != of_call; });
  if (point.size() > kMostRanks) point.resize(kMostRanks);
  std::ranges::stable_sort(point, {}, &PlacedTrace::rank);
  return point;
}

std::vector<ShownRank> ranks_around(const SweepPoint& point, const PlacedTrace* of_call, const GpuEvent& call,
                                    const std::vector<TimedGroup>& groups) {
  const PlacedTrace* first = point.front();
  const auto rank_of = [&](const PlacedTrace* placed) {
    const RankClock clock = clock_of(placed, groups);
    const auto shift = static_cast<TracePs>(clock.shift_ps);
    return ShownRank{placed, clock, clock_offset(placed->trace, first->trace) + shift};
  };
  const TracePs zero = call.start + rank_of(of_call).offset;
  std::vector<ShownRank> ranks;
  for (const PlacedTrace* placed : shown_ranks(point, of_call)) {
    ShownRank rank = rank_of(placed);
    const bool has_bases = placed->trace.has_base_time == of_call->trace.has_base_time;
    if (!has_bases && rank.clock.matched == 0) continue;  // nobody knows when
    rank.offset -= zero;
    ranks.push_back(rank);
  }
  return ranks;
}

/// By rank, stream and start; of too many the longest.
std::vector<ShownEvent> in_order(std::vector<ShownEvent> events) {
  if (events.size() > kMostEvents) {
    std::ranges::stable_sort(events, {},
                             [](const ShownEvent& shown) { return std::pair(!shown.is_call, -shown.event->duration); });
    events.resize(kMostEvents);
  }
  std::ranges::stable_sort(events, {}, [](const ShownEvent& shown) {
    const PlacedTrace& placed = *shown.rank->placed;
    const std::string& stream = placed.trace.name(shown.event->stream);
    return std::tuple(placed.rank, stream.size(), std::string_view(stream), shown.start());
  });
  return events;
}

std::vector<TraceCell> row_of(std::vector<TraceCell> row, const ShownEvent& shown) {
  const RankTrace& trace = shown.rank->placed->trace;
  const RankClock& clock = shown.rank->clock;
  row.emplace_back(trace.name(shown.event->stream));
  row.emplace_back(std::string(activity_word(shown.event->activity)));
  row.emplace_back(trace.name(shown.event->name));
  row.emplace_back(Picoseconds{shown.start()});
  row.emplace_back(Picoseconds{shown.event->duration});
  row.emplace_back(std::string(shown.is_call ? "yes" : ""));
  const Picoseconds ends{static_cast<TracePs>(clock.median_ps)};
  row.push_back(clock.matched > 0 ? TraceCell(ends) : TraceCell());
  row.emplace_back(Picoseconds{static_cast<TracePs>(clock.shift_ps)});
  return row;
}

}  // namespace

TraceTable around_longest_table(const std::vector<PlacedTrace>& traces, const TraceSelection& selection,
                                const std::vector<TimedGroup>& groups) {
  const std::vector<TraceColumn> places = place_columns(traces);
  TraceTable table = empty_table(places);
  const std::vector<VaryingGemm> varying = varying_gemms(traces, selection, 1);
  if (varying.empty()) return table;
  const PlacedTrace* of_call = varying.front().placed;
  const GpuEvent& call = of_call->trace.gpu_events[varying.front().longest.kernel];
  const std::vector<SweepPoint> points = sweep_points(traces);
  const auto has_call = [of_call](const SweepPoint& point) { return point.front()->axes == of_call->axes; };
  const std::vector<ShownRank> ranks = ranks_around(*std::ranges::find_if(points, has_call), of_call, call, groups);
  const TracePs around = time_around(call.duration);
  std::vector<ShownEvent> events;
  for (const ShownRank& rank : ranks) {
    for (const TraceId id : selected_events(rank.placed->trace, {selection.unlinked, std::nullopt})) {
      const GpuEvent& event = rank.placed->trace.gpu_events[id];
      const ShownEvent shown{&rank, &event, &event == &call};
      if (shown.start() >= call.duration + around || shown.start() + event.duration <= -around) continue;
      events.push_back(shown);
    }
  }
  for (const ShownEvent& shown : in_order(std::move(events))) {
    table.add_row(row_of(place_cells(places, *shown.rank->placed), shown));
  }
  return table;
}

}  // namespace kernbench::traces
