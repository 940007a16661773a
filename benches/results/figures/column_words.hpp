// What the columns of a page's tables are called, in plain words: one table, from which the page and docs/glossary.md
// follow.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kernbench {

/// A unit of kShare: the column's values are fractions of one and are shown in percent.
inline constexpr std::string_view kShare = "%";

struct ColumnWords {
  std::string_view key;      ///< axis, metric or window of a row
  std::string_view heading;  ///< what a column's head says
  std::string_view unit;     ///< empty: none
  std::string_view meaning;  ///< a sentence
};

/// Every column that has words.
std::span<const ColumnWords> column_words();

/// The words of a key, nullptr where it has none: an axis or metric of somebody's own bench.
const ColumnWords* find_column_words(std::string_view key);

/// All of them as a Markdown table: docs/glossary.md contains exactly this.
std::string column_reference();

}  // namespace kernbench
