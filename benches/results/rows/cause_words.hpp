// What a reader sees of the causes of the ledger (adr/0033-the-ledger.md), a row each: in tables, figures, results,
// cures and what-ifs.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "benches/results/rows/results.hpp"
#include "sim/hw/pe/cause.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// What of a machine of PEs a designer changes together (35.3).
enum class KeyPath : std::uint8_t { kNone, kOperands, kRequests, kArray, kResults, kConversion, kMessages, kAll };

struct CauseWords {
  Cause cause = Cause::kUntold;
  std::string_view name;         ///< "HBM bandwidth"
  const char* colour = nullptr;  ///< in every figure
  std::string_view column;       ///< what the column of its time tells
  /// What the machine has of it, and what would cure it (33.7): "64 x 256 B cover 32 of the 41 ns round trip ...".
  std::string (*cure)(const Row& row, const MachineSpec& machine) = nullptr;
  std::array<std::string_view, 6> keys{};  ///< of the machine file, in the cure; "" where there are fewer
  std::array<KeyPath, 3> paths{};          ///< that hang on it
};

/// In the order of 33.6.
[[nodiscard]] std::span<const CauseWords> cause_words();
[[nodiscard]] const CauseWords& words_of(Cause cause);

/// "HBM bandwidth" of "hbm", as `limited_by` has it; of what is no cause, the same word.
[[nodiscard]] std::string cause_name(std::string_view cause);
[[nodiscard]] std::string cause_name(Cause cause);

/// The metric that has a cause's time, in ns: "ledger_hbm_ns"; "ledger_hbm_mean_ns" of a statistic.
[[nodiscard]] Metric<double, std::string> ledger_metric(Cause cause, std::string_view statistic = {});

}  // namespace kernbench
