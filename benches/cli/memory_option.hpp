// --memory, by which every command that plans or simulates a machine says what it may take.
#pragma once

#include <string>

#include "benches/experiments/run/memory_limit.hpp"
#include "benches/io/program/command.hpp"

namespace kernbench {

/// What makes a machine's network smaller.
inline constexpr const char* kSmallerMachine =
    "a machine with fewer system.packages, package.dies, die.routers or package.die_to_die.connections";

class MemoryOption {
 public:
  void add_to(CommandSpec& command);
  /// Throws ConfigError where --memory is no size, or too small for anything.
  [[nodiscard]] MemoryLimit limit() const;
  [[nodiscard]] bool given() const { return !size_.empty(); }

 private:
  std::string size_;
};

}  // namespace kernbench
