// Machine keys with values of theirs, as --sweep and --vary take them (adr/0035-what-if.md).
#pragma once

#include <string>
#include <vector>

#include "benches/workloads/bench.hpp"

namespace kernbench {

/// An axis for each of `texts`, "KEY=VALUES", with what --link says: "KEY=OTHER" gives KEY the value of another one of
/// these. VALUES are "16,32,64"; "128..1024*2 GB/s", each that many times the one before it; "4..16+4"; "128..2048
/// GB/s", eight an octave; and of a section of rows and columns "2x4,4x4". `option` is what errors call it. Throws
/// ConfigError, which begins with the option, also for keys that `machine` does not have.
[[nodiscard]] std::vector<Axis> key_axes(const std::string& option, const std::vector<std::string>& texts,
                                         const std::vector<std::string>& links, const MachineSpec& machine);

}  // namespace kernbench
