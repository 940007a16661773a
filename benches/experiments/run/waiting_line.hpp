// What is waited for, and for how long, on one line of a terminal: for work of one piece, which has no bar.
#pragma once

#include <chrono>
#include <string>

namespace kernbench {

class WaitingLine {
 public:
  /// Draws only where stderr is a terminal, and nothing within the first second.
  explicit WaitingLine(std::string what);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

  void draw();
  void clear();

 private:
  std::string what_;
  bool drawing_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace kernbench
