// What keeps messages in order: all that one rank sends to another on one channel (18.2).
#pragma once

#include <compare>
#include <cstdint>

#include "sim/plan/collective/schedule.hpp"

namespace kernbench {

struct MessageChannel {
  std::int32_t sender = 0;
  std::int32_t receiver = 0;
  std::int16_t channel = 0;
  auto operator<=>(const MessageChannel&) const = default;
};

/// Of a step of `rank` that sends, receives or reduces.
[[nodiscard]] constexpr MessageChannel channel_of(std::int32_t rank, const CollectiveStep& step) {
  if (step.kind == StepKind::kSend) return {rank, step.peer, step.channel};
  return {step.peer, rank, step.channel};
}

}  // namespace kernbench
