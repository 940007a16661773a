// What limits a run (adr/0033-the-ledger.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"
#include "sim/hw/pe/ledger.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/system/multi_pe_report.hpp"

namespace kernbench {

/// Metrics of a row: "ledger_hbm_ns" of Cause::kHbm, of causes that have any time; "limited_by", the name of the cause
/// that is worth most, and "limited_by_share", what a run without it could save at most, of the PE window.
void add_ledger(Row& row, const Ledger::Closed& ledger);

/// Of a run over several PEs: those metrics of the PE that ends last, the first of equal ones, "critical_pe", and of
/// each cause "ledger_hbm_mean_ns", "..._min_ns" and "..._max_ns" over the PEs.
void add_ledgers(Row& row, const std::vector<PeReport>& pes);

struct CauseTime {
  Cause cause = Cause::kUntold;
  double ns = 0;
  double share = 0;  ///< of the PE window
};

/// The causes that have any time, the longest first; empty for a row without a ledger.
[[nodiscard]] std::vector<CauseTime> ledger_of(const Row& row);

/// A cause over the PEs of a run.
struct CauseSpread {
  Cause cause = Cause::kUntold;
  double critical_ns = 0;  ///< of the PE that ends last
  double mean_ns = 0;
  double min_ns = 0;
  double max_ns = 0;
};

/// The causes that any PE has, the longest mean first; empty for a row of one PE.
[[nodiscard]] std::vector<CauseSpread> ledger_spread_of(const Row& row);

/// What limits a run (33.6), with what a run without it could save at most; nothing for a row without a ledger.
[[nodiscard]] std::optional<CauseTime> limit_of(const Row& row);

/// What limits a row, for whoever reads it.
struct LimitWords {
  std::string what;               ///< "HBM bandwidth"
  std::optional<double> share{};  ///< of the window that a run without it could save at most; of a GPU it is not known
};

/// Of a run by its ledger, of a product on a GPU as its row says it; nothing for a row that does not.
[[nodiscard]] std::optional<LimitWords> limit_words(const Row& row);

/// The time in which a stage of a run on one PE is at work; 0 where the run has none of this name.
[[nodiscard]] double wall_of(const Row& row, const std::string& name);

/// A unit of a PE, or its HBM, that is at work nearly always.
struct BusyUnit {
  std::string name;  ///< as what limits is named: "HBM bandwidth"
  double share = 0;  ///< of the PE window
};

/// Those at work for more than 95 % of the window of a run on one PE, where they are two or more (33.13): one of them
/// alone may be twice as fast and gain nothing. The HBM where the row has `hbm_busy_ns`.
[[nodiscard]] std::vector<BusyUnit> busy_units(const Row& row, const MachineSpec& machine);
/// "HBM bandwidth", "MAC array and HBM bandwidth": what limits, and what is as busy.
[[nodiscard]] std::string limit_and_busy(const std::string& limit, const std::vector<BusyUnit>& busy);

}  // namespace kernbench
