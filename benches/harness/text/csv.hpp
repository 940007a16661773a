// Reading CSV (RFC 4180): quoted cells with commas, line ends and doubled quotes; \n or \r\n between lines.
#pragma once

#include <string>
#include <vector>

namespace kernbench {

struct CsvLine {
  int number = 0;  ///< of the line in the file where it begins, from 1
  std::vector<std::string> cells;
};

/// All lines with anything in them, the head included. Throws ConfigError "FILE:LINE: ..." for a quote that is not
/// closed and for text after a closing one.
[[nodiscard]] std::vector<CsvLine> parse_csv(const std::string& text, const std::string& file);

}  // namespace kernbench
