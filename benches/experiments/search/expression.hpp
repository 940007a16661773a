// Arithmetic over keys of a machine and metrics of its run, as --minimise, --target and --where take it
// (adr/0038-search.md).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benches/results/rows/results.hpp"
#include "sim/base/quantity.hpp"
#include "sim/machine/machine_spec.hpp"

namespace mu {
class Parser;
}

namespace kernbench {

/// "pe.tcm.capacity*die.routers + 4 MiB". A name is a key of the machine, in base units (bytes, bytes a second,
/// picoseconds); a section of rows and columns, their product; "cost", the machine's (36.6); or a metric, also
/// "mac_util.min" (38.3).
class Expression {
 public:
  /// Throws ConfigError, which begins with the option, where the text is no expression.
  Expression(const std::string& option, const std::string& text);
  ~Expression();
  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  Expression(const Expression&) = delete;
  Expression& operator=(const Expression&) = delete;

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Whether it can be known without running anything.
  [[nodiscard]] bool is_of_machine() const;
  /// Throws ConfigError for a key that the machine does not have, and where its cost is asked for and not known, naming
  /// the key that it lacks.
  void require_known(const MachineSpec& machine) const;
  /// Its value; `row` may be null where it is of the machine alone. Throws ConfigError where the row lacks a metric.
  [[nodiscard]] double value(const MachineSpec& machine, const Row* row) const;
  /// Throws ConfigError with the nearest metric where the row lacks one of its names, or has a word there.
  void require_metrics(const Row& row) const;
  /// Throws ConfigError for a number with a unit, "9 us", where neither this nor the other has a key of that dimension.
  void require_same_dimensions(const Expression& other) const;

 private:
  std::string option_;
  std::string text_;
  std::vector<std::string> names_;
  std::vector<Dimension> keyed_;                            ///< dimensions of the keys
  std::vector<std::pair<std::string, Dimension>> written_;  ///< numbers with units
  std::unique_ptr<std::vector<double>> values_;             ///< of the names; where the parser looks
  std::unique_ptr<mu::Parser> parser_;
};

/// "mac_util >= 0.8".
class Condition {
 public:
  /// Throws ConfigError, which begins with the option.
  Condition(const std::string& option, const std::string& text);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_of_machine() const { return left_.is_of_machine() && right_.is_of_machine(); }
  void require_known(const MachineSpec& machine) const;
  void require_metrics(const Row& row) const;
  /// How far it is from holding, as a share of its right side; 0 or less where it holds.
  [[nodiscard]] double missed_by(const MachineSpec& machine, const Row* row) const;
  [[nodiscard]] bool holds(const MachineSpec& machine, const Row* row) const;

 private:
  std::string text_;
  std::string relation_;
  Expression left_;
  Expression right_;
};

/// Of --where. Throws ConfigError for one that is not of keys of the machine alone.
[[nodiscard]] std::vector<Condition> machine_conditions(const std::vector<std::string>& texts);

}  // namespace kernbench
