// The names that `die.hbm.model` may have. Models are made two layers above, where SystemC is; their names are needed
// here, so that a machine file is refused at the place at which it names one that there is not.
#pragma once

#include <span>
#include <string>

namespace kernbench {

/// In alphabetical order. Empty in a program without a simulator: it takes every name.
[[nodiscard]] std::span<const std::string> memory_model_names();

/// For RegisterMemoryModel (sim/hw/memory/memory_model.hpp) alone, while the program starts.
void add_memory_model_name(const std::string& name);

}  // namespace kernbench
