// One forked child that runs one piece of work: its pipes, its deadline, and the verdict on how it ended.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "benches/harness/files/file_descriptor.hpp"
#include "benches/harness/run/isolated.hpp"

namespace kernbench {

/// The parent's side. Destroying it kills and reaps a child that still runs, and the child's own children with it.
class Child {
 public:
  using Clock = std::chrono::steady_clock;

  /// Forks; the child runs `work` and ends. A timeout of 0 means none, a memory of 0 bytes any. Throws
  /// std::system_error.
  Child(std::size_t index, const Work& work, std::chrono::milliseconds timeout, std::int64_t memory = 0);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] std::size_t index() const { return index_; }
  /// Descriptors to poll for reading: result, output, and the end of the process.
  [[nodiscard]] int result_fd() const { return result_.get(); }
  [[nodiscard]] int output_fd() const { return output_.get(); }
  [[nodiscard]] int process_fd() const { return process_.get(); }
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }

  /// Takes what lies in the pipes and enforces the deadline. True once the child has ended; then ask for the outcome.
  bool advance();
  [[nodiscard]] Outcome outcome() const;

 private:
  void drain();
  void kill_group() const;
  [[nodiscard]] std::string reason() const;

  std::size_t index_;
  std::chrono::milliseconds timeout_;
  Clock::time_point deadline_;
  pid_t pid_ = -1;
  FileDescriptor result_;
  FileDescriptor output_;
  FileDescriptor process_;
  std::string received_;  ///< the framed result so far
  std::string tail_;      ///< the end of the child's stdout and stderr
  bool ended_ = false;
  bool timed_out_ = false;
  int status_ = 0;  ///< as waitpid gives it
};

}  // namespace kernbench
