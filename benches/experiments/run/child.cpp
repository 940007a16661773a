// Fork, frame, drain, judge.
#include "benches/experiments/run/child.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "benches/experiments/run/memory_limit.hpp"
#include "sim/base/text.hpp"
#include "sim/engine/systemc_kernel.hpp"

namespace kernbench {
namespace {

// A result travels as a kind, its length, the time that it took and its bytes: a child that dies while writing leaves a
// frame that is short.
enum class Kind : char { kResult = 'r', kException = 'e' };

struct FrameHeader {
  Kind kind = Kind::kResult;
  std::uint64_t length = 0;
  std::int64_t took_ns = 0;
};

/// Ends the output of one piece of work where others follow: ASCII's record separator.
constexpr char kOutputEnd = '\x1e';

std::string frame(Kind kind, const std::string& payload, std::chrono::nanoseconds took = {}) {
  const FrameHeader header{kind, payload.size(), took.count()};
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes + payload;
}

std::string out_of_memory(std::int64_t memory) {
  const std::string all = memory > 0
                              ? "; --memory, shared by --jobs, allows " + approximate_bytes(static_cast<double>(memory))
                              : std::string();
  return "out of memory" + all + "; raise it, take fewer --jobs, or make it smaller";
}

/// One frame of what the work came to.
std::string frame_of(const Work& work, std::int64_t memory) {
  const auto begin = Child::Clock::now();
  try {
    const std::string payload = work();
    return frame(Kind::kResult, payload, Child::Clock::now() - begin);
  } catch (const std::bad_alloc&) {
    return frame(Kind::kException, out_of_memory(memory));
  } catch (const std::exception& error) {
    return frame(Kind::kException, error.what());
  } catch (...) {
    return frame(Kind::kException, "an exception that is not a std::exception");
  }
}

/// The child: does the work in turn, writes a frame each, ends without running the parent's destructors or exit
/// handlers.
[[noreturn]] void run_child(const std::deque<std::size_t>& indices, const std::vector<Work>& works, std::int64_t memory,
                            const Pipe& results, const Pipe& output, pid_t parent) {
  ::setpgid(0, 0);  // a group of its own: Ctrl-C is the parent's to handle, and a kill reaches its descendants
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  // The parent's handlers are not the child's: it ends on an interrupt, and a crash shows as its signal.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    ::signal(signal, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(output.write.get(), STDOUT_FILENO);
  ::dup2(output.write.get(), STDERR_FILENO);

  if (memory > 0) limit_own_memory(memory);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i > 0) renew_systemc();
    const std::string bytes = frame_of(works[indices[i]], memory);
    const bool failed = bytes.front() == static_cast<char>(Kind::kException);
    std::cout.flush();
    std::fflush(nullptr);
    // Before the frame, so that whoever has that one can read all of the output that belongs to it.
    if (!failed && i + 1 < indices.size()) write_all(STDERR_FILENO, std::string_view(&kOutputEnd, 1));
    if (!write_all(results.write.get(), bytes)) ::_exit(1);
    if (failed) break;
  }
  ::_exit(0);
}

/// Appends what can be read without blocking, at most 1 MiB: a child that never stops writing must not hold up the
/// others. Closes the descriptor at its end, which poll() would report as ready for ever.
void read_available(FileDescriptor& from, std::string& into) {
  std::array<char, 65536> buffer{};
  for (int reads = 0; reads < 16 && from.get() >= 0; ++reads) {
    const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
    if (count > 0) {
      into.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      from = FileDescriptor();
    } else if (errno != EINTR) {
      return;
    }
  }
}

std::string signal_name(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  if (name == nullptr || description == nullptr) return "signal " + std::to_string(signal);
  return std::string("SIG") + name + " (" + description + ")";
}

std::string seconds(std::chrono::milliseconds time) {
  return formatted("%g s", static_cast<double>(time.count()) / 1000.0);
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return "";
  const std::size_t newline = text.find_last_of("\n\r", end);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return text.substr(begin, end + 1 - begin);
}

}  // namespace

Child::Child(std::vector<std::size_t> indices, const std::vector<Work>& works, const WorkLimits& limits)
    : left_(indices.begin(), indices.end()), limits_(limits), in_turn_(indices.size() > 1) {
  begin_next();
  Pipe results = Pipe::open();
  Pipe output = Pipe::open();
  std::cout.flush();
  std::fflush(nullptr);  // or the child would flush the parent's buffered output a second time
  const pid_t parent = ::getpid();
  pid_ = ::fork();  // NOLINT(cppcoreguidelines-prefer-member-initializer): after the pipes
  if (pid_ < 0) throw_errno("forking a child");
  if (pid_ == 0) run_child(left_, works, limits_.memory, results, output, parent);
  ::setpgid(pid_, pid_);  // here as well, so that a kill that comes before the child's own call finds the group
  results_ = std::move(results.read);
  output_ = std::move(output.read);
  // By number: glibc 2.36 declares pidfd_open without C linkage.
  process_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (process_.get() < 0) {
    const int error = errno;
    kill_group();
    ::waitpid(pid_, nullptr, 0);
    throw std::system_error(error, std::generic_category(), "watching a child");
  }
}

Child::~Child() {
  if (ended_) return;
  kill_group();
  ::waitpid(pid_, nullptr, 0);
}

void Child::kill_group() const {
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
}

void Child::begin_next() {
  deadline_ = limits_.timeout.count() > 0 ? Clock::now() + limits_.timeout : Clock::time_point::max();
}

void Child::drain() {
  read_available(results_, received_);
  read_available(output_, tail_);
  while (in_turn_) {
    const std::size_t end = tail_.find(kOutputEnd);
    if (end == std::string::npos) break;
    const std::size_t length = std::min(end, kOutputTail);
    outputs_.push_back(tail_.substr(end - length, length));
    tail_.erase(0, end + 1);
  }
  if (tail_.size() > kOutputTail) tail_.erase(0, tail_.size() - kOutputTail);
}

void Child::finish(bool ok, std::string text, std::chrono::nanoseconds took) {
  DoneWork& done = done_.emplace_back();
  done.index = left_.front();
  done.took = took;
  done.outcome.ok = ok;
  (ok ? done.outcome.payload : done.outcome.reason) = std::move(text);
  if (outputs_.empty()) {
    done.outcome.output = std::exchange(tail_, "");
  } else {
    done.outcome.output = std::move(outputs_.front());
    outputs_.pop_front();
  }
  left_.pop_front();
  first_ = false;
  begin_next();
}

/// The frames that are whole, up to the first that tells of a failure.
void Child::take_results() {
  std::size_t taken = 0;
  FrameHeader header;
  while (!left_.empty() && received_.size() - taken >= sizeof header) {
    std::memcpy(&header, received_.data() + taken, sizeof header);
    const std::size_t begin = taken + sizeof header;
    if (received_.size() - begin < header.length || header.kind == Kind::kException) break;
    finish(true, received_.substr(begin, header.length), std::chrono::nanoseconds(header.took_ns));
    taken = begin + header.length;
  }
  received_.erase(0, taken);
}

/// Of the work that an ended child was at.
void Child::judge_failure() {
  if (left_.empty() || !first_) return;  // done, or to be tried again
  FrameHeader header;
  if (received_.size() >= sizeof header) std::memcpy(&header, received_.data(), sizeof header);
  const bool exited = !timed_out_ && WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
  if (exited && received_.size() == sizeof header + header.length) {
    finish(false, received_.substr(sizeof header), {});
    return;
  }
  std::string text = reason();
  if (const std::string line = last_line(tail_); !line.empty()) text += "; its last output: " + line;
  finish(false, std::move(text), {});
}

bool Child::advance() {
  if (ended_) return true;
  drain();
  take_results();
  pollfd process{process_.get(), POLLIN, 0};
  if (::poll(&process, 1, 0) == 0) {
    if (Clock::now() < deadline_) return false;
    timed_out_ = true;
  }
  kill_group();  // the child where it timed out, and whatever it may have left behind; its zombie still holds the group
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  drain();
  take_results();
  judge_failure();
  return true;
}

std::string Child::reason() const {
  if (timed_out_) return "timed out after " + seconds(limits_.timeout);
  if (WIFSIGNALED(status_)) return "killed by " + signal_name(WTERMSIG(status_));
  if (WEXITSTATUS(status_) != 0) return "exited with status " + std::to_string(WEXITSTATUS(status_));
  if (received_.empty()) return "exited without a result";
  return "its result is truncated";
}

}  // namespace kernbench
