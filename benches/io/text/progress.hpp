// What a run says on stderr while it goes on: its rows as they come, and a bar with the time that is left.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace kernbench {

/// What the bar shows; the text of it is a pure function, so that it can be tested.
struct ProgressState {
  std::size_t total = 0;
  std::size_t done = 0;  ///< failed ones and those known before included
  std::size_t failed = 0;
  double elapsed_s = 0;
  double cost_done = 0;  ///< in this run: what was known before is no measure of its rate
  double cost_left = 0;  ///< in the same unit, whatever that is
};

/// "2 min 5 s left" by the cost of what is done and of what is left; empty before there is anything to go by.
std::string time_left(const ProgressState& state);

/// One line of at most `width` columns, without line end: "milestone-1h-gemm ━━━━━━──── 12/24  1 failed  2 s left".
std::string format_progress(const std::string& title, const ProgressState& state, int width, bool colours);

class Progress {
 public:
  enum class Shows {
    kNothing,
    kBar,   ///< at a terminal; elsewhere nothing
    kRows,  ///< also a line for each point; where stderr is no terminal and there are many points, one a percent
  };

  /// `reused` of the points are known already; `cost` is that of the others.
  Progress(std::string title, std::size_t total, std::size_t reused, double cost, Shows shows);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `row` says what came out, without line end; empty: it was said already.
  void point_done(const std::string& row, double cost, bool failed);
  /// Draws the bar anew.
  void draw();
  /// Takes the bar away, so that something else can be printed.
  void clear();

 private:
  void print_row(const std::string& row);

  std::string title_;
  ProgressState state_;
  Shows shows_;
  bool terminal_;
  bool shown_ = false;
  std::size_t percent_ = 0;  ///< that was printed last
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace kernbench
