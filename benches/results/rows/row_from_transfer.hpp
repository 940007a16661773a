// A transfer, or several that start at once, as a row of results, beside its closed form (adr/0021).
#pragma once

#include "benches/results/rows/results.hpp"
#include "sim/plan/probe/probe_checks.hpp"

namespace kernbench {

/// Metrics in closed form: closed_form_ns, closed_form (exact, bound, none), one_way_ns, peak_gbs.
void add_transfer_plan(Row& row, const ProbeOutcome& outcome);

/// Those and, of an outcome with simulated ends, time_ns, first_done_ns, gbs, and, where a closed form is known,
/// utilisation and limited_by: of several what makes up their bound.
void add_transfer(Row& row, const ProbeOutcome& outcome);

}  // namespace kernbench
