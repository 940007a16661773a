// Runs pieces of work in forked children, several at a time: whatever happens to one leaves the others alone
// (ADR-0010).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kernbench {

/// What a child does; the string is its result. It may throw, crash, hang or exit: that is an outcome, not a fault.
using Work = std::function<std::string()>;

struct Outcome {
  bool ok = false;
  std::string payload;  ///< what the work returned, complete; empty unless ok
  std::string reason;   ///< why there is no payload; empty when ok
  std::string output;   ///< the end of what the child wrote to stdout and stderr, at most kOutputTail bytes
};

inline constexpr std::size_t kOutputTail = 4096;

struct IsolationOptions {
  int jobs = 0;                          ///< children at a time; 0: one for each core this process may use
  std::chrono::milliseconds timeout{0};  ///< for one piece of work, from its start; 0: none
  std::int64_t memory = 0;               ///< bytes that one piece of work may take beyond what it is given; 0: any
  std::size_t most_in_turn = 1;          ///< pieces of short work that one child may do, one after the other
  std::function<void(std::size_t index, const Outcome&)> on_done = {};  ///< in the parent, in order of completion
  std::function<void()> on_tick = {};                                   ///< in the parent, about five times a second
};

struct IsolationReport {
  std::vector<std::optional<Outcome>> outcomes;  ///< by index of the work; empty where it was interrupted
  int stopped_by = 0;                            ///< SIGINT, SIGTERM or SIGHUP that ended it early; 0: it went through
};

/// Runs every piece of work in a child. Where children may do several in turn they do as long as that goes well, each
/// on a SystemC kernel of its own; what fails as a later one is done again by a child that did nothing before, and only
/// then has failed. On SIGINT, SIGTERM or SIGHUP all children are killed and reaped, and
/// the report holds what was done. Exceptions from the callbacks are passed on after the same clean-up.
/// Throws std::logic_error when called with a second thread alive: a forked child would inherit its locks but not the
/// thread; std::system_error when the operating system refuses a process.
IsolationReport run_isolated(const std::vector<Work>& works, const IsolationOptions& options = {});

/// Cores that this process may use, at least 1.
int available_cores();

}  // namespace kernbench
