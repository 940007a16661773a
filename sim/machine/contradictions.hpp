// Values that are each in range but cannot be true together.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// Who relies on a check beside the reader of machine files.
enum class ReliedOnBy : std::uint8_t { kReaderAlone, kNetwork };

struct Contradiction {
  std::vector<std::string_view> keys;  ///< the values compared; the error is the first one's
  /// What is wrong, naming the other keys and all numbers; empty where the values agree.
  std::string (*check)(const MachineSpec&);
  /// A machine that a program put together was not read: what wires its network asks these checks again.
  ReliedOnBy relied_on_by = ReliedOnBy::kReaderAlone;
};

/// Every check; its keys are keys of the schema. One may be made as soon as all its keys have a valid value.
std::span<const Contradiction> contradictions();

}  // namespace kernbench
