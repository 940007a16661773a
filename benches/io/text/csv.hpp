// CSV (RFC 4180), read and written: quoted cells with commas, line ends and doubled quotes; \n or \r\n between lines.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kernbench {

struct CsvLine {
  int number = 0;  ///< of the line in the file where it begins, from 1
  std::vector<std::string> cells;
};

inline constexpr std::size_t kMostCsvCells = 1000;       ///< of a line
inline constexpr std::size_t kMostCsvLines = 1'000'000;  ///< of a file

/// All lines with anything in them, the head included. Throws ConfigError "FILE:LINE: ..." for a quote that is not
/// closed, for text after a closing one, for bytes that are not UTF-8, and beyond the limits above.
[[nodiscard]] std::vector<CsvLine> parse_csv(const std::string& text, const std::string& file);

/// The lines below the head, each cell by its column's name. Throws as parse_csv, and where a line has more cells or
/// fewer than the head.
[[nodiscard]] std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text,
                                                                       const std::string& file);

/// A cell as it is written: in quotes where it has to be, and with a ' before a name that spreadsheets would take for a
/// formula: one that begins with =, +, - or @ and is no number.
[[nodiscard]] std::string csv_cell(const std::string& text);

}  // namespace kernbench
