// Keys of a machine file in a sentence.
#pragma once

#include <string>
#include <vector>

namespace kernbench {

struct NamedKey {
  std::string path;
  bool named = false;
};

/// "die.wire.delay, pe.mac.rates.*": the keys that are named; a section all of whose keys are, of several, is one word.
[[nodiscard]] std::string names_by_section(const std::vector<NamedKey>& keys);

}  // namespace kernbench
