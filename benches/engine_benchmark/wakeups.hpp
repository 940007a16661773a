// The rate that every other rate is held against.
#pragma once

#include <cstdint>

namespace kernbench {

/// Wake-ups per CPU second of SystemC alone: so many SC_METHODs, each of which notifies its own event after a random
/// delay.
[[nodiscard]] double bare_events_per_s(std::int64_t processes);

}  // namespace kernbench
