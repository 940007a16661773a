#include "benches/experiments/run/waiting_line.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "benches/io/text/terminal.hpp"

namespace kernbench {

WaitingLine::WaitingLine(std::string what)
    : what_(std::move(what)), drawing_(is_terminal(STDERR_FILENO)), begin_(std::chrono::steady_clock::now()) {}

WaitingLine::~WaitingLine() { clear(); }

void WaitingLine::draw() {
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin_;
  if (!drawing_ || waited.count() < 1) return;
  std::fprintf(stderr, "\r\033[K%s ... %.0f s", what_.c_str(), waited.count());
  std::fflush(stderr);
  shown_ = true;
}

void WaitingLine::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace kernbench
