// What a moment of a PE goes to: the causes of the ledger (adr/0033-the-ledger.md), a row each. What a reader sees of
// one is its row in benches/results/rows/cause_words.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/base/names.hpp"

namespace kernbench {

/// In the order of 33.6; kUntold is the last.
enum class Cause : std::uint8_t {
  kMac,
  kArrayFill,
  kEpilogue,
  kConvert,
  kHbm,
  kLinks,
  kTcmPort,
  kSetup,
  kCredits,
  kLatency,
  kFetch,
  kReceive,
  kBarrier,
  kContention,
  kDrain,
  kControl,
  kUntold
};

struct CauseFacts {
  Cause value = Cause::kUntold;
  std::string_view name;  ///< in results
  bool array = false;     ///< the array is at work, no wait of it
  bool memory = false;    ///< a wait for what all bytes from the HBM pass: the wires' and ports' rates are into_tcm()
  bool queues = false;    ///< packets that wait for it one after the other have one interval
};

inline constexpr auto kCauseFacts = std::to_array<CauseFacts>({
    {.value = Cause::kMac, .name = "mac", .array = true},
    {.value = Cause::kArrayFill, .name = "array_fill", .array = true},
    {.value = Cause::kEpilogue, .name = "epilogue"},
    {.value = Cause::kConvert, .name = "convert"},
    {.value = Cause::kHbm, .name = "hbm", .memory = true, .queues = true},
    {.value = Cause::kLinks, .name = "links", .memory = true, .queues = true},
    {.value = Cause::kTcmPort, .name = "tcm_port", .memory = true, .queues = true},
    {.value = Cause::kSetup, .name = "setup"},
    {.value = Cause::kCredits, .name = "credits"},
    {.value = Cause::kLatency, .name = "latency"},
    {.value = Cause::kFetch, .name = "fetch"},
    {.value = Cause::kReceive, .name = "receive"},
    {.value = Cause::kBarrier, .name = "barrier"},
    {.value = Cause::kContention, .name = "contention", .queues = true},
    {.value = Cause::kDrain, .name = "drain"},
    {.value = Cause::kControl, .name = "control"},
    {.value = Cause::kUntold, .name = "untold"},
});
inline constexpr Names<Cause> kCauses{"cause", kCauseFacts};

[[nodiscard]] constexpr const CauseFacts& facts_of(Cause cause) { return kCauseFacts[static_cast<std::size_t>(cause)]; }

static_assert(std::ranges::all_of(kCauseFacts, [](const CauseFacts& row) { return &facts_of(row.value) == &row; }) &&
                  kCauseFacts.back().value == Cause::kUntold,
              "every cause has a row, in the order of the enumeration");

}  // namespace kernbench
