// Random machines and GEMMs for rapidcheck: every value that the model of one PE reads, in combinations that a machine
// file may have.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/system/calculator.hpp"

namespace kernbench {

/// A run on topology/milestone_1h.yaml with these changes.
struct Case {
  std::vector<std::string> overrides;  ///< "key.path=value"
  calculator::Run run;
  [[nodiscard]] MachineSpec machine() const;
};

/// Drawn inside a property. Every second machine has round numbers, so that many things happen at one instant.
/// At most `tiles` tiles along each dimension.
Case any_case(int tiles);

/// The machine with one more change, which replaces an earlier one of the same key.
MachineSpec changed_machine(const Case& from, const std::string& key, const std::string& value);

/// The command line that shows the case.
std::ostream& operator<<(std::ostream& out, const Case& value);

}  // namespace kernbench
