// The version of the simulator's model, which results carry.
#pragma once

namespace kernbench {

/// A number. Raised in the same change that makes any simulated or closed-form number differ: committed results of
/// another version are stale, and numbers that moved under one version are not approved (adr/0009, 9.2 and 9.11).
inline constexpr const char* kModelVersion = "8";

}  // namespace kernbench
