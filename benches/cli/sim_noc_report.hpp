// What `kernbench sim noc` shows: a table, or a results document.
#pragma once

#include <string>
#include <vector>

#include "benches/io/text/terminal.hpp"
#include "benches/results/rows/results.hpp"
#include "sim/system/noc/noc_traffic.hpp"

namespace kernbench {

struct NocRow {
  NocTest test;
  NocResult result;
  std::string reason;  ///< why it failed; empty when it went through
};

/// For the pipe from the child that simulated.
[[nodiscard]] Json noc_result_to_json(const NocResult& result);
[[nodiscard]] NocResult noc_result_from_json(const Json& json);

/// Rows of one sweep: they differ in the rate.
[[nodiscard]] std::string format_noc_report(const std::vector<NocRow>& rows, const Terminal& terminal);
/// The rows as kernbench.results/1 (docs/results.md); what depends on the host is left out.
[[nodiscard]] Results noc_results(const std::vector<NocRow>& rows);

}  // namespace kernbench
