// The version of the simulator's model, which results carry.
#pragma once

namespace kernbench {

/// Raised in the same change that makes any simulated or closed-form number differ: committed results of another
/// version are stale (adr/0009).
inline constexpr const char* kModelVersion = "1";

}  // namespace kernbench
