// Why something came when it did: what processes hand on with items and permits, and a ledger knows the meaning of.
#pragma once

#include <cstdint>

namespace kernbench {

using Reason = std::int64_t;
inline constexpr Reason kNoReason = -1;

}  // namespace kernbench
