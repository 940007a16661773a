// The two kinds of failure a user meets. Broken invariants of our own are assertions.
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

}  // namespace kernbench
