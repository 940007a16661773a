// Is a schedule right? Runs it on integers, without time (18.2, 18.4).
#pragma once

#include <cstdint>
#include <string>

#include "sim/plan/collective/schedule.hpp"

namespace kernbench {

/// What is wrong with a schedule, in words, or "" where it is right: every range is in the buffer; each (sender,
/// receiver, channel) has one sending and one receiving thread; every message is received, with its length; no thread
/// waits for ever; no two threads of a rank touch an element, one of them writing, unless messages order the two; and
/// the buffers end as the collective says. The data are 64-bit integers drawn from `seed`, added modulo 2^64: an
/// element that misses a rank's part, or has it twice, is seen with probability 1 - 2^-64.
[[nodiscard]] std::string schedule_fault(const CollectiveSchedule& schedule, std::uint64_t seed);

}  // namespace kernbench
