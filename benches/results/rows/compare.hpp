// What moved between two results of one bench: row by row and value by value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// One value of a row: a metric or window by its name, `dma_in@pe0.dma_in busy_ns` of a stage, `LINK utilisation`.
struct MovedValue {
  std::string name;
  Json was;  ///< null: not there
  Json now;  ///< null: not there
  /// Of two numbers, relative to what was; empty where that is 0 or one of them is no number.
  [[nodiscard]] std::optional<double> percent() const;
};

/// A row of which something moved. One that is in one of the results only has no values.
struct MovedRow {
  Json point;
  bool was = true;
  bool now = true;
  std::vector<MovedValue> values;
};

struct ResultsComparison {
  std::vector<std::string> sources;  ///< in what the sources differ, as staleness() says it
  std::vector<MovedRow> rows;
  bool model_lowered = false;

  /// Values that both have and that differ, or that only the first has: numbers that somebody may have relied on.
  [[nodiscard]] std::size_t moved() const;
  /// Values and rows that only the second has.
  [[nodiscard]] std::size_t added() const;
};

/// Rows belong together by their points. Reasons of rows that are not ok are words and are not compared.
ResultsComparison compare_results(const Results& before, const Results& after);

/// Why `after` may not take the place of committed results: something moved although machine, bench and model are of
/// the same versions, or the model's version went back (adr/0009, 9.11). Empty: it may.
std::string approval_refused(const ResultsComparison& comparison);

}  // namespace kernbench
