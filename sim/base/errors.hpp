// The kinds of failure that a user meets. Libraries throw them; the program turns them into exit codes and failed rows.
#pragma once

#include <stdexcept>
#include <string>

namespace kernbench {

/// The user's input is wrong: a machine file, an option, a results file. The message names the place (file:line:column
/// or option), the key, what was expected and the remedy; it may hold several errors, one a line. Exit code 2.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A simulation cannot go on: a deadlock or an exhausted limit. Names the process and what it waits for. Exit code 1.
class SimulationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A time, or a count of bytes, MACs or cycles, that 63 bits do not hold (ADR-0002). Names it and the limit. Exit
/// code 1.
class OverflowError : public SimulationError {
 public:
  using SimulationError::SimulationError;
};

/// An invariant of our own is broken (KB_CHECK): nothing that the user did is at fault. Exit code 1.
class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace kernbench
