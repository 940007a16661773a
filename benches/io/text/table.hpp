// A table of aligned columns for the terminal: the one way in which commands print rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benches/io/text/terminal.hpp"

namespace kernbench {

enum class Align { kLeft, kRight };

struct TableColumn {
  std::string title;
  Align align = Align::kLeft;
  int rank = 0;        ///< 0: always shown; of the others the highest goes first where the table is too wide
  bool wraps = false;  ///< long texts, as reasons: broken into lines where the table is too wide
};

struct TableCell {
  std::string text;
  Style style = Style::kPlain;

  TableCell(std::string text,
            Style style = Style::kPlain)  // NOLINT(google-explicit-constructor): rows are braced lists
      : text(std::move(text)), style(style) {}
  TableCell(const char* text) : text(text) {}  // NOLINT(google-explicit-constructor)
};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  /// A row with one cell a column; missing cells at the end are empty, one too many throws std::logic_error.
  void add_row(std::vector<TableCell> cells);

  /// Title line, rule, rows; two spaces between columns, none at the end of a line; every line ends in \n. What is
  /// wider than the look allows gets titles of several lines, loses columns by their rank, which a last line names, and
  /// then has texts broken, between words as long as that does. A
  /// column without title and texts is not there.
  [[nodiscard]] std::string format(const Terminal& terminal) const;

 private:
  [[nodiscard]] std::size_t widest_cell(std::size_t column) const;
  [[nodiscard]] std::size_t longest_word_in(std::size_t column) const;
  [[nodiscard]] std::string format_columns(const std::vector<std::size_t>& shown,
                                           const std::vector<std::size_t>& widths, bool colours) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<TableCell>> rows_;
};

/// Characters a terminal shows for UTF-8 text: code points, which is exact for what we print (Latin, ×, µ).
std::size_t display_width(const std::string& utf8);

}  // namespace kernbench
