// What the causes of the ledger (adr/0033-the-ledger.md) are called, for whatever reads results.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "benches/results/rows/metrics.hpp"

namespace kernbench {

struct CauseWords {
  std::string_view cause;  ///< as `limited_by` has it
  std::string_view name;   ///< "HBM bandwidth"
};

/// In the order of 33.3's causes, the array's own first.
inline constexpr std::array kCauseWords = std::to_array<CauseWords>({
    {"mac", "MAC array"},
    {"array_fill", "fill of the MAC array"},
    {"epilogue", "vector unit"},
    {"convert", "conversion of operands"},
    {"hbm", "HBM bandwidth"},
    {"links", "links from HBM"},
    {"tcm_port", "TCM write port"},
    {"setup", "DMA set-up"},
    {"credits", "DMA credits"},
    {"latency", "latency of reads"},
    {"fetch", "fetch from TCM"},
    {"receive", "messages"},
    {"barrier", "barriers"},
    {"contention", "contention with others"},
    {"drain", "results on their way out"},
    {"control", "control"},
    {"untold", "untold"},
});

/// "HBM bandwidth" of "hbm"; of a cause that is none, the same word.
[[nodiscard]] inline std::string cause_name(std::string_view cause) {
  const auto* const found = std::ranges::find(kCauseWords, cause, &CauseWords::cause);
  return std::string(found == kCauseWords.end() ? cause : found->name);
}

/// The metric that has a cause's time, in ns: "ledger_hbm_ns".
[[nodiscard]] inline Metric<double, std::string> ledger_metric(std::string_view cause) {
  return {"ledger_" + std::string(cause) + "_ns"};
}

}  // namespace kernbench
