// Carriage return, erase, write: one line that changes in place.
#include "benches/harness/run/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/terminal.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kBarColumns = 24;

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

std::string format_progress(const std::string& title, const ProgressState& state, int width, bool colours) {
  std::string text = std::to_string(state.done) + "/" + std::to_string(state.total);
  if (state.failed > 0) text += "  " + std::to_string(state.failed) + " failed";
  const std::size_t done_now = state.done - state.reused;
  if (done_now > 0 && state.elapsed_s > 0) {
    const double rate = static_cast<double>(done_now) / state.elapsed_s;
    text += "  " + formatted(rate < 100 ? "%.1f/s" : "%.0f/s", rate);
    text += "  " + duration(static_cast<double>(state.total - state.done) / rate) + " left";
  }
  // A terminal that is too narrow loses the title first, then the bar: a line that wraps cannot be redrawn.
  const auto columns = static_cast<std::size_t>(std::max(width - 1, 0));
  const std::size_t with_bar = kBarColumns + 1 + display_width(text);
  if (display_width(title) + 1 + with_bar <= columns) return title + " " + bar(state, colours) + " " + text;
  if (with_bar <= columns) return bar(state, colours) + " " + text;
  return text.substr(0, columns);
}

Progress::Progress(std::string title, std::size_t total, std::size_t reused, bool wanted)
    : title_(std::move(title)),
      state_{total, reused, 0, reused, 0},
      drawing_(wanted && is_terminal(STDERR_FILENO)),
      begin_(std::chrono::steady_clock::now()) {
  draw();
}

Progress::~Progress() { clear(); }

void Progress::point_done(bool failed) {
  ++state_.done;
  if (failed) ++state_.failed;
  draw();
}

void Progress::draw() {
  if (!drawing_) return;
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
