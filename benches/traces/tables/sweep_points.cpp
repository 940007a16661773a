#include "benches/traces/tables/sweep_points.hpp"

#include <algorithm>
#include <limits>

#include "benches/traces/events/decimal_time.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::int64_t kInstantUnit = 1'000'000;

Int128 file_origin(const RankTrace& trace) { return picoseconds_from_microseconds(trace.origin_us).value_or(0); }

}  // namespace

std::vector<SweepPoint> sweep_points(const std::vector<PlacedTrace>& traces) {
  std::vector<SweepPoint> points;
  for (const PlacedTrace& placed : traces) {
    const auto same = [&placed](const SweepPoint& point) { return point.front()->axes == placed.axes; };
    auto point = std::ranges::find_if(points, same);
    if (point == points.end()) point = points.insert(point, SweepPoint{});
    point->push_back(&placed);
  }
  for (SweepPoint& point : points) std::ranges::stable_sort(point, {}, &PlacedTrace::rank);
  return points;
}

std::size_t place_in_point(const SweepPoint& point, const PlacedTrace* placed) {
  return static_cast<std::size_t>(std::ranges::find(point, placed) - point.begin());
}

std::vector<TraceColumn> axis_columns(const std::vector<PlacedTrace>& traces) {
  std::vector<TraceColumn> columns = place_columns(traces);
  columns.pop_back();  // the rank
  return columns;
}

std::string instant_us(const RankTrace& trace, TracePs time) {
  const Int128 instant = file_origin(trace) + time;
  const bool is_negative = instant < 0;
  const Int128 size = is_negative ? -instant : instant;
  const auto whole = static_cast<std::uint64_t>(size / kInstantUnit);
  std::string decimals = std::to_string(kInstantUnit + static_cast<std::int64_t>(size % kInstantUnit)).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return (is_negative ? "-" : "") + std::to_string(whole) + (decimals.empty() ? "" : "." + decimals);
}

TracePs clock_offset(const RankTrace& trace, const RankTrace& first) {
  const Int128 bases = (static_cast<Int128>(trace.base_time_ns) - first.base_time_ns) * 1000;
  const Int128 offset = file_origin(trace) - file_origin(first) + bases;
  constexpr Int128 kMost = std::numeric_limits<TracePs>::max() / 2;
  if (offset > kMost || offset < -kMost) {
    throw ConfigError(
        printable(trace.file.string()) + ": begins more than 53 days from " + printable(first.file.string()) +
        ": expected ranks of one run: give the files of one run, or name the axes that tell runs apart with --layout");
  }
  return static_cast<TracePs>(offset);
}

}  // namespace kernbench::traces
