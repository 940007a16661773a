// Cell after cell; a quoted one runs to its closing quote.
#include "benches/io/text/csv.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "benches/io/text/read_number.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench {
namespace {

class CsvReader {
 public:
  CsvReader(const std::string& text, const std::string& file) : text_(text), file_(file) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // the byte order mark that spreadsheets write
  }

  std::vector<CsvLine> lines() {
    std::vector<CsvLine> lines;
    while (at_ < text_.size()) {
      CsvLine line{line_, {cell()}};
      while (at_ < text_.size() && text_[at_] == ',') {
        ++at_;
        line.cells.push_back(cell());
        if (line.cells.size() > kMostCsvCells) refuse(line.number, "cells in a line", kMostCsvCells);
      }
      if (text_.compare(at_, 2, "\r\n") == 0) ++at_;
      ++at_;  // the \n, or past the end
      ++line_;
      if (line.cells.size() == 1 && line.cells[0].empty()) continue;
      if (lines.size() == kMostCsvLines) refuse(line.number, "lines", kMostCsvLines);
      require_text(line);
      lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  [[noreturn]] void refuse(int line, const std::string& what, std::size_t most) const {
    throw ConfigError(file_ + ":" + std::to_string(line) + ": expected at most " + std::to_string(most) + " " + what +
                      ", got more");
  }
  void require_text(const CsvLine& line) const {
    const std::string place = file_ + ":" + std::to_string(line.number);
    if (!std::ranges::all_of(line.cells, is_utf8)) {
      throw ConfigError(place + ": expected text in UTF-8, got other bytes");
    }
    if (std::ranges::any_of(line.cells, has_control_characters)) {
      throw ConfigError(place + ": expected no control characters but tabs and line ends");
    }
  }

  std::string cell() {
    if (at_ < text_.size() && text_[at_] == '"') return quoted_cell();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string quoted_cell() {
    const int begin = line_;
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += text_[at_++];
      } else {
        ++at_;
        if (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) {
          throw ConfigError(file_ + ":" + std::to_string(line_) + ": expected a comma after the closing quote, got '" +
                            text_[at_] + "'");
        }
        return cell;
      }
    }
    throw ConfigError(file_ + ":" + std::to_string(begin) + ": a quote is not closed");
  }

  [[nodiscard]] bool at_line_end() const { return text_[at_] == '\n' || text_.compare(at_, 2, "\r\n") == 0; }

  const std::string& text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<CsvLine> parse_csv(const std::string& text, const std::string& file) {
  return CsvReader(text, file).lines();
}

std::vector<std::map<std::string, std::string>> csv_rows(const std::string& text, const std::string& file) {
  const std::vector<CsvLine> lines = parse_csv(text, file);
  std::vector<std::map<std::string, std::string>> rows;
  for (std::size_t line = 1; line < lines.size(); ++line) {
    const std::vector<std::string>& columns = lines.front().cells;
    const std::vector<std::string>& cells = lines[line].cells;
    if (cells.size() != columns.size()) {
      throw ConfigError(file + ":" + std::to_string(lines[line].number) + ": expected " +
                        std::to_string(columns.size()) + " cells as the first line has, got " +
                        std::to_string(cells.size()));
    }
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = cells[i];
  }
  return rows;
}

std::string csv_cell(const std::string& text) {
  // Spreadsheets carry out what a name begins with; numbers are none.
  const bool is_formula = text.size() > 1 && std::string_view("=+-@").find(text[0]) != std::string_view::npos;
  if (is_formula && !read_number(text)) return csv_cell("'" + text);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + "\"";
}

}  // namespace kernbench
