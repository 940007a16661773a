// What is said of a GEMM over several PEs: each of them, where matrices lie, what links carry; and of its mappings.
#include "benches/gemm/mapping_words.hpp"
#include "benches/gemm/on_pes.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/results/report/pes_report.hpp"
#include "benches/results/report/run_report.hpp"

namespace kernbench::several_pes {
namespace {

std::string bound_text(const Row& row) {
  if (!row.metrics.contains("bound_ns")) return "";
  const double bound = number(row, "bound_ns");
  return one_decimal(bound) + " ns by " + row.metrics.at("bound_bottleneck").get<std::string>() + "; this is " +
         percent(number(row, "time_ns") / bound - 1) + " above it";
}

std::string mapping_text(const Row& row, const Terminal& terminal) {
  if (!row.metrics.contains("mapping")) return "";
  return fact("mapping", row.metrics.at("mapping").get<std::string>() + ", of the largest part", terminal) +
         (row.metrics.contains("chosen") ? fact("chosen", row.metrics.at("chosen").get<std::string>(), terminal) : "");
}

}  // namespace

std::string report(const GemmOnPes& gemm, const Row& row, const Terminal& terminal) {
  const std::string bound = bound_text(row);
  return fact("time",
              one_decimal(number(row, "time_ns")) + " ns, the array at work for " + percent(number(row, "mac_util")) +
                  " of it, in the mean",
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
    const MappingRequest all = parse_mapping(row.metrics.at("mapping").get<std::string>(), "mapping");
    const GemmMapping local = complete_mapping(all);
    const bool bounded = row.metrics.contains("bound_ns");
    table.add_row({std::to_string(all.split_k.value()), row.metrics.at("chosen_placement").get<std::string>(),
                   to_text(local.tile), to_text(local.block), std::string(kLoopOrders[local.order]),
                   std::to_string(local.buffers), streamed_text(local), to_text(local.sums),
                   one_decimal(number(row, "time_ns")), bounded ? one_decimal(number(row, "bound_ns")) : "",
                   percent(number(row, "mac_util")), grouped(row.metrics.at("network_bytes").get<std::int64_t>()),
                   bounded ? row.metrics.at("bound_bottleneck").get<std::string>() : ""});
  }
  return table.format(terminal) + "\n" + mapping_text(rows.front(), terminal);
}

}  // namespace kernbench::several_pes
