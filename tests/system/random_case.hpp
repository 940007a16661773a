// Random machines and GEMMs for rapidcheck: every value that the model of one PE reads, in combinations that a machine
// file may have.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

/// A key of the machine file with a value, as `--set` takes it.
struct Setting {
  std::string key;
  std::string value;
};

/// A run on topology/milestone_1h.yaml with these changes.
struct Case {
  std::vector<Setting> settings;
  GemmProblem problem;
  std::string variant;

  /// Replaces an earlier setting of the same key.
  void set(const std::string& key, const std::string& value);
  void set(const std::string& key, std::int64_t count) { set(key, std::to_string(count)); }
  [[nodiscard]] MachineSpec machine() const;
};

/// Drawn inside a property. Every second machine has round numbers, so that many things happen at one instant.
/// At most `tiles` tiles along each dimension.
Case any_case(int tiles);

/// An array with a shape, of any dataflow, drawn inside a property.
void set_any_array(Case& any);

/// A dtype, and a rate of the array for it, drawn inside a property.
void set_any_dtype(Case& any);

/// A dtype, and one of fewer bytes for B, with a vector unit of any rate of conversion, drawn inside a property.
void set_any_converted(Case& any);

/// Drawn inside a property: more of one thing than `machine` has.
Setting any_improvement(const MachineSpec& machine);

/// A bandwidth of `from` to `to` GB/s in steps of a MB/s, drawn inside a property.
std::string any_bandwidth(int from, int to);

/// The command line that shows the case.
std::ostream& operator<<(std::ostream& out, const Case& value);

}  // namespace kernbench
