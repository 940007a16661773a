// The memories of a machine in a run that carries values, by node of its network.
#pragma once

#include <map>
#include <string>

#include "sim/hw/values/cargo.hpp"
#include "sim/hw/values/value_store.hpp"

namespace kernbench {

class MachineValues {
 public:
  explicit MachineValues(Calendar& calendar) : clock_(calendar) {}

  ValueClock& clock() { return clock_; }
  /// Made, empty, when first asked for; `name` is what messages call it.
  ValueStore& memory(MemoryNode node, const std::string& name) { return stores_.try_emplace(node, name).first->second; }

 private:
  ValueClock clock_;
  std::map<MemoryNode, ValueStore> stores_;
};

}  // namespace kernbench
