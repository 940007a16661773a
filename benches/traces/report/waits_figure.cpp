// Who waits in which collective, as a heat map.
#include <algorithm>
#include <numeric>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/traces/report/figure_parts.hpp"
#include "benches/traces/report/table_values.hpp"
#include "benches/traces/report/trace_figures.hpp"

namespace kernbench::traces {
namespace {

constexpr int kWaitsWidth = 360;
constexpr int kWaitsInARow = 2;
constexpr std::size_t kMostWaitPanels = 8;
constexpr std::size_t kMostWaitColumns = 24;  // of a panel
constexpr const char* kWaitPrefix = "wait_rank";
constexpr const char* kWaitSuffix = "_us";

/// The collectives of a process group at a point, or those of them that are shown.
struct GroupWaits {
  std::string title;
  std::string missing;            ///< ranks of the group that nothing is seen of
  std::vector<std::size_t> rows;  ///< of the table
  std::size_t all = 0;
  double wait_us = 0;  ///< in all of them
};

/// Columns of waits, in the order of ranks, with the rank.
std::vector<std::pair<std::string, std::string>> wait_columns(const TraceTable& table) {
  std::vector<std::pair<std::string, std::string>> columns;
  for (const TraceColumn& column : table.columns) {
    if (!column.name.starts_with(kWaitPrefix) || !column.name.ends_with(kWaitSuffix)) continue;
    const std::size_t prefix = std::string(kWaitPrefix).size();
    columns.emplace_back(column.name,
                         column.name.substr(prefix, column.name.size() - prefix - std::string(kWaitSuffix).size()));
  }
  return columns;
}

class Waits {
 public:
  explicit Waits(const TraceTable& table) : values_(table), columns_(wait_columns(table)) {}

  [[nodiscard]] const TableValues& values() const { return values_; }

  [[nodiscard]] double of(std::size_t row) const {
    double sum = 0;
    for (const auto& [column, rank] : columns_) sum += values_.number(row, column).value_or(0);
    return sum;
  }

  /// A record a rank that has it.
  void add_records(Json& records, std::size_t row) const {
    for (const auto& [column, rank] : columns_) {
      const auto wait = values_.number(row, column);
      if (!wait) continue;
      records.push_back({{"collective", values_.text(row, "index")},
                         {"kind", values_.text(row, "collective")},
                         {"rank", rank},
                         {"wait", *wait},
                         {"latency", values_.number(row, "latency_us").value_or(0)},
                         {"last", values_.text(row, "last_rank")}});
    }
  }

 private:
  TableValues values_;
  std::vector<std::pair<std::string, std::string>> columns_;
};

/// By point and process group; of their titles what they have alike is left out.
std::vector<GroupWaits> groups_of(const Waits& waits, std::vector<std::string> axes) {
  const TableValues& table = waits.values();
  const bool has_ranks = table.values("group_ranks").size() > 1;
  if (has_ranks || table.values("group").size() > 1) axes.emplace_back("group");
  std::vector<GroupWaits> groups;
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::string title = place_text(table, row, axes);
    if (has_ranks) title += " " + table.text(row, "group_ranks");
    auto found = std::ranges::find(groups, title, &GroupWaits::title);
    if (found == groups.end()) found = groups.insert(found, {title, table.text(row, "missing_ranks"), {}, 0, 0});
    found->rows.push_back(row);
    found->wait_us += waits.of(row);
    ++found->all;
  }
  return groups;
}

/// Those with the most waiting, in the order in which they were.
template <typename Item, typename WaitOf>
void keep_most(std::vector<Item>& items, std::size_t count, WaitOf wait_of) {
  if (items.size() <= count) return;
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return -wait_of(items[i]); });
  order.resize(count);
  std::ranges::sort(order);
  std::vector<Item> kept;
  for (const std::size_t i : order) kept.push_back(std::move(items[i]));
  items = std::move(kept);
}

Json panel_of(const Waits& waits, const GroupWaits& group) {
  Json panel = Json::parse(R"json({
    "mark": {"type": "rect"},
    "encoding": {
      "x": {"field": "collective", "type": "nominal", "sort": null, "title": "collective",
            "axis": {"labelAngle": 0, "labelOverlap": "greedy", "ticks": false, "domain": false}},
      "y": {"field": "rank", "type": "nominal", "sort": null, "title": "rank",
            "axis": {"labelOverlap": "greedy", "ticks": false, "domain": false}},
      "color": {"field": "wait", "type": "quantitative", "title": "wait (µs)",
                "legend": {"gradientLength": 240}},
      "tooltip": [{"field": "collective"}, {"field": "kind"}, {"field": "rank"},
                  {"field": "wait", "title": "wait (µs)", "format": ",.3f"},
                  {"field": "latency", "title": "latency (µs)", "format": ",.3f"},
                  {"field": "last", "title": "last rank"}]
    }
  })json");
  Json records = Json::array();
  for (const std::size_t row : group.rows) waits.add_records(records, row);
  const std::size_t ranks = records.empty() ? 1 : records.size() / group.rows.size();
  panel["width"] = kWaitsWidth;
  panel["height"] = {{"step", ranks > 16 ? 12 : 20}};
  panel["encoding"]["color"]["scale"] = {{"scheme", "yellowgreenblue"}};
  panel["data"] = {{"values", std::move(records)}};
  return panel;
}

/// What is not shown, and what is missing.
std::string subtitle_of(const GroupWaits& group) {
  std::string text;
  if (group.rows.size() < group.all) {
    text = std::to_string(group.rows.size()) + " of " + counted(static_cast<std::int64_t>(group.all), "collective");
  }
  if (!group.missing.empty()) text += (text.empty() ? "" : "; ") + ("ranks missing: " + group.missing);
  return text;
}

}  // namespace

std::optional<Figure> waits_figure(const TraceTable& collectives, const std::vector<std::string>& axes,
                                   const std::string& source) {
  const Waits waits(collectives);
  std::vector<GroupWaits> groups = groups_of(waits, axes);
  std::erase_if(groups, [](const GroupWaits& group) { return group.wait_us <= 0; });
  if (groups.empty()) return std::nullopt;
  std::vector<std::string> notes{
      "How long each rank waits in a collective for the last one to come: latest start − own start."};
  const auto lacks_ranks = [](const GroupWaits& group) { return !group.missing.empty(); };
  if (std::ranges::any_of(groups, lacks_ranks)) {
    notes.emplace_back("Where ranks are missing it is at least that long.");
  }
  const auto is_long = [](const GroupWaits& group) { return group.all > kMostWaitColumns; };
  if (std::ranges::any_of(groups, is_long)) {
    notes.push_back("Of a group's collectives the " + std::to_string(kMostWaitColumns) +
                    " in which all ranks together wait longest, in their order.");
  }
  if (groups.size() > kMostWaitPanels) {
    notes.push_back("Of " + std::to_string(groups.size()) + " groups and points the " +
                    std::to_string(kMostWaitPanels) + " with the longest waits.");
  }
  keep_most(groups, kMostWaitPanels, [](const GroupWaits& group) { return group.wait_us; });
  std::vector<std::string> titles;
  std::vector<Json> panels;
  double most = 0;
  for (GroupWaits& group : groups) {
    keep_most(group.rows, kMostWaitColumns, [&waits](std::size_t row) { return waits.of(row); });
    titles.push_back(group.title);
    panels.push_back(panel_of(waits, group));
    for (const Json& record : panels.back()["data"]["values"]) most = std::max(most, record.at("wait").get<double>());
  }
  for (Json& panel : panels) panel["encoding"]["color"]["scale"]["domain"] = {0, most};
  const std::string title = "Who waits in collectives";
  Json spec = panels_of(titles, std::move(panels), kWaitsInARow);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const std::string subtitle = subtitle_of(groups[i]);
    if (!subtitle.empty()) spec["concat"][i]["title"]["subtitle"] = subtitle;
  }
  spec["title"] = figure_title(title, source, notes);
  return Figure{"collective_waits", title, std::move(spec)};
}

}  // namespace kernbench::traces
