// All ranks around the longest call, a lane a stream.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "benches/traces/report/figure_parts.hpp"
#include "benches/traces/report/table_values.hpp"
#include "benches/traces/report/trace_figures.hpp"
#include "benches/traces/tables/around_longest.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

constexpr int kLanesWidth = 720;
constexpr int kLaneHeight = 22;
constexpr double kPsInUs = 1e6;

/// Of the text after the slash of "0/7"; the whole where two streams of the rank would be called the same.
std::vector<std::string> lanes_of(const TableValues& table) {
  std::map<std::string, std::vector<std::string>> streams;  // by rank and what follows the slash
  const auto short_name = [&table](std::size_t row) {
    const std::string stream = table.text(row, "stream");
    return stream.substr(stream.find('/') + 1);
  };
  const auto key = [&](std::size_t row) { return table.text(row, kRankColumn) + " " + short_name(row); };
  for (std::size_t row = 0; row < table.size(); ++row) {
    std::vector<std::string>& known = streams[key(row)];
    const std::string stream = table.text(row, "stream");
    if (std::ranges::find(known, stream) == known.end()) known.push_back(stream);
  }
  std::vector<std::string> lanes;
  for (std::size_t row = 0; row < table.size(); ++row) {
    const bool is_clear = streams.at(key(row)).size() == 1;
    lanes.push_back("rank " + table.text(row, kRankColumn) + " · stream " +
                    (is_clear ? short_name(row) : table.text(row, "stream")));
  }
  return lanes;
}

Json lanes_spec() {
  return Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "transform": [{"calculate": "datum.start + datum.duration", "as": "end"}],
    "encoding": {
      "y": {"field": "lane", "type": "nominal", "sort": null, "title": null,
            "axis": {"ticks": false, "domain": false, "grid": true, "tickBand": "extent", "labelLimit": 200}},
      "x": {"field": "start", "type": "quantitative", "title": "time since the outlined kernel starts (µs)"},
      "x2": {"field": "end"},
      "tooltip": [{"field": "lane"}, {"field": "activity"}, {"field": "name"},
                  {"field": "start", "title": "start (µs)", "format": ",.3f"},
                  {"field": "duration", "title": "duration (µs)", "format": ",.3f"}]
    },
    "layer": [
      {"mark": {"type": "bar", "clip": true, "height": {"band": 0.72}},
       "encoding": {"color": {"field": "activity", "type": "nominal", "title": null}}},
      {"transform": [{"filter": "datum.longest_call === 'yes'"}],
       "mark": {"type": "bar", "clip": true, "height": {"band": 0.86}, "fillOpacity": 0, "strokeWidth": 2.5}}
    ]
  })json");
}

Json activity_scale(const Json& records) {
  Json scale{{"domain", Json::array()}, {"range", Json::array()}};
  for (const auto& [activity, colour] :
       {std::pair{"computation", palette::kGreen}, std::pair{"communication", palette::kBlue},
        std::pair{"copy", palette::kOrange}}) {
    const auto is_it = [name = activity](const Json& record) { return record.at("activity") == name; };
    if (std::ranges::none_of(records, is_it)) continue;
    scale["domain"].push_back(activity);
    scale["range"].push_back(colour);
  }
  return scale;
}

/// Printed by `format`, with a minus as long as a digit.
std::string signed_text(const char* format, double value) {
  std::string text = formatted(format, value);
  if (text.front() == '-') text.replace(0, 1, "−");
  return text == "−0" ? "0" : text;
}

/// What the ranks' clocks are.
std::string clock_note(const TableValues& table) {
  std::vector<std::string> shifted;
  std::map<std::string, double> ends;  // by rank
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string rank = table.text(row, kRankColumn);
    if (const auto median = table.number(row, "ends_us")) ends[rank] = *median;
    const double shift = table.number(row, "shift_us").value_or(0);
    const std::string text = "rank " + rank + " by " + signed_text("%+.3f", shift) + " µs";
    if (shift != 0 && std::ranges::find(shifted, text) == shifted.end()) shifted.push_back(text);
  }
  if (!shifted.empty()) return "Clocks: shifted by the ends of collectives, as merge does: " + joined(shifted) + ".";
  if (ends.size() < 2) return "Clocks: those of the files.";
  const auto [least, most] = std::ranges::minmax_element(ends, {}, [](const auto& of_rank) { return of_rank.second; });
  return "Clocks: those of the files; the ends of collectives differ from those of the first rank by " +
         signed_text("%.0f", least->second) + " to " + signed_text("%.0f", most->second) + " µs (medians).";
}

}  // namespace

std::optional<Figure> around_longest_figure(const TraceTable& around, const std::vector<std::string>& axes,
                                            const std::string& source) {
  const TableValues table(around);
  if (table.size() == 0) return std::nullopt;
  const std::vector<std::string> lanes = lanes_of(table);
  Json records = Json::array();
  double duration = 0;
  std::string what;
  for (std::size_t row = 0; row < table.size(); ++row) {
    records.push_back({{"lane", lanes[row]},
                       {"rank", table.text(row, kRankColumn)},
                       {"activity", table.text(row, "activity")},
                       {"name", table.text(row, "name")},
                       {"start", table.number(row, "start_us").value_or(0)},
                       {"duration", table.number(row, "duration_us").value_or(0)},
                       {"longest_call", table.text(row, "longest_call")}});
    if (table.text(row, "longest_call").empty()) continue;
    duration = records.back().at("duration");
    const std::string place = place_text(table, row, axes);
    what = "rank " + table.text(row, kRankColumn) + (place.empty() ? "" : " of " + place);
  }
  const double margin =
      static_cast<double>(time_around(static_cast<TracePs>(std::llround(duration * kPsInUs)))) / kPsInUs;
  Json spec = lanes_spec();
  spec["width"] = kLanesWidth;
  spec["height"] = {{"step", kLaneHeight}};
  spec["encoding"]["x"]["scale"] = {{"domain", {-margin, duration + margin}}, {"nice", false}};
  spec["layer"][0]["encoding"]["color"]["scale"] = activity_scale(records);
  spec["layer"][1]["mark"]["stroke"] = palette::kInk;
  spec["data"] = {{"values", std::move(records)}};
  const std::string title = "All ranks around the longest call";
  spec["title"] = figure_title(
      title, source,
      {"Outlined: " + what + ", the longest call of the GEMM whose calls vary most, " + formatted("%.1f µs.", duration),
       clock_note(table)});
  spec["config"] = figure_config();
  return Figure{"around_longest_call", title, std::move(spec)};
}

}  // namespace kernbench::traces
