// One forked child that does one piece of work, or several in turn: its pipes, its deadline, and the verdict on how it
// ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "benches/experiments/run/isolated.hpp"
#include "benches/io/files/file_descriptor.hpp"

namespace kernbench {

/// What each piece of work may take.
struct WorkLimits {
  std::chrono::milliseconds timeout{0};  ///< from its start; 0: none
  std::int64_t memory = 0;               ///< bytes beyond what the child is given; 0: any
};

/// A piece of work that came to an end.
struct DoneWork {
  std::size_t index = 0;
  Outcome outcome;
  std::chrono::nanoseconds took{0};  ///< of work that went well
};

/// The parent's side. Destroying it kills and reaps a child that still runs, and the child's own children with it.
class Child {
 public:
  using Clock = std::chrono::steady_clock;

  /// Forks; the child does the pieces of `works` with these indices, at least one, in this order. It ends with the
  /// first that fails. Throws std::system_error.
  Child(std::vector<std::size_t> indices, const std::vector<Work>& works, const WorkLimits& limits);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Descriptors to poll for reading: results, output, and the end of the process.
  [[nodiscard]] int result_fd() const { return results_.get(); }
  [[nodiscard]] int output_fd() const { return output_.get(); }
  [[nodiscard]] int process_fd() const { return process_.get(); }
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }

  /// Takes what lies in the pipes and enforces the deadline. True once the child has ended.
  bool advance();
  /// What has come to an end since the last call.
  [[nodiscard]] std::vector<DoneWork> take_done() { return std::exchange(done_, {}); }
  /// Once the child has ended: what it has not done. Only work that failed as its child's first is done; where that of
  /// another one fails it is the first here, because what was done before it might be the reason.
  [[nodiscard]] const std::deque<std::size_t>& left() const { return left_; }

 private:
  void drain();
  void take_results();
  void begin_next();
  void finish(bool ok, std::string text, std::chrono::nanoseconds took);
  void judge_failure();
  void kill_group() const;
  [[nodiscard]] std::string reason() const;

  std::deque<std::size_t> left_;
  WorkLimits limits_;
  Clock::time_point deadline_;
  pid_t pid_ = -1;
  FileDescriptor results_;
  FileDescriptor output_;
  FileDescriptor process_;
  std::string received_;             ///< frames, or parts of one, that are not taken yet
  bool in_turn_;                     ///< it does several
  bool first_ = true;                ///< it is at its first
  std::deque<std::string> outputs_;  ///< of work that is done
  std::string tail_;                 ///< the end of its stdout and stderr after that
  std::vector<DoneWork> done_;
  bool ended_ = false;
  bool timed_out_ = false;
  int status_ = 0;  ///< as waitpid gives it
};

}  // namespace kernbench
