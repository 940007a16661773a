// What limits a run, and what would cure it, in words (adr/0033-the-ledger.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/harness/results/results.hpp"
#include "sim/hw/pe/ledger.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// Metrics of a row: "ledger_hbm_ns" of Cause::kHbm, of causes that have any time; "limited_by", the name of the cause
/// with the most of the critical path, and "limited_by_share", of it.
void add_ledger(Row& row, const Ledger::Closed& ledger);

struct CauseTime {
  Cause cause = Cause::kUntold;
  double ns = 0;
  double share = 0;  ///< of the PE window
};

/// The causes that have any time, the longest first; empty for a row without a ledger.
[[nodiscard]] std::vector<CauseTime> ledger_of(const Row& row);

/// "MAC array", "HBM bandwidth".
[[nodiscard]] std::string cause_name(Cause cause);

/// What limits a run (33.6), with its share of the critical path; nothing for a row without a ledger.
[[nodiscard]] std::optional<CauseTime> limit_of(const Row& row);

/// What the machine has of it, and what would cure it (33.6): "64 x 256 B cover 32 of the 41 ns round trip ...".
[[nodiscard]] std::string cure_of(Cause cause, const MachineSpec& machine);

/// Bursts in flight that keep the slowest part of the PE's way from HBM busy (33.6).
[[nodiscard]] std::int64_t credits_that_cover(const MachineSpec& machine);

}  // namespace kernbench
