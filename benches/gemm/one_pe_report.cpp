// What is said of a GEMM on one PE: stages, windows, limit, traffic; and of its mappings.
#include <algorithm>
#include <cmath>

#include "benches/gemm/mapping_words.hpp"
#include "benches/gemm/on_pes.hpp"
#include "benches/gemm/one_pe_metrics.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/plan/mapping_search.hpp"

namespace kernbench::one_pe {
namespace {

GemmMapping mapping_of(const Row& row) {
  return complete_mapping(parse_mapping(row.metrics.at(kMappingText), "mapping"));
}

/// ", of int8 into int32", ", of bf16 and int8"; "" for bf16.
std::string dtypes_of(const GemmProblem& problem) {
  if (problem.dtype == Dtype::kBf16 && !problem.dtype_b) return "";
  const Dtype result = result_of(problem.dtype);
  return ", of " + std::string(name_of(problem.dtype)) +
         (problem.dtype_b ? " and " + std::string(name_of(*problem.dtype_b)) : "") +
         (result == problem.dtype ? "" : " into " + std::string(name_of(result)));
}

std::string tiles_text(const GemmOnPes& gemm, const TileShape& tile, const Terminal& terminal) {
  const GemmProblem& problem = gemm.problem;
  const auto tiles = [](std::int64_t size, std::int64_t of) { return (size + of - 1) / of; };
  const std::int64_t count = tiles(problem.m, tile.m) * tiles(problem.k, tile.k) * tiles(problem.n, tile.n);
  return prose(counted(count, "tile") + " of " + to_text(tile) + ", " + std::string(kLayouts[problem.layout]) +
                   " layout, " + counted(problem.macs(), "MAC") + dtypes_of(problem),
               terminal) +
         "\n";
}

std::string format_windows(const Row& row, const Terminal& terminal) {
  const double pe_ns = row.windows.at("pe_ns").get<double>();
  const double composite_ns = row.windows.at("composite_ns").get<double>();
  const auto above = [&](double simulated, const Metric<double>& bound) {
    return percent(simulated / row.metrics.at(bound) - 1);
  };
  Table table({{""}, {"PE window", Align::kRight}, {"composite window", Align::kRight}});
  table.add_row({"simulated (ns)", one_decimal(pe_ns), one_decimal(composite_ns)});
  if (row.metrics.has(kBoundTime)) {
    table.add_row({row.metrics.has(kMappingText) ? "bound of mapping (ns)" : "closed-form bound (ns)",
                   one_decimal(row.metrics.at(kBoundTime)), one_decimal(row.metrics.at(kBoundCompositeTime))});
    table.add_row({"above the bound", above(pe_ns, kBoundTime), above(composite_ns, kBoundCompositeTime)});
  }
  table.add_row(
      {"MAC utilisation", percent(row.metrics.at(kMacUtilisation)), percent(row.metrics.at(kCompositeMacUtilisation))});
  table.add_row({"useful efficiency", percent(row.metrics.at(kUsefulEfficiency)),
                 percent(row.metrics.at(kCompositeUsefulEfficiency))});
  return table.format(terminal);
}

std::string repeated_text(const Row& row, const Terminal& terminal) {
  const std::int64_t passed = row.metrics.at(kTilesPassedOver);
  if (passed == 0) return "";
  const auto of = [&](std::int64_t part, const Metric<std::int64_t>& all) {
    return grouped(part) + " of " + grouped(row.metrics.at(all));
  };
  const std::int64_t steps = row.metrics.value_or(kStepsPassedOver, 0);
  return fact("repeated",
              of(passed, kTileCount) + " tiles" + (steps > 0 ? ", in " + of(steps, kStepCount) + " steps," : "") +
                  " repeat others and were counted, which comes to the same (--no-fast-forward simulates them)",
              terminal);
}

std::string traffic_text(const GemmOnPes& gemm, const Row& row) {
  const auto moved = static_cast<double>(row.metrics.at(kHbmRead) + row.metrics.at(kHbmWritten));
  const double least = least_traffic(gemm.problem, gemm.machine.pe.tcm.capacity);
  return grouped(static_cast<std::int64_t>(moved)) + " B to and from HBM, " + formatted("%.2f times", moved / least) +
         " what any order of the sums moves at least with this TCM";
}

/// Of what was asked for: no mapping of it has a lower one (32.11).
std::string least_text(const GemmOnPes& gemm) {
  const Row least = bound(gemm);
  return one_decimal(least.metrics.at(kTime)) + " ns by " + least.metrics.at(kBottleneck) +
         ", the least of all mappings; each has one of its own";
}

std::string mapping_text(const GemmOnPes& gemm, const Row& row, const Terminal& terminal) {
  if (!row.metrics.has(kMappingText)) return "";
  const bool chosen = row.metrics.has(kChosenText);
  return fact("mapping", row.metrics.at(kMappingText), terminal) +
         (chosen ? fact("chosen", row.metrics.at(kChosenText), terminal) : "") +
         (chosen && row.metrics.has(kBoundTime) ? fact("bound", least_text(gemm), terminal) : "") +
         fact("traffic", traffic_text(gemm, row), terminal);
}

std::string in_bursts_text(const Row& row, const MachineSpec& machine, const Terminal& terminal) {
  if (!row.metrics.has(kInBurstsTime)) return "";
  const double exact = row.metrics.at(kInBurstsTime);
  const double error = row.windows.at("pe_ns").get<double>() / exact - 1;
  const std::string burst = format_quantity(machine.die.hbm.burst, Dimension::kBytes);
  std::string text = "of " + format_quantity(machine.simulation.packet, Dimension::kBytes) +
                     ", coarser than bursts: in packets of " + burst + " it takes " + one_decimal(exact) +
                     " ns, so this is " + percent(std::abs(error)) + (error < 0 ? " too short" : " too long");
  if (row.metrics.has(kInBurstsLimitedBy)) {
    text += "; limited there by " + row.metrics.at(kInBurstsLimitedBy);
  }
  return fact("packets", text + " (on one PE --set simulation.packet_bytes='" + burst + "' costs no more)", terminal);
}

}  // namespace

std::string report(const GemmOnPes& gemm, const Row& row, const Terminal& terminal) {
  const MachineSpec machine =
      row.metrics.has(kMappingText) ? with_tile(gemm.machine, mapping_of(row).tile) : gemm.machine;
  const std::string no_bound = why_no_bound(machine);
  return tiles_text(gemm, machine.pe.mac.tile, terminal) + format_stages(row, machine, terminal) + "\n" +
         format_windows(row, terminal) + "\n" + format_limit(row, machine, terminal) +
         fact("bound by", no_bound.empty() ? row.metrics.at(kBoundBottleneck) + ", in an ideal pipeline" : no_bound,
              terminal) +
         fact("HBM",
              grouped(row.metrics.at(kHbmRead)) + " B read, " + grouped(row.metrics.at(kHbmWritten)) +
                  " B written, in bursts of " + std::to_string(machine.die.hbm.burst) + " B",
              terminal) +
         repeated_text(row, terminal) + mapping_text(gemm, row, terminal) + in_bursts_text(row, gemm.machine, terminal);
}

std::string ways_table(const GemmOnPes& gemm, const std::vector<Row>& rows, std::size_t top, const Terminal& terminal) {
  Table table({{"tile"},
               {"block"},
               {"order"},
               {"buffers", Align::kRight},
               {"streamed"},
               {"sums", Align::kLeft, 1},
               {"time (ns)", Align::kRight},
               {"bound (ns)", Align::kRight},
               {"MAC util", Align::kRight},
               {"HBM (B)", Align::kRight, 1},
               {"TCM (B)", Align::kRight, 1},
               {"bound by", Align::kLeft, 0, true}});
  for (const Row& row : rows) {
    if (top-- == 0) break;
    const GemmMapping mapping = mapping_of(row);
    table.add_row({to_text(mapping.tile), to_text(mapping.block), std::string(kLoopOrders[mapping.order]),
                   std::to_string(mapping.buffers), streamed_text(mapping),
                   mapping.block.k < gemm.problem.k ? to_text(mapping.sums) : "", one_decimal(row.metrics.at(kTime)),
                   row.metrics.has(kBoundTime) ? one_decimal(row.metrics.at(kBoundTime)) : "",
                   percent(row.metrics.at(kMacUtilisation)), grouped(row.metrics.at(kHbmBytes)),
                   grouped(row.metrics.at(kTcmBytes)), row.metrics.value_or(kBoundBottleneck, "")});
  }
  const auto chosen = std::ranges::find_if(rows, [](const Row& row) { return row.metrics.has(kChosenText); });
  return table.format(terminal) + "\n" + mapping_text(gemm, *chosen, terminal);
}

}  // namespace kernbench::one_pe
