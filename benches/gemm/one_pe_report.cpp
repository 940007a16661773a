// What is said of a GEMM on one PE: stages, windows, limit, traffic; and of its mappings.
#include <algorithm>
#include <cmath>

#include "benches/gemm/mapping_words.hpp"
#include "benches/gemm/on_pes.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/plan/mapping_search.hpp"

namespace kernbench::one_pe {
namespace {

std::int64_t whole(const Row& row, const char* name) { return row.metrics.at(name).get<std::int64_t>(); }

GemmMapping mapping_of(const Row& row) {
  return complete_mapping(parse_mapping(row.metrics.at("mapping").get<std::string>(), "mapping"));
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
  const auto above = [&](double simulated, const char* bound) { return percent(simulated / number(row, bound) - 1); };
  Table table({{""}, {"PE window", Align::kRight}, {"composite window", Align::kRight}});
  table.add_row({"simulated (ns)", one_decimal(pe_ns), one_decimal(composite_ns)});
  if (row.metrics.contains("bound_ns")) {
    table.add_row({"closed-form bound (ns)", one_decimal(number(row, "bound_ns")),
                   one_decimal(number(row, "bound_composite_ns"))});
    table.add_row({"above the bound", above(pe_ns, "bound_ns"), above(composite_ns, "bound_composite_ns")});
  }
  table.add_row({"MAC utilisation", percent(number(row, "mac_util")), percent(number(row, "mac_util_composite"))});
  table.add_row(
      {"useful efficiency", percent(number(row, "useful_eff")), percent(number(row, "useful_eff_composite"))});
  return table.format(terminal);
}

std::string repeated_text(const Row& row, const Terminal& terminal) {
  const std::int64_t passed = whole(row, "tiles_passed_over");
  if (passed == 0) return "";
  const auto of = [&](std::int64_t part, const char* all) { return grouped(part) + " of " + grouped(whole(row, all)); };
  const std::int64_t steps = row.metrics.value("steps_passed_over", std::int64_t{0});
  return fact("repeated",
              of(passed, "tiles") + " tiles" + (steps > 0 ? ", in " + of(steps, "steps") + " steps," : "") +
                  " repeat others and were counted, which comes to the same (--no-fast-forward simulates them)",
              terminal);
}

std::string traffic_text(const GemmOnPes& gemm, const Row& row) {
  const auto moved = static_cast<double>(whole(row, "hbm_read_bytes") + whole(row, "hbm_written_bytes"));
  const double least = least_traffic(gemm.problem, gemm.machine.pe.tcm.capacity);
  return grouped(static_cast<std::int64_t>(moved)) + " B to and from HBM, " + formatted("%.2f times", moved / least) +
         " what any order of the sums moves at least with this TCM";
}

std::string mapping_text(const GemmOnPes& gemm, const Row& row, const Terminal& terminal) {
  if (!row.metrics.contains("mapping")) return "";
  return fact("mapping", row.metrics.at("mapping").get<std::string>(), terminal) +
         (row.metrics.contains("chosen") ? fact("chosen", row.metrics.at("chosen").get<std::string>(), terminal) : "") +
         fact("traffic", traffic_text(gemm, row), terminal);
}

std::string in_bursts_text(const Row& row, const MachineSpec& machine, const Terminal& terminal) {
  if (!row.metrics.contains("in_bursts_ns")) return "";
  const double exact = number(row, "in_bursts_ns");
  const double error = row.windows.at("pe_ns").get<double>() / exact - 1;
  const std::string burst = format_quantity(machine.die.hbm.burst, Dimension::kBytes);
  std::string text = "of " + format_quantity(machine.simulation.packet, Dimension::kBytes) +
                     ", coarser than bursts: in packets of " + burst + " it takes " + one_decimal(exact) +
                     " ns, so this is " + percent(std::abs(error)) + (error < 0 ? " too short" : " too long");
  if (row.metrics.contains("in_bursts_limited_by")) {
    text += "; limited there by " + row.metrics.at("in_bursts_limited_by").get<std::string>();
  }
  return fact("packets", text + " (on one PE --set simulation.packet_bytes='" + burst + "' costs no more)", terminal);
}

}  // namespace

std::string report(const GemmOnPes& gemm, const Row& row, const Terminal& terminal) {
  const MachineSpec machine =
      row.metrics.contains("mapping") ? with_tile(gemm.machine, mapping_of(row).tile) : gemm.machine;
  const std::string no_bound = why_no_bound(machine);
  return tiles_text(gemm, machine.pe.mac.tile, terminal) + format_stages(row, machine, terminal) + "\n" +
         format_windows(row, terminal) + "\n" + format_limit(row, machine, terminal) +
         fact("bound by",
              no_bound.empty() ? row.metrics.at("bound_bottleneck").get<std::string>() + ", in an ideal pipeline"
                               : no_bound,
              terminal) +
         fact("HBM",
              grouped(whole(row, "hbm_read_bytes")) + " B read, " + grouped(whole(row, "hbm_written_bytes")) +
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
                   mapping.block.k < gemm.problem.k ? to_text(mapping.sums) : "", one_decimal(number(row, "time_ns")),
                   row.metrics.contains("bound_ns") ? one_decimal(number(row, "bound_ns")) : "",
                   percent(number(row, "mac_util")), grouped(whole(row, "hbm_bytes")), grouped(whole(row, "tcm_bytes")),
                   row.metrics.value("bound_bottleneck", "")});
  }
  const auto chosen = std::ranges::find_if(rows, [](const Row& row) { return row.metrics.contains("chosen"); });
  return table.format(terminal) + "\n" + mapping_text(gemm, *chosen, terminal);
}

}  // namespace kernbench::one_pe
