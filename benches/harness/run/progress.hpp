// The bar on stderr while points run: done of total, failures, rate, time left. Draws nothing where it is not wanted.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace kernbench {

/// What the bar shows; the text of it is a pure function, so that it can be tested.
struct ProgressState {
  std::size_t total = 0;
  std::size_t done = 0;  ///< failed ones included
  std::size_t failed = 0;
  std::size_t reused = 0;  ///< of those done: known before this run began, so no measure of its rate
  double elapsed_s = 0;
};

/// One line of at most `width` columns, without line end: "milestone-1h-gemm ━━━━━━──── 12/24  1 failed  8.1/s  2 s
/// left".
std::string format_progress(const std::string& title, const ProgressState& state, int width, bool colours);

class Progress {
 public:
  /// Draws only where `wanted` and stderr is a terminal.
  Progress(std::string title, std::size_t total, std::size_t reused, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void point_done(bool failed);
  /// Draws the line anew.
  void draw();
  /// Takes the line away, so that something else can be printed.
  void clear();

 private:
  std::string title_;
  ProgressState state_;
  bool drawing_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace kernbench
