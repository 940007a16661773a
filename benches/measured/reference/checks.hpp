// Whether results may be reference data: every check of adr/0022, all findings at once.
#pragma once

#include <string>
#include <vector>

#include "benches/measured/reference/device.hpp"

namespace kernbench {

/// What is wrong with `results`, each finding a line "FILE: rows[3] (m=512 ...): FIELD: expected WHAT, got WHAT";
/// empty: nothing. `device` is the card of a measured file, nullptr for published ones (and a finding where it is
/// missing).
[[nodiscard]] std::vector<std::string> check_reference(const Results& results, const Device* device,
                                                       const std::string& file);

}  // namespace kernbench
