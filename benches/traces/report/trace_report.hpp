// The parts of a report on traces that follow from its tables: the sentence it begins with, where the numbers are from,
// warnings, and the tables of its page.
#pragma once

#include <string>
#include <vector>

#include "benches/io/files/file_set.hpp"
#include "benches/io/text/json.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/selection.hpp"
#include "benches/traces/tables/trace_table.hpp"

namespace kernbench::traces {

/// All tables of these traces that a report has.
[[nodiscard]] std::vector<TraceTable> report_tables(const std::vector<PlacedTrace>& traces,
                                                    const TraceSelection& selection);

/// Why: the GEMMs that vary most and what made their longest calls long, kernels beside communication and without,
/// collectives and who waits in them.
[[nodiscard]] std::vector<TraceTable> reason_tables(const std::vector<PlacedTrace>& traces,
                                                    const TraceSelection& selection, const AloneTimesOf& alone);

/// Those of them that are compared: kernels beside communication and without, collectives.
[[nodiscard]] std::vector<TraceTable> compared_reason_tables(const std::vector<PlacedTrace>& traces,
                                                             const TraceSelection& selection,
                                                             const AloneTimesOf& alone);

/// "32 traces · NVIDIA H200 · events with a launch · steps 3..5"
[[nodiscard]] std::string report_source(const std::vector<PlacedTrace>& traces, const TraceSelection& selection);

/// Ranks that are missing, what the timeline comes to over all ranks, and the GEMM whose calls vary most.
[[nodiscard]] std::string report_headline(const std::vector<TraceTable>& tables);

/// What the tables rest on, each note once, then the traces' warnings (warning_lines).
[[nodiscard]] std::vector<std::string> report_warnings(const std::vector<PlacedTrace>& traces,
                                                       const std::vector<TraceTable>& tables);

/// tables/NAME.csv and tables/NAME.json of each.
[[nodiscard]] std::vector<NewFile> table_files(const std::vector<TraceTable>& tables);

/// As page_html() takes them; of a table of more than 5000 rows the first 5000. Tables without rows are left out.
[[nodiscard]] Json trace_page_tables(const std::vector<TraceTable>& tables);

}  // namespace kernbench::traces
