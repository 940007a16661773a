#include "benches/results/rows/row_from_transfer.hpp"

#include <algorithm>

namespace kernbench {

void add_transfer_plan(Row& row, const ProbeOutcome& outcome) {
  const bool known = outcome.no_bound.empty();
  if (known) row.metrics["closed_form_ns"] = outcome.closed_form().ns();
  row.metrics["closed_form"] = !known ? "none" : outcome.exact() ? "exact" : "bound";
  row.metrics["one_way_ns"] = outcome.alone.way.ns();
  if (known) row.metrics["peak_gbs"] = outcome.peak_gbs();
}

void add_transfer(Row& row, const ProbeOutcome& outcome) {
  add_transfer_plan(row, outcome);
  row.metrics["time_ns"] = outcome.time().ns();
  row.metrics["first_done_ns"] = std::ranges::min(outcome.ends).ns();
  row.metrics["gbs"] = outcome.gbs();
  if (!outcome.no_bound.empty()) return;
  row.metrics["utilisation"] = outcome.utilisation();
  row.metrics["limited_by"] = outcome.probe.transfers.size() > 1 ? outcome.contention.bottleneck : outcome.alone.limit;
}

}  // namespace kernbench
