#include "benches/traces/report/trace_report.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "benches/io/text/numbers.hpp"
#include "benches/traces/events/trace_warnings.hpp"
#include "benches/traces/report/table_values.hpp"
#include "benches/traces/tables/around_longest.hpp"
#include "benches/traces/tables/column_meanings.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/timeline.hpp"
#include "benches/traces/tables/top.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

double sum_of(const TableValues& table, const char* column) {
  double sum = 0;
  for (std::size_t row = 0; row < table.size(); ++row) sum += table.number(row, column).value_or(0);
  return sum;
}

std::string timeline_sentence(const TraceTable& timeline) {
  const TableValues table(timeline);
  const double total = sum_of(table, "total_us");
  if (total == 0) return "";
  std::string text = "Over " + counted(static_cast<std::int64_t>(table.size()), "trace") + " the GPUs compute " +
                     percent(sum_of(table, "computation_us") / total) + " of the time; " +
                     percent(sum_of(table, "exposed_comm_us") / total) + " is communication that nothing hides, ";
  if (sum_of(table, "exposed_copy_us") > 0) text += percent(sum_of(table, "exposed_copy_us") / total) + " copies, ";
  return text + percent(sum_of(table, "idle_us") / total) + " idle.";
}

std::string gemm_sentence(const TraceTable& gemms) {
  const TableValues table(gemms);
  std::optional<std::size_t> widest;
  // Of a row without a shape the calls may be of several GEMMs.
  const auto spread = [&table](std::size_t row) {
    return table.number(row, "M") ? table.number(row, "spread_us").value_or(0) : 0;
  };
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!widest || spread(row) > spread(*widest)) widest = row;
  }
  if (!widest || spread(*widest) == 0) return "";
  return " The GEMM whose calls vary most within a rank is " + gemm_text(table, *widest) + ": " +
         formatted("%.0f", table.number(*widest, "min_us").value_or(0)) + " to " +
         formatted("%.0f µs", table.number(*widest, "max_us").value_or(0)) + " (" +
         place_text(table, *widest, table.places()) + ").";
}

/// What the call that lost most took instead, and to what it lost it.
std::string cause_sentence(const TraceTable& causes) {
  const TableValues table(causes);
  std::optional<std::size_t> worst;
  const auto excess = [&table](std::size_t row) { return table.number(row, "excess_us").value_or(0); };
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (!worst || excess(row) > excess(*worst)) worst = row;
  }
  if (!worst || excess(*worst) <= 0) return "";
  std::string parts;
  for (const char* cause : {"kernel", "contention", "clock", "unexplained"}) {
    const double time = table.number(*worst, std::string(cause) + "_us").value_or(0);
    if (std::abs(time) < excess(*worst) / 100) continue;
    parts += (parts.empty() ? "" : ", ") + std::string(cause) + formatted(" %.0f µs", time);
  }
  const double duration = table.number(*worst, "duration_us").value_or(0);
  return " The call that lost most took " + formatted("%.0f µs instead of ", duration) +
         formatted("%.0f: ", duration - excess(*worst)) + parts + " (" + place_text(table, *worst, table.places()) +
         ").";
}

/// Of collectives that not all ranks are seen of.
std::string missing_sentence(const TraceTable& collectives) {
  const TableValues table(collectives);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const std::string missing = table.text(row, "missing_ranks");
    if (missing.empty()) continue;
    if (missing == "not known") return "How many ranks there are is not known, nor who waits for whom. ";
    return "Ranks missing: " + missing + "; who waits for whom is not known. ";
  }
  return "";
}

/// "overlapped" of overlapped_us: the unit stands in brackets on the page.
std::string heading_of(const TraceColumn& column) {
  if (column.unit == "µs") return column.name.substr(0, column.name.rfind("_us"));
  if (column.unit == "%") return column.name.substr(0, column.name.rfind("_pct")) + " (%)";
  return column.name;
}

constexpr std::size_t kMostPageRows = 5000;
constexpr int kLastShownRank = 5;  ///< of columns: those that a narrow terminal lacks first are not shown at first

Json page_table(const TraceTable& table) {
  Json columns = Json::array();
  for (const TraceColumn& column : table.columns) {
    // The page reads "%" as the unit of fractions of one.
    columns.push_back({{"key", column.name},
                       {"heading", heading_of(column)},
                       {"unit", column.unit == "%" ? "" : column.unit},
                       {"meaning", column_meaning(table, column)},
                       {"shown", shown_rank(table, column) <= kLastShownRank}});
  }
  const std::size_t count = std::min(table.rows.size(), kMostPageRows);
  Json rows = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    Json row = Json::object();
    for (std::size_t cell = 0; cell < table.columns.size(); ++cell) {
      row[table.columns[cell].name] = cell_json(table.rows[i][cell]);
    }
    rows.push_back(std::move(row));
  }
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::string more = "All of it: tables/" + table.name + ".csv.";
  if (count < table.rows.size()) {
    more = "The first " + grouped(static_cast<std::int64_t>(count)) + " of " +
           counted(static_cast<std::int64_t>(table.rows.size()), "row") + ". " + more;
  }
  return {{"title", table.name},
          {"meaning", table_meaning(table.name) + " " + more},
          {"columns", columns},
          {"rows", rows},
          {"places", places}};
}

}  // namespace

std::vector<TraceTable> report_tables(const std::vector<PlacedTrace>& traces, const TraceSelection& selection) {
  std::vector<TraceTable> tables;
  tables.push_back(timeline_table(traces, selection));
  tables.push_back(gemms_table(traces, selection));
  tables.push_back(gemm_calls_table(traces, selection));
  return tables;
}

std::vector<TraceTable> reason_tables(const std::vector<PlacedTrace>& traces, const TraceSelection& selection,
                                      const AloneTimesOf& alone) {
  const std::vector<TimedGroup> groups = timed_groups(traces, selection);
  std::vector<TraceTable> tables;
  tables.push_back(top_table(traces, selection, kTopRows));
  tables.push_back(causes_table(traces, selection, kTopRows, CausedCalls::kLongest));
  tables.push_back(slowdowns_table(traces, selection));
  tables.push_back(collectives_table(traces, groups, alone));
  tables.push_back(stragglers_table(traces, groups));
  tables.push_back(left_over_table(traces, groups));
  tables.push_back(around_longest_table(traces, selection, groups));
  return tables;
}

std::vector<TraceTable> compared_reason_tables(const std::vector<PlacedTrace>& traces, const TraceSelection& selection,
                                               const AloneTimesOf& alone) {
  std::vector<TraceTable> tables;
  tables.push_back(slowdowns_table(traces, selection));
  tables.push_back(collectives_table(traces, timed_groups(traces, selection), alone));
  return tables;
}

std::string report_source(const std::vector<PlacedTrace>& traces, const TraceSelection& selection) {
  std::vector<std::string> devices;
  for (const PlacedTrace& placed : traces) {
    for (const std::string& device : placed.trace.devices) {
      if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    }
  }
  std::string text = counted(static_cast<std::int64_t>(traces.size()), "trace");
  if (!devices.empty()) text += " · " + joined(devices);
  text += selection.unlinked ? " · all GPU events" : " · GPU events with a launch";
  if (selection.steps) {
    text += " · steps " + std::to_string(selection.steps->first) + ".." + std::to_string(selection.steps->last);
  }
  return text;
}

std::string report_headline(const std::vector<TraceTable>& tables) {
  std::string text;
  if (const TraceTable* all = find_table(tables, "collectives"); all != nullptr) text += missing_sentence(*all);
  if (const TraceTable* timeline = find_table(tables, "timeline"); timeline != nullptr) {
    text += timeline_sentence(*timeline);
  }
  if (const TraceTable* gemms = find_table(tables, "gemms"); gemms != nullptr) text += gemm_sentence(*gemms);
  if (const TraceTable* causes = find_table(tables, "causes"); causes != nullptr) text += cause_sentence(*causes);
  return text;
}

std::vector<std::string> report_warnings(const std::vector<PlacedTrace>& traces,
                                         const std::vector<TraceTable>& tables) {
  std::vector<std::string> lines;
  for (const TraceTable& table : tables) {
    for (const std::string& note : table.notes) {
      if (std::ranges::find(lines, note) == lines.end()) lines.push_back(note);
    }
  }
  for (std::string& line : warning_lines(traces)) lines.push_back(std::move(line));
  return lines;
}

std::vector<NewFile> table_files(const std::vector<TraceTable>& tables) {
  std::vector<NewFile> files;
  for (const TraceTable& table : tables) {
    require_columns_once(table);
    files.push_back({std::filesystem::path("tables") / (table.name + ".csv"), table_csv(table)});
    files.push_back({std::filesystem::path("tables") / (table.name + ".json"), table_json(table)});
  }
  return files;
}

Json trace_page_tables(const std::vector<TraceTable>& tables) {
  Json all = Json::array();
  for (const TraceTable& table : tables) {
    if (!table.rows.empty()) all.push_back(page_table(table));
  }
  return all;
}

}  // namespace kernbench::traces
