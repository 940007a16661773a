#include "benches/results/rows/row_from_transfer.hpp"

#include <algorithm>

#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kFirstDone{"first_done_ns"};

}  // namespace

void add_transfer_plan(Row& row, const ProbeOutcome& outcome) {
  const bool known = outcome.no_bound.empty();
  if (known) row.metrics.set(kClosedFormTime, outcome.closed_form().ns());
  row.metrics.set(kClosedForm, !known ? "none" : outcome.exact() ? "exact" : "bound");
  row.metrics.set(kOneWayTime, outcome.alone.way.ns());
  if (known) row.metrics.set(kPeakGbs, outcome.peak_gbs());
}

void add_transfer(Row& row, const ProbeOutcome& outcome) {
  add_transfer_plan(row, outcome);
  row.metrics.set(kTime, outcome.time().ns());
  row.metrics.set(kFirstDone, std::ranges::min(outcome.ends).ns());
  row.metrics.set(kGbs, outcome.gbs());
  if (!outcome.no_bound.empty()) return;
  row.metrics.set(kUtilisation, outcome.utilisation());
  row.metrics.set(kLimitedBy, outcome.probe.transfers.size() > 1 ? outcome.contention.bottleneck : outcome.alone.limit);
}

}  // namespace kernbench
