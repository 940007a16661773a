// Widths first, then lines.
#include "benches/io/text/table.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "benches/io/text/wrap.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kWrappedWidth = 24;  // what a column that wraps is left before others go
constexpr std::size_t kLeastText = 8;

std::string pad(const TableCell& cell, std::size_t width, Align align, bool colours) {
  const std::string space(width - display_width(cell.text), ' ');
  const std::string text = styled(cell.text, cell.style, colours);
  return align == Align::kLeft ? text + space : space + text;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

bool fits(const std::string& text, std::size_t width) { return display_width(text) <= width; }

/// Of the columns `shown`, with two spaces between them.
std::size_t total_width(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths) {
  std::size_t total = shown.empty() ? 0 : 2 * (shown.size() - 1);
  for (const std::size_t i : shown) total += widths[i];
  return total;
}

/// Takes columns out of `shown` until they are not wider than `width`, or all that is left is always shown.
std::vector<std::size_t> hide(const std::vector<TableColumn>& columns, const std::vector<std::size_t>& widths,
                              std::size_t width, std::vector<std::size_t>& shown) {
  std::vector<std::size_t> hidden;
  while (total_width(shown, widths) > width) {
    auto least_needed = shown.begin();
    for (auto one = shown.begin(); one != shown.end(); ++one) {
      if (columns[*one].rank >= columns[*least_needed].rank) least_needed = one;  // the last of equals
    }
    if (least_needed == shown.end() || columns[*least_needed].rank == 0) break;
    hidden.push_back(*least_needed);
    shown.erase(least_needed);
  }
  std::ranges::sort(hidden);
  return hidden;
}

/// Where a title may be broken: "rerun_spread" after the underscore.
std::string breakable(const std::string& title) {
  std::string text;
  for (const char c : title) text += c == '_' ? std::string("_ ") : std::string(1, c);
  return text;
}

std::vector<std::string> broken_title(const std::string& title, std::size_t width) {
  std::vector<std::string> lines = wrapped(breakable(title), width);
  for (std::string& line : lines) {
    for (std::size_t at = line.find("_ "); at != std::string::npos; at = line.find("_ ")) line.erase(at + 1, 1);
  }
  return lines;
}

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) longest = std::max(longest, display_width(word));
  return longest;
}

/// Makes columns narrower until all fits, none below its `least`; the widest first.
void shrink(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& least, std::size_t width,
            std::vector<std::size_t>& widths) {
  for (std::size_t total = total_width(shown, widths); total > width; --total) {
    std::size_t widest = widths.size();
    for (const std::size_t i : shown) {
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    }
    if (widest == widths.size()) return;
    --widths[widest];
  }
}

}  // namespace

std::size_t display_width(const std::string& utf8) {
  const auto starts_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
  return static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), starts_character));
}

void Table::add_row(std::vector<TableCell> cells) {
  if (cells.size() > columns_.size()) throw std::logic_error("a table row has more cells than columns");
  cells.resize(columns_.size(), TableCell(""));
  for (TableCell& cell : cells) cell.text = printable_lines(cell.text);  // of users' files, some of them
  rows_.push_back(std::move(cells));
}

std::size_t Table::widest_cell(std::size_t column) const {
  std::size_t width = 0;
  for (const auto& row : rows_) width = std::max(width, display_width(row[column].text));
  return width;
}

std::string Table::format_columns(const std::vector<std::size_t>& shown, const std::vector<std::size_t>& widths,
                                  bool colours) const {
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (const std::size_t i : shown) {
      text += (text.empty() ? "" : "  ") + pad(cell_of(i), widths[i], columns_[i].align, colours);
    }
    return trimmed(std::move(text)) + "\n";
  };
  // Cells broken into lines; those with fewer lines than others begin below.
  using Lines = std::vector<std::string>;
  const auto lines = [&](const std::vector<Lines>& cells, std::size_t below, const auto& style_of) {
    std::string text;
    std::size_t most = 1;
    for (const Lines& cell : cells) most = std::max(most, cell.size());
    for (std::size_t n = 0; n < most; ++n) {
      text += line([&](std::size_t i) {
        const std::size_t at = n - below * (most - cells[i].size());  // past the end where it has not begun
        return TableCell(at < cells[i].size() ? cells[i][at] : "", style_of(i));
      });
    }
    return text;
  };
  std::vector<Lines> titles(columns_.size());
  for (const std::size_t i : shown) {
    const std::string& title = columns_[i].title;
    titles[i] = fits(title, widths[i]) ? Lines{title} : broken_title(title, widths[i]);
  }
  std::string text = lines(titles, 1, [](std::size_t) { return Style::kBold; });  // they stand on the rule
  text += line([&](std::size_t i) {
    std::string rule;
    for (std::size_t n = 0; n < widths[i]; ++n) rule += "─";
    return TableCell(rule, Style::kDim);
  });
  for (const auto& row : rows_) {
    std::vector<Lines> cells(columns_.size());
    for (const std::size_t i : shown) {
      cells[i] = fits(row[i].text, widths[i]) ? Lines{row[i].text} : wrapped(row[i].text, widths[i]);
    }
    text += lines(cells, 0, [&row](std::size_t i) { return row[i].style; });
  }
  return text;
}

std::size_t Table::longest_word_in(std::size_t column) const {
  std::size_t longest = 0;
  for (const auto& row : rows_) longest = std::max(longest, longest_word(row[column].text));
  return longest;
}

std::string Table::format(const Terminal& terminal) const {
  std::vector<std::size_t> shown;
  std::vector<std::size_t> widths;
  std::vector<std::size_t> titles_broken;
  std::vector<std::size_t> words_whole;
  std::vector<std::size_t> texts_broken;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const TableColumn& column = columns_[i];
    const std::size_t cells = widest_cell(i);
    const std::size_t word = longest_word(breakable(column.title));
    widths.push_back(std::max(display_width(column.title), cells));
    titles_broken.push_back(std::max(word, column.wraps ? std::min(cells, kWrappedWidth) : cells));
    const bool text = column.wraps || column.align == Align::kLeft;
    words_whole.push_back(std::max(word, text ? longest_word_in(i) : cells));
    texts_broken.push_back(std::max(word, text ? std::min(cells, kLeastText) : cells));
    if (widths[i] > 0) shown.push_back(i);
  }
  if (terminal.width == 0) return format_columns(shown, widths, terminal.colours);
  const std::vector<std::size_t> hidden = hide(columns_, titles_broken, terminal.width, shown);
  shrink(shown, titles_broken, terminal.width, widths);
  shrink(shown, words_whole, terminal.width, widths);
  shrink(shown, texts_broken, terminal.width, widths);
  std::string text = format_columns(shown, widths, terminal.colours);
  std::string names;
  for (const std::size_t i : hidden) names += (names.empty() ? "" : ", ") + columns_[i].title;
  if (names.empty()) return text;
  for (const std::string& line : wrapped("(--wide shows also: " + names + ")", terminal.width)) {
    text += styled(line, Style::kDim, terminal.colours) + "\n";
  }
  return text;
}

}  // namespace kernbench
