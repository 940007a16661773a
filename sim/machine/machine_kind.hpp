// The kinds of machine that files describe (adr/0048).
#pragma once

namespace kernbench {

enum class MachineKind { kPes, kGpu };

}  // namespace kernbench
