// What is said of a GEMM over several PEs: each of them, where matrices lie, what links carry; and of its mappings.
#include "benches/gemm/mapping_words.hpp"
#include "benches/gemm/on_pes.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/results/report/pes_report.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench::several_pes {
namespace {

std::string bound_text(const Row& row) {
  if (!row.metrics.has(kBoundTime)) return "";
  const double bound = row.metrics.at(kBoundTime);
  return one_decimal(bound) + " ns by " + row.metrics.at(kBoundBottleneck) +
         (row.metrics.has(kMappingText) ? ", of this mapping; this is " : "; this is ") +
         percent(row.metrics.at(kTime) / bound - 1) + " above it";
}

std::string mapping_text(const Row& row, const Terminal& terminal) {
  const bool by_mapping = row.metrics.has(kMappingText);
  if (!by_mapping && !row.metrics.has(kKernelText)) return "";
  return (by_mapping ? fact("mapping", row.metrics.at(kMappingText) + ", of the largest part", terminal)
                     : fact("kernel", row.metrics.at(kKernelText), terminal)) +
         (row.metrics.has(kChosenText) ? fact("chosen", row.metrics.at(kChosenText), terminal) : "");
}

/// How K is split, the placement, and the mapping; or the kernel.
std::vector<TableCell> way_cells(const Row& row) {
  const std::string placement = row.metrics.at(kChosenPlacement);
  if (!row.metrics.has(kMappingText)) return {"", placement, row.metrics.at(kKernelText), "", "", "", "", ""};
  const MappingRequest all = parse_mapping(row.metrics.at(kMappingText), "mapping");
  const GemmMapping local = complete_mapping(all);
  return {std::to_string(all.split_k.value()),
          placement,
          to_text(local.tile),
          to_text(local.block),
          std::string(kLoopOrders[local.order]),
          std::to_string(local.buffers),
          streamed_text(local),
          to_text(local.sums)};
}

}  // namespace

std::string report(const GemmOnPes& gemm, const Row& row, const Terminal& terminal) {
  const std::string bound = bound_text(row);
  return fact("time",
              one_decimal(row.metrics.at(kTime)) + " ns, the array at work for " +
                  percent(row.metrics.at(kMacUtilisation)) + " of it, in the mean",
              terminal) +
         (bound.empty() ? "" : fact("bound", bound, terminal)) + "\n" + format_pes(row, terminal) + "\n" +
         format_ledgers(row, gemm.over->machine, terminal) + fact("placement", describe_placement(row), terminal) +
         format_multi_pe_facts(row, terminal) + mapping_text(row, terminal);
}

std::string ways_table(const GemmOnPes& /*gemm*/, const std::vector<Row>& rows, std::size_t top,
                       const Terminal& terminal) {
  Table table({{"split_k", Align::kRight},
               {"placement", Align::kLeft, 1},
               {"tile"},
               {"block"},
               {"order"},
               {"buffers", Align::kRight},
               {"streamed"},
               {"sums", Align::kLeft, 1},
               {"time (ns)", Align::kRight},
               {"bound (ns)", Align::kRight},
               {"MAC util", Align::kRight},
               {"network (B)", Align::kRight, 1},
               {"bound by", Align::kLeft, 0, true}});
  for (const Row& row : rows) {
    if (top-- == 0) break;
    std::vector<TableCell> cells = way_cells(row);
    const bool bounded = row.metrics.has(kBoundTime);
    for (std::string cell :
         {one_decimal(row.metrics.at(kTime)), bounded ? one_decimal(row.metrics.at(kBoundTime)) : std::string(),
          percent(row.metrics.at(kMacUtilisation)), grouped(row.metrics.at(kNetworkBytes)),
          bounded ? row.metrics.at(kBoundBottleneck) : std::string()}) {
      cells.emplace_back(std::move(cell));
    }
    table.add_row(cells);
  }
  return table.format(terminal) + "\n" + mapping_text(rows.front(), terminal);
}

}  // namespace kernbench::several_pes
