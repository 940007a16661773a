// Carriage return, erase, write: one line that changes in place, and rows above it. Nothing is overwritten where stderr
// is no terminal.
#include "benches/io/text/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/terminal.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kBarColumns = 24;
constexpr std::size_t kManyPoints = 100;  // in a file or a pipe: a line a percent says as much

std::string duration(double seconds) {
  if (seconds < 60) return formatted("%.0f s", std::ceil(seconds));
  const double minutes = std::floor(seconds / 60);
  if (minutes < 60) return formatted("%.0f min ", minutes) + formatted("%.0f s", std::floor(seconds - 60 * minutes));
  return formatted("%.0f h ", std::floor(minutes / 60)) + formatted("%.0f min", std::fmod(minutes, 60));
}

std::string bar(const ProgressState& state, bool colours) {
  const std::size_t filled = state.total == 0 ? kBarColumns : kBarColumns * state.done / state.total;
  std::string done;
  std::string open;
  for (std::size_t i = 0; i < kBarColumns; ++i) (i < filled ? done : open) += i < filled ? "━" : "─";
  return styled(done, state.failed > 0 ? Style::kRed : Style::kGreen, colours) + styled(open, Style::kDim, colours);
}

}  // namespace

std::string time_left(const ProgressState& state) {
  if (state.cost_done <= 0 || state.elapsed_s <= 0 || state.cost_left <= 0) return "";
  return duration(state.elapsed_s * state.cost_left / state.cost_done) + " left";
}

std::string format_progress(const std::string& title, const ProgressState& state, int width, bool colours) {
  std::string text = std::to_string(state.done) + "/" + std::to_string(state.total);
  if (state.failed > 0) text += "  " + std::to_string(state.failed) + " failed";
  if (const std::string left = time_left(state); !left.empty()) text += "  " + left;
  // A terminal that is too narrow loses the title first, then the bar: a line that wraps cannot be redrawn.
  const auto columns = static_cast<std::size_t>(std::max(width - 1, 0));
  const std::size_t with_bar = kBarColumns + 1 + display_width(text);
  if (display_width(title) + 1 + with_bar <= columns) return title + " " + bar(state, colours) + " " + text;
  if (with_bar <= columns) return bar(state, colours) + " " + text;
  return text.substr(0, columns);
}

Progress::Progress(std::string title, std::size_t total, std::size_t reused, double cost, Shows shows)
    : title_(std::move(title)),
      shows_(shows),
      terminal_(is_terminal(STDERR_FILENO)),
      begin_(std::chrono::steady_clock::now()) {
  state_.total = total;
  state_.done = reused;
  state_.cost_left = cost;
  draw();
}

Progress::~Progress() { clear(); }

void Progress::point_done(const std::string& row, double cost, bool failed) {
  ++state_.done;
  if (failed) ++state_.failed;
  state_.cost_done += cost;
  state_.cost_left -= cost;
  state_.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  if (shows_ == Shows::kRows && !row.empty()) print_row(row);
  draw();
}

void Progress::print_row(const std::string& row) {
  const std::size_t percent = state_.total == 0 ? 100 : 100 * state_.done / state_.total;
  const bool all = terminal_ || state_.total <= kManyPoints;
  if (!all && percent == percent_ && state_.done < state_.total) return;
  percent_ = percent;
  clear();
  const std::string count = std::to_string(state_.total);
  std::string line = std::to_string(state_.done);
  line = std::string(count.size() - line.size(), ' ') + line + "/" + count + "  " + row;
  const std::string left = time_left(state_);
  if (!terminal_ && !left.empty()) line += "  (" + left + ")";
  std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
}

void Progress::draw() {
  if (shows_ == Shows::kNothing || !terminal_) return;
  state_.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const std::string line = format_progress(title_, state_, terminal_width(STDERR_FILENO), colours_on(STDERR_FILENO));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace kernbench
