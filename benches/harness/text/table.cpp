// Widths first, then lines.
#include "benches/harness/text/table.hpp"

#include <algorithm>
#include <stdexcept>

namespace kernbench {
namespace {

std::string pad(const TableCell& cell, std::size_t width, Align align, bool colours) {
  const std::string space(width - display_width(cell.text), ' ');
  const std::string text = styled(cell.text, cell.style, colours);
  return align == Align::kLeft ? text + space : space + text;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t display_width(const std::string& utf8) {
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), starts_character));
}

void Table::add_row(std::vector<TableCell> cells) {
  if (cells.size() > columns_.size()) throw std::logic_error("a table row has more cells than columns");
  cells.resize(columns_.size(), TableCell(""));
  rows_.push_back(std::move(cells));
}

std::string Table::format(bool colours) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      text += (i == 0 ? "" : "  ") + pad(cell_of(i), widths[i], columns_[i].align, colours);
    }
    return trimmed(std::move(text)) + "\n";
  };
  std::string text = line([&](std::size_t i) { return TableCell(columns_[i].title, Style::kBold); });
  text += line([&](std::size_t i) {
    std::string rule;
    for (std::size_t n = 0; n < widths[i]; ++n) rule += "─";
    return TableCell(rule, Style::kDim);
  });
  for (const auto& row : rows_) text += line([&](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace kernbench
