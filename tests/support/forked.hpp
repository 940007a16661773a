// Runs work in a forked child and brings its text back: whatever a simulation does, the test goes on.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace kernbench {

namespace forked_detail {

inline void write_all(int descriptor, const std::string& text) {
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(descriptor, text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR) std::_Exit(3);
    if (count > 0) written += static_cast<std::size_t>(count);
  }
}

inline std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace forked_detail

/// The text that `work()` returned in the child. Throws std::runtime_error with the message of an exception that left
/// it, or with what ended the child.
template <class Work>
std::string forked(Work&& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("forked: no pipe");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("forked: no child");
  if (child == 0) {
    ::close(ends[0]);
    std::string answer;
    try {
      answer = "=" + std::forward<Work>(work)();
    } catch (const std::exception& error) {
      answer = std::string("!") + error.what();
    }
    forked_detail::write_all(ends[1], answer);
    std::_Exit(0);
  }
  ::close(ends[1]);
  const std::string answer = forked_detail::read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) throw std::runtime_error("forked: signal " + std::to_string(WTERMSIG(status)));
  if (status != 0 || answer.empty()) throw std::runtime_error("forked: ended without an answer");
  if (answer.front() == '!') throw std::runtime_error(answer.substr(1));
  return answer.substr(1);
}

}  // namespace kernbench
