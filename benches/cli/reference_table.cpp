// Columns are chosen by what the rows have; a time column has one unit, that of its median.
#include "benches/cli/reference_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/measured/reference/checked_row.hpp"
#include "benches/measured/reference/row_counts.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

/// How the values of a column are written.
struct Scale {
  std::string title;
  double factor = 1;
  bool percent = false;
};

struct NamedUnit {
  const char* end;
  const char* shown;
};

constexpr std::array<NamedUnit, 10> kUnits{{{"_gbs", "GB/s"},
                                            {"_gbps", "GB/s"},
                                            {"_bytes_total", "B total"},
                                            {"_bytes", "B"},
                                            {"_mb", "MB"},
                                            {"_mhz", "MHz"},
                                            {"_ms", "ms"},
                                            {"_w", "W"},
                                            {"_c", "°C"},
                                            {"_s", "s"}}};

std::vector<double> values_of(const std::vector<const Row*>& rows, const std::string& metric) {
  std::vector<double> values;
  for (const Row* row : rows) {
    const auto found = row->metrics.json().find(metric);
    if (found != row->metrics.json().end() && found->is_number()) values.push_back(found->get<double>());
  }
  return values;
}

Scale time_scale(const std::string& name, std::vector<double> values) {
  if (values.empty()) return {name + " (ns)"};
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  const double median = values[values.size() / 2];
  if (median < 1e3) return {name + " (ns)"};
  if (median < 1e6) return {name + " (µs)", 1e-3};
  return {name + " (ms)", 1e-6};
}

Scale scale_of(const std::string& metric, const std::vector<const Row*>& rows) {
  if (metric.ends_with("_ns")) return time_scale(metric.substr(0, metric.size() - 3), values_of(rows, metric));
  if (metric.ends_with("_fraction") || metric == "efficiency" || metric == "rerun_spread") return {metric, 100, true};
  if (metric == "gbs") return {"GB/s"};
  if (metric == "tflops") return {"TFLOPS"};
  if (metric == "tflops_per_watt") return {"TFLOPS/W"};
  if (metric == "inference_speed") return {"inference_speed (1/s)"};
  for (const NamedUnit& unit : kUnits) {
    if (!metric.ends_with(unit.end)) continue;
    return {metric.substr(0, metric.size() - std::string_view(unit.end).size()) + " (" + unit.shown + ")"};
  }
  return {metric};
}

/// Four digits that matter, or all of a whole number.
std::string number_text(double value, const Scale& scale) {
  const double shown = value * scale.factor;
  if (scale.percent) return formatted(shown < 1 ? "%.2g %%" : "%.1f %%", shown);
  const double size = std::abs(shown);
  if (size >= 1e15) return formatted("%.4g", shown);
  if (size >= 1000 || shown == 0) return grouped(std::llround(shown));
  if (size >= 100) return formatted("%.1f", shown);
  if (size >= 10) return formatted("%.2f", shown);
  if (size >= 0.1) return formatted("%.3f", shown);
  return formatted("%.3g", shown);
}

std::string metric_text(const Row& row, const std::string& metric, const Scale& scale) {
  const auto found = row.metrics.json().find(metric);
  if (found == row.metrics.json().end()) return "";
  if (found->is_number_integer() && scale.factor == 1) return grouped(found->get<std::int64_t>());
  return found->is_number() ? number_text(found->get<double>(), scale) : plain_text(*found);
}

/// Names that some row has, in the order `wanted`; all of them in order of appearance where that is empty.
std::vector<std::string> present(const std::vector<const Row*>& rows, const std::vector<std::string>& wanted) {
  std::vector<std::string> seen;
  for (const Row* row : rows) {
    for (const auto& [name, value] : row->metrics.json().items()) {
      if (std::find(seen.begin(), seen.end(), name) == seen.end()) seen.push_back(name);
    }
  }
  if (wanted.empty()) return seen;
  std::vector<std::string> shown;
  for (const std::string& name : wanted) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) shown.push_back(name);
  }
  return shown;
}

std::vector<const Row*> rows_that_are(const Results& results, const std::string& status) {
  std::vector<const Row*> rows;
  for (const Row& row : results.rows) {
    if (row.status == status) rows.push_back(&row);
  }
  return rows;
}

/// Fields of the points of some row, in the order in which rows have them.
std::vector<std::string> point_fields(const std::vector<const Row*>& rows, const ReferenceBench& bench) {
  std::vector<std::string> names{kDeviceField};
  for (const PointField& field : bench.point) names.push_back(field.name);
  const auto absent = [&rows](const std::string& name) {
    return std::none_of(rows.begin(), rows.end(), [&name](const Row* row) { return row->point.contains(name); });
  };
  names.erase(std::remove_if(names.begin(), names.end(), absent), names.end());
  return names;
}

/// Takes the fields out that have one value in all of several rows, and says which.
std::string take_common(const std::vector<const Row*>& rows, std::vector<std::string>& fields) {
  std::string text;
  std::erase_if(fields, [&](const std::string& name) {
    const auto same = [&](const Row* row) {
      return row->point.contains(name) && row->point.at(name) == rows.front()->point.at(name);
    };
    if (rows.size() < 2 || !rows.front()->point.contains(name) || !std::ranges::all_of(rows, same)) return false;
    text += (text.empty() ? "" : ", ") + name + " " + plain_text(rows.front()->point.at(name));
    return true;
  });
  return text;
}

TableColumn column_of(const std::string& field, const std::vector<const Row*>& rows) {
  const bool is_number = std::any_of(rows.begin(), rows.end(), [&field](const Row* row) {
    return row->point.contains(field) && row->point.at(field).is_number();
  });
  return {.title = field, .align = is_number ? Align::kRight : Align::kLeft};
}

std::string point_text(const Row& row, const std::string& field) {
  return row.point.contains(field) ? plain_text(row.point.at(field)) : "";
}

std::string table_of(const std::vector<const Row*>& rows, const ReferenceBench& bench, const Terminal& terminal) {
  std::vector<std::string> fields = point_fields(rows, bench);
  const std::string common = terminal.width > 0 ? take_common(rows, fields) : "";
  const std::vector<std::string> metrics = present(rows, bench.shown);
  std::vector<TableColumn> columns;
  for (const std::string& name : fields) columns.push_back(column_of(name, rows));
  std::vector<Scale> scales;
  for (const std::string& metric : metrics) {
    scales.push_back(scale_of(metric, rows));
    const Align align = values_of(rows, metric).empty() ? Align::kLeft : Align::kRight;
    columns.push_back({scales.back().title, align, static_cast<int>(scales.size()) - 1});  // the first is why we look
  }
  columns.push_back({.title = "flags", .rank = 9, .wraps = true});
  Table table(columns);
  for (const Row* row : rows) {
    std::vector<TableCell> cells;
    cells.reserve(columns.size());
    for (const std::string& name : fields) cells.emplace_back(point_text(*row, name));
    for (std::size_t i = 0; i < metrics.size(); ++i) cells.emplace_back(metric_text(*row, metrics[i], scales[i]));
    cells.emplace_back(joined(row->flags, " "), Style::kYellow);
    table.add_row(std::move(cells));
  }
  return (common.empty() ? "" : prose("in every row: " + common, terminal) + "\n") + table.format(terminal);
}

/// Rows that differ in nothing but `field`, by its values.
struct AcrossLine {
  Json rest;
  std::vector<const Row*> rows;
};

std::vector<AcrossLine> lines_across(const std::vector<const Row*>& rows, const std::string& field,
                                     const std::vector<std::string>& values) {
  std::vector<AcrossLine> lines;
  for (const Row* row : rows) {
    Json rest = row->point;
    rest.erase(field);
    auto line = std::ranges::find(lines, rest, &AcrossLine::rest);
    if (line == lines.end()) {
      lines.push_back({rest, std::vector<const Row*>(values.size())});
      line = std::prev(lines.end());
    }
    const auto value = std::ranges::find(values, point_text(*row, field));
    line->rows[static_cast<std::size_t>(value - values.begin())] = row;
  }
  return lines;
}

/// The good row with the best of a metric, and how many times better than the next one it is; none where one is alone.
std::pair<const Row*, double> best_of(const std::vector<const Row*>& rows, const std::string& metric) {
  std::vector<const Row*> good;
  for (const Row* row : rows) {
    const bool counts = row != nullptr && row->status == "ok" && row->metrics.json().contains(metric);
    if (counts && row->metrics.json().at(metric).is_number()) good.push_back(row);
  }
  if (good.size() < 2) return {nullptr, 0};
  std::ranges::stable_sort(good, {},
                           [&metric](const Row* row) { return row->metrics.json().at(metric).get<double>(); });
  if (!metric.ends_with("_ns")) std::ranges::reverse(good);
  const double best = good[0]->metrics.json().at(metric).get<double>();
  const double next = good[1]->metrics.json().at(metric).get<double>();
  return {good[0], metric.ends_with("_ns") ? next / best : best / next};
}

/// The distinct values of a field, as rows have them.
std::vector<std::string> values_across(const std::vector<const Row*>& rows, const std::string& field) {
  std::vector<std::string> values;
  for (const Row* row : rows) {
    const std::string value = point_text(*row, field);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

/// A row's metric, or its status where it is not good.
TableCell cell_across(const Row* row, const Row* best, const std::string& metric, const Scale& scale) {
  if (row == nullptr) return "";
  if (row->status != "ok") return {row->status, row->status == "failed" ? Style::kRed : Style::kYellow};
  return {metric_text(*row, metric, scale), row == best ? Style::kBold : Style::kPlain};
}

/// A line of the table.
std::vector<TableCell> cells_across(const AcrossLine& line, const std::vector<std::string>& fields,
                                    const std::string& field, const std::string& metric, const Scale& scale) {
  const auto [best, ahead] = best_of(line.rows, metric);
  const Row* any = *std::ranges::find_if(line.rows, [](const Row* row) { return row != nullptr; });
  std::vector<TableCell> cells;
  for (const std::string& name : fields) cells.emplace_back(point_text(*any, name));
  for (const Row* row : line.rows) cells.push_back(cell_across(row, best, metric, scale));
  if (best == nullptr) return cells;
  cells.emplace_back(point_text(*best, field), Style::kBold);
  cells.emplace_back(formatted("%.2f ×", ahead));
  return cells;
}

std::string reasons(const std::vector<const Row*>& rows, Style style, const Terminal& terminal) {
  std::string text;
  for (const Row* row : rows) {
    const std::string line = prose(row->status + ": " + point_in_words(row->point) + ": " + row->reason, terminal);
    text += styled(row->status, style, terminal.colours) + line.substr(row->status.size());
  }
  return text;
}

/// What the run did not come to, from its provenance.
std::string left_out(const Results& results, const Terminal& terminal) {
  const auto skipped = results.provenance.find("skipped");
  if (skipped == results.provenance.end() || !skipped->is_array()) return "";
  std::string text;
  for (const Json& entry : *skipped) {
    if (!entry.is_object()) continue;
    const auto part = [&entry](const char* name) { return entry.contains(name) ? plain_text(entry.at(name)) : "?"; };
    text += prose("left out: " + part("what") + ", " + part("cases") + " cases: " + part("why"), terminal);
  }
  return text;
}

std::string heading(const Results& results) {
  std::string text = results.bench + ": " + counts_in_words(count_rows(results));
  const std::string date = provenance_text(results, "created_at");
  if (!date.empty()) text += "; " + date;
  for (const auto& [name, label] : {std::pair("driver", ", driver "), std::pair("cuda_runtime", ", CUDA ")}) {
    const std::string version = environment_text(results, name);
    if (!version.empty()) text += label + version;
  }
  return text;
}

std::string listed(const Json& values) {
  std::string text;
  for (const auto& [name, value] : values.items()) text += (text.empty() ? "" : ", ") + name + " " + plain_text(value);
  return text;
}

}  // namespace

std::string format_card(const Device& device, const Terminal& terminal) {
  Json tflops = Json::object();
  for (const auto& [dtype, peak] : device.peak_tflops) tflops[dtype] = peak;
  std::string text = device.name + " (" + device.slug + ")\n";
  const auto line = [&](const char* head, const std::string& value) { text += hanging(head, value, terminal.width); };
  line("  TFLOPS, dense  ", listed(tflops));
  line("  memory         ", formatted("%g", device.memory_gbs) + " GB/s");
  if (device.link_gbs) line("  links          ", formatted("%g", *device.link_gbs) + " GB/s in each direction");
  if (device.power_w) line("  power limit    ", formatted("%g", *device.power_w) + " W");
  line("  peaks from     ", device.basis + ": " + device.source);
  if (!device.facts.empty()) line("  facts          ", listed(device.facts));
  return printable_lines(text);
}

std::string format_rows(const Results& results, const ReferenceBench& bench, const Terminal& terminal) {
  std::string text = styled(prose(printable_lines(heading(results)), terminal), Style::kBold, terminal.colours);
  const auto good = rows_that_are(results, "ok");
  if (!good.empty()) text += "\n" + table_of(good, bench, terminal);
  const std::string rest = reasons(rows_that_are(results, "failed"), Style::kRed, terminal) +
                           reasons(rows_that_are(results, "skipped"), Style::kYellow, terminal) +
                           left_out(results, terminal);
  return text + (rest.empty() ? "" : "\n" + rest);
}

std::string format_across(const Results& results, const ReferenceBench& bench, const std::string& field,
                          const Terminal& terminal) {
  std::vector<const Row*> rows;
  for (const Row& row : results.rows) rows.push_back(&row);
  std::vector<std::string> fields = point_fields(rows, bench);
  if (std::erase(fields, field) == 0) refuse_name("field", field, fields, "--across, " + results.bench);
  const std::string common = take_common(rows, fields);
  const std::vector<std::string> metrics = present(rows, bench.shown);
  if (metrics.empty()) return format_rows(results, bench, terminal);
  const std::string& metric = metrics.front();
  const Scale scale = scale_of(metric, rows);
  const std::vector<std::string> values = values_across(rows, field);
  std::vector<TableColumn> columns;
  for (const std::string& name : fields) columns.push_back(column_of(name, rows));
  for (const std::string& value : values) columns.push_back({.title = value, .align = Align::kRight});
  columns.push_back({.title = "best"});
  columns.push_back({.title = "ahead", .align = Align::kRight});
  Table table(columns);
  for (const AcrossLine& line : lines_across(rows, field, values)) {
    table.add_row(cells_across(line, fields, field, metric, scale));
  }
  return styled(prose(printable_lines(heading(results)), terminal), Style::kBold, terminal.colours) +
         prose(scale.title + ", across " + field + (common.empty() ? "" : "; in every row: " + common), terminal) +
         "\n" + table.format(terminal);
}

}  // namespace kernbench
