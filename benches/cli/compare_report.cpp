#include "benches/cli/compare_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/io/text/table.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kNameWidth = 34;
constexpr std::size_t kValueWidth = 15;
constexpr std::size_t kChangeWidth = 11;

std::string label(const Json& point) {
  std::string text;
  for (const auto& [axis, value] : point.items()) {
    text += (text.empty() ? "" : " ") + axis + "=" + plain_text(value);
  }
  return text;
}

std::string shown(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_number_float()) return formatted("%.7g", value.get<double>());
  return plain_text(value);
}

std::string in_percent(double value) {
  // A value that moved never reads as +0.00 %.
  return formatted(std::abs(value) < 0.005 ? "%+.1e %%" : "%+.2f %%", value);
}

/// What is longer than its column is still apart from the next.
std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::size_t shown = display_width(text);
  const std::string space(width > shown ? width - shown : text.empty() ? 0 : 1, ' ');
  return align == Align::kLeft ? text + space : space + text;
}

std::string line(const std::string& name, const std::string& was, const std::string& now, const std::string& change) {
  std::string text = "  " + padded(name, kNameWidth, Align::kLeft) + padded(was, kValueWidth, Align::kRight) +
                     padded(now, kValueWidth, Align::kRight) + padded(change, kChangeWidth, Align::kRight);
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string value_line(const MovedValue& value) {
  const auto percent = value.percent();
  return line(value.name, shown(value.was), shown(value.now), percent ? in_percent(*percent) : "");
}

/// How far each metric moved over all rows, in the order in which the rows name them; stages and links are left to the
/// rows.
struct Spread {
  std::string name;
  std::int64_t rows = 0;
  double least = 0;
  double most = 0;
};

std::vector<Spread> spreads(const ResultsComparison& comparison) {
  std::vector<Spread> found;
  for (const MovedRow& row : comparison.rows) {
    for (const MovedValue& value : row.values) {
      const auto percent = value.percent();
      if (!percent || value.name.find(' ') != std::string::npos) continue;
      auto spread =
          std::find_if(found.begin(), found.end(), [&value](const Spread& other) { return other.name == value.name; });
      if (spread == found.end()) spread = found.insert(found.end(), {value.name, 0, *percent, *percent});
      ++spread->rows;
      spread->least = std::min(spread->least, *percent);
      spread->most = std::max(spread->most, *percent);
    }
  }
  return found;
}

/// "1.84 times as fast in the geometric mean of 24 rows, 0.98 to 1.98": of the rows whose time moved.
std::string speed_up_text(const ResultsComparison& comparison) {
  double logarithms = 0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  std::int64_t rows = 0;
  for (const MovedRow& row : comparison.rows) {
    const auto time = std::ranges::find(row.values, "time_ns", &MovedValue::name);
    if (row.point.contains("derived") || time == row.values.end() || !time->percent() || *time->percent() <= -100)
      continue;
    const double faster = 1 / (1 + *time->percent() / 100);
    logarithms += std::log(faster);
    least = std::min(least, faster);
    most = std::max(most, faster);
    ++rows;
  }
  if (rows == 0) return "";
  return formatted("  %.4g times as fast", std::exp(logarithms / static_cast<double>(rows))) +
         " in the geometric mean of " + counted(rows, "row") + " whose time moved" +
         (rows == 1 ? "" : formatted(", %.4g", least) + formatted(" to %.4g", most)) + "\n";
}

std::string row_lines(const MovedRow& row, std::size_t limit) {
  std::string text = label(row.point);
  if (!row.was) return text + ": a new row\n";
  if (!row.now) return text + ": the row is gone\n";
  text += "\n";
  const std::size_t count = std::min(limit, row.values.size());
  for (std::size_t i = 0; i < count; ++i) text += value_line(row.values[i]);
  if (count < row.values.size()) {
    text += "  and " + counted(static_cast<std::int64_t>(row.values.size() - count), "more value") + "\n";
  }
  return text;
}

}  // namespace

std::string compare_report(const std::string& name, const ResultsComparison& comparison,
                           const CompareReportLimits& limits) {
  std::string text;
  if (!comparison.sources.empty()) text += name + ": the sources differ: " + joined_in_words(comparison.sources) + "\n";
  if (comparison.rows.empty()) return text + name + ": no value differs\n";

  text += name + ": " + counted(static_cast<std::int64_t>(comparison.rows.size()), "row") + " with differences, " +
          counted(static_cast<std::int64_t>(comparison.moved()), "value") + " moved or gone, " +
          std::to_string(comparison.added()) + " added\n";
  text += speed_up_text(comparison);
  for (const Spread& spread : spreads(comparison)) {
    text += "  " + spread.name + " in " + counted(spread.rows, "row") + ": " + in_percent(spread.least);
    text += (spread.least == spread.most ? "" : " to " + in_percent(spread.most)) + "\n";
  }
  text += "\n" + line("value", "was", "now", "change");
  const std::size_t count = std::min(limits.rows, comparison.rows.size());
  for (std::size_t i = 0; i < count; ++i) text += row_lines(comparison.rows[i], limits.values);
  if (count < comparison.rows.size()) {
    text += "and " + counted(static_cast<std::int64_t>(comparison.rows.size() - count), "more row") +
            " (--all shows everything)\n";
  }
  return text;
}

}  // namespace kernbench
