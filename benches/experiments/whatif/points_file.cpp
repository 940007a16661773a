#include "benches/experiments/whatif/points_file.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "benches/experiments/whatif/whatif_metrics.hpp"
#include "benches/io/text/csv.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

constexpr const char* kName = "name";    ///< of the column
constexpr const char* kPoint = "point";  ///< of the axis, and of the name in a point: `name` is a key of machines
constexpr const char* kCount = "count";
constexpr std::int64_t kMostOften = 1'000'000'000;
constexpr std::size_t kLongestName = 100;

/// What a column is of: an axis, or one of the two beside them.
struct PointsColumn {
  std::string title;
  const Axis* axis = nullptr;
};

std::vector<PointsColumn> columns_of_points(const Bench& bench, const CsvLine& head, const std::string& place) {
  std::vector<std::string> known{kName, kCount};
  for (const Axis& axis : bench.axes) known.push_back(axis.name);
  std::vector<PointsColumn> columns;
  for (const std::string& cell : head.cells) {
    const std::string title(trimmed(cell));
    if (std::ranges::count(columns, title, &PointsColumn::title) > 0) {
      throw ConfigError(place + ": column " + title + " is there twice");
    }
    const auto axis = std::ranges::find(bench.axes, title, &Axis::name);
    if (axis == bench.axes.end() && title != kName && title != kCount) {
      refuse_axis_of_other_kind(bench, place + ": column " + title, title);
      refuse_name("column", title, known, place + ": bench " + bench.name);
    }
    columns.push_back({title, axis == bench.axes.end() ? nullptr : &*axis});
  }
  if (std::ranges::none_of(columns, [](const PointsColumn& column) { return column.axis != nullptr; })) {
    throw ConfigError(place + ": expected columns that are axes of bench " + bench.name + ", one of " +
                      joined(std::vector<std::string>(known.begin() + 2, known.end())));
  }
  return columns;
}

AxisValue value_of(const Axis& axis, const std::string& place, const std::string& text) {
  if (axis.open) return read_value(axis, place, text);
  const auto found = std::ranges::find(axis.values, text, &AxisValue::label);
  if (found != axis.values.end()) return *found;
  std::vector<std::string> labels;
  for (const AxisValue& value : axis.values) labels.push_back(value.label);
  refuse_name("value", text, labels, place + ": " + axis.name);
}

std::int64_t count_of(const std::string& place, const std::string& text) {
  try {
    const std::int64_t count = parse_quantity(text, Dimension::kCount);
    if (count >= 1 && count <= kMostOften) return count;
    throw ConfigError("expected 1 to 10^9, got " + text);
  } catch (const ConfigError& error) {
    throw ConfigError(place + ": count: " + error.what());
  }
}

/// A line's values in the order of the bench's axes, then its name and count.
AxisValue point_of_line(const Bench& bench, const std::vector<PointsColumn>& columns, const CsvLine& line,
                        const std::string& place) {
  if (line.cells.size() != columns.size()) {
    throw ConfigError(place + ": expected " + counted(static_cast<std::int64_t>(columns.size()), "cell") + ", got " +
                      std::to_string(line.cells.size()));
  }
  AxisValue point("", Json::object());
  const auto cell = [&](const std::string& title) -> std::optional<std::string> {
    const auto column = std::ranges::find(columns, title, &PointsColumn::title);
    if (column == columns.end()) return std::nullopt;
    return std::string(trimmed(line.cells[static_cast<std::size_t>(column - columns.begin())]));
  };
  for (const Axis& axis : bench.axes) {
    const std::optional<std::string> text = cell(axis.name);
    if (!text) continue;
    const AxisValue value = value_of(axis, place, *text);
    point.label += (point.label.empty() ? "" : " ") + value.label;
    if (value.fields.is_object()) {
      point.fields.update(value.fields);
    } else {
      point.fields[axis.name] = value.fields;
    }
  }
  if (const std::optional<std::string> name = cell(kName)) {
    if (name->empty() || name->size() > kLongestName || printable(*name) != *name) {
      throw ConfigError(place + ": name: expected 1 to 100 bytes without control characters, got '" +
                        printable(name->substr(0, kLongestName)) + "'");
    }
    point.label = *name;
  }
  point.fields[kPoint] = point.label;
  if (const std::optional<std::string> count = cell(kCount)) point.fields[kCount] = count_of(place, *count);
  return point;
}

Axis axis_of_points(const Bench& bench, const std::vector<PointsColumn>& columns, const std::vector<CsvLine>& lines,
                    const std::string& file) {
  const bool named = std::ranges::count(columns, kName, &PointsColumn::title) > 0;
  Axis axis{kPoint, {}};
  std::map<std::string, int> seen;
  for (const CsvLine& line : lines) {
    const std::string place = file + ":" + std::to_string(line.number);
    axis.values.push_back(point_of_line(bench, columns, line, place));
    const auto [first, is_new] = seen.emplace(axis.values.back().label, line.number);
    if (!is_new) {
      throw ConfigError(place + ": " + axis.values.back().label + " is in line " + std::to_string(first->second) +
                        ", too: expected " + (named ? "another name" : "a column name") + ", or one line with a count");
    }
  }
  if (axis.values.empty()) throw ConfigError(file + ": expected a line for each point, got a head alone");
  return axis;
}

/// Without what the file says of it: of a sweep what tells its machine.
Json rest_of(const Point& point, const std::set<std::string>& from_file) {
  Json rest = Json::object();
  for (const auto& [name, value] : point.items()) {
    if (!from_file.contains(name)) rest[name] = value;
  }
  return rest;
}

/// What rows that differ in nothing but the file's fields come to. Empty where one of them has no time.
Row total_of(const std::vector<const Row*>& rows, const Json& rest) {
  Row total;
  total.point = rest;
  total.point["derived"] = "total";
  double time = 0;
  double copied = 0;
  std::int64_t runs = 0;
  std::pair<double, std::string> most{0, ""};
  for (const Row* row : rows) {
    if (row->status != "ok" || !row->metrics.has(kTime)) {
      total.status = "skipped";
      total.reason = name_of_point(row->point) + " has no time";
      return total;
    }
    const std::int64_t count = count_of_point(row->point);
    const double all = static_cast<double>(count) * row->metrics.at(kTime);
    time += all;
    copied += static_cast<double>(count) * row->metrics.value_or(kReplicatedTime, 0.0);
    runs = checked_add(runs, count, "count", "runs");
    if (all > most.first) most = {all, name_of_point(row->point)};
  }
  total.metrics = {{kTime, time},
                   {kRunCount, runs},
                   {kPointCount, rows.size()},
                   {kLongestPoint, most.second},
                   {kLongestShare, most.first / time}};
  if (copied > 0) total.metrics.set(kReplicatedTime, copied);
  return total;
}

std::vector<Row> totals_of(const Results& simulated, const std::set<std::string>& from_file) {
  struct Alike {
    Json rest;
    std::vector<const Row*> rows;
  };
  std::vector<Alike> groups;
  for (const Row& row : simulated.rows) {
    Json rest = rest_of(row.point, from_file);
    auto group = std::ranges::find(groups, rest, &Alike::rest);
    if (group == groups.end()) group = groups.insert(groups.end(), Alike{std::move(rest), {}});
    group->rows.push_back(&row);
  }
  std::vector<Row> totals;
  for (const Alike& group : groups) totals.push_back(total_of(group.rows, group.rest));
  return totals;
}

std::string long_time(double ns) {
  constexpr double kNsOfMs = 1e6;
  return ns < kNsOfMs ? formatted("%.4g µs", ns / 1e3) : formatted("%.4g ms", ns / kNsOfMs);
}

}  // namespace

std::string name_of_point(const Point& point) { return point.at(kPoint); }

std::int64_t count_of_point(const Point& point) { return point.value(kCount, std::int64_t{1}); }

std::vector<const Row*> totals_in(const Results& simulated) {
  std::vector<const Row*> totals;
  for (const Row& row : simulated.rows) {
    if (row.point.value("derived", "") == "total") totals.push_back(&row);
  }
  return totals;
}

std::string text_of_total(const Row& total) { return long_time(total.metrics.at(kTime)); }

std::string headline_of_points(const Results& simulated) {
  const Row* least = nullptr;
  const std::vector<const Row*> totals = totals_in(simulated);
  for (const Row* row : totals) {
    if (row->status == "ok" && (least == nullptr || row->metrics.at(kTime) < least->metrics.at(kTime))) least = row;
  }
  if (least == nullptr) return "No total: " + simulated.rows.back().reason + ".";
  std::string text = "All of it, " + counted(least->metrics.at(kRunCount), "run") + " of " +
                     counted(least->metrics.at(kPointCount), "point") + ", takes " + text_of_total(*least);
  if (least->metrics.has(kLongestPoint)) {
    text += "; most of it " + least->metrics.at(kLongestPoint) + ", " + percent(least->metrics.at(kLongestShare));
  }
  if (least->metrics.has(kReplicatedTime)) {
    text += "; before it, not in the time, copies of A or B take " + long_time(least->metrics.at(kReplicatedTime)) +
            " at least";
  }
  if (totals.size() == 1) return text + ".";
  std::string where;
  const Json rest = rest_of(least->point, {"derived"});
  for (const auto& [name, value] : rest.items()) {
    where += (where.empty() ? "" : ", ") + name + " " + plain_text(value);
  }
  return text + "; that is the least of " + std::to_string(totals.size()) + ", with " + where + ".";
}

Bench with_totals(Bench bench, const Bench& of_file) {
  bench.derive = of_file.derive;
  bench.headline = of_file.headline;
  return bench;
}

Bench with_points(const Bench& bench, const std::string& file) {
  std::vector<CsvLine> lines = parse_csv(read_file(file), file);
  if (lines.empty()) throw ConfigError(file + ": expected a head of axes of bench " + bench.name + ", got nothing");
  const std::vector<PointsColumn> columns =
      columns_of_points(bench, lines.front(), file + ":" + std::to_string(lines.front().number));
  lines.erase(lines.begin());
  const Axis points = axis_of_points(bench, columns, lines, file);
  std::set<std::string> from_file;
  for (const AxisValue& point : points.values) {  // a field of a quiet axis not all of them have
    for (const auto& [name, value] : point.fields.items()) from_file.insert(name);
  }
  Bench of_file = bench;
  const auto in_file = [&columns](const Axis& axis) {
    return std::ranges::count(columns, axis.name, &PointsColumn::title) > 0;
  };
  const auto place = std::ranges::find_if(of_file.axes, in_file) - of_file.axes.begin();
  of_file.axes[static_cast<std::size_t>(place)] = points;
  std::erase_if(of_file.axes, in_file);
  of_file.identity = [bench](const MachineSpec& machine, Point point, const PointSettings& settings) {
    for (const char* beside : {kPoint, kCount}) point.erase(beside);
    return identity_of(bench, machine, point, settings);
  };
  of_file.figures = [](const Results& simulated, const Results&) {
    const auto has_time = [](const Row& row) { return row.status == "ok" && row.metrics.has(kTime); };
    return std::ranges::any_of(simulated.rows, has_time) ? std::vector{points_figure(simulated)}
                                                         : std::vector<Figure>{};
  };
  of_file.figures_on_machine = {};
  of_file.traces = {};
  of_file.measured_bench = "";
  of_file.figures_beside = {};
  of_file.toggles = {};
  of_file.derive = [from_file](const Results& simulated) { return totals_of(simulated, from_file); };
  of_file.headline = [](const Results& simulated, const Results&) { return headline_of_points(simulated); };
  return of_file;
}

}  // namespace kernbench
