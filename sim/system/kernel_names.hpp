// A kernel's name under the wrong command (adr/0030, 30.10).
#pragma once

#include <cstdint>
#include <string>

namespace kernbench {

enum class KernelKind : std::uint8_t { kGemm, kMultiPeGemm, kUser };

/// Throws ConfigError, which says the command that runs it, where only another kind of kernel has this name.
void refuse_other_kinds(KernelKind asked, const std::string& name);

}  // namespace kernbench
