// `kernbench sim gemm --over`: one GEMM on several PEs together, each way they can do it, and the bounds beside.
#include <algorithm>
#include <limits>

#include "benches/cli/over_plans.hpp"
#include "benches/cli/over_rows.hpp"
#include "benches/cli/over_run.hpp"
#include "benches/cli/sim_gemm.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/system/gemm_over.hpp"

namespace kernbench {
namespace {

std::vector<std::string> kernels_of(const SimGemmOptions& options) {
  if (options.variant != "all") return {find_gemm_over_kernel(options.variant).name};
  std::vector<std::string> names;
  for (const GemmOverKernel& kernel : gemm_over_kernels()) names.push_back(kernel.name);
  return names;
}

/// One that the machine cannot do is a skipped row where it is one of several.
Row row_of_way(const OverAsked& asked, const OverWay& way, bool one_of_several) {
  Row row;
  try {
    if (!way.refused.empty()) throw ConfigError(way.refused);
    row = simulate_over(asked, way);
  } catch (const ConfigError& error) {
    if (!one_of_several) throw;
    row.status = "skipped";
    row.reason = error.what();
  }
  row.point = over_point(asked.options, asked.problem, way);
  return row;
}

/// A link has a long name: the line below says which.
std::string kind_of(const std::string& resource) {
  return resource.find(" -> ") == std::string::npos ? resource : "link";
}

std::string format_comparison(const std::vector<Row>& rows, const Look& look) {
  Table table({{"variant"},
               {"time (ns)", Align::kRight},
               {"bound (ns)", Align::kRight},
               {"above", Align::kRight},
               {"bound by"},
               {"MAC util", Align::kRight},
               {"work imbalance", Align::kRight, 1},
               {"network (B)", Align::kRight, 2},
               {"busiest link", Align::kRight}});
  double fastest = std::numeric_limits<double>::infinity();
  const auto time = [](const Row& row) { return row.metrics.at("time_ns").get<double>(); };
  for (const Row& row : rows) fastest = row.status == "ok" ? std::min(fastest, time(row)) : fastest;
  for (const Row& row : rows) {
    const std::string variant = row.point.at("variant");
    if (row.status != "ok") {
      table.add_row({variant, "", "", "", {row.status, Style::kYellow}, "", "", "", ""});
      continue;
    }
    const bool bounded = row.metrics.contains("bound_ns");
    const double bound = bounded ? row.metrics.at("bound_ns").get<double>() : 0;
    table.add_row({variant,
                   {one_decimal(time(row)), time(row) == fastest ? Style::kGreen : Style::kPlain},
                   bounded ? one_decimal(bound) : "",
                   bounded ? percent(time(row) / bound - 1) : "",
                   bounded ? kind_of(row.metrics.at("bound_bottleneck").get<std::string>()) : "",
                   percent(row.metrics.at("mac_util").get<double>()),
                   percent(row.metrics.at("work_imbalance").get<double>()),
                   grouped(row.metrics.at("network_bytes").get<std::int64_t>()),
                   percent(row.metrics.at("busiest_link_util").get<double>())});
  }
  return table.format(look);
}

/// A line a way.
std::string format_ways(const std::vector<Row>& rows, const Look& look) {
  std::size_t width = 0;
  const auto name = [](const Row& row) { return row.point.at("variant").get<std::string>(); };
  for (const Row& row : rows) width = std::max(width, name(row).size());
  std::string text;
  for (const Row& row : rows) {
    const std::string first = name(row) + std::string(width + 2 - name(row).size(), ' ');
    text += hanging(first, row.status == "ok" ? describe_placement(row) : row.reason, look.width);
  }
  return text;
}

}  // namespace

int run_sim_gemm_over(const SimGemmOptions& options) {
  const OverAsked asked = over_asked(options);
  warn_of_buffers(asked.over.machine);
  const std::vector<std::string> variants = kernels_of(options);
  const bool several = variants.size() > 1;
  if (several && !options.trace.empty()) {
    throw ConfigError("--trace " + options.trace.string() + ": expected one variant: name it by --variant");
  }
  const OverWays planned =
      plan_ways(options.child, asked.over.machine, variants, [&](const NetworkPlan& plan, const std::string& variant) {
        return choose_placement(asked.over.machine, plan, asked.request(variant), options.placement);
      });
  if (std::ranges::none_of(planned.ways, [](const OverWay& way) { return way.refused.empty(); })) {
    throw ConfigError((several ? "no variant can do it: " : "") + planned.ways.front().refused);
  }
  print_notes(planned.notes);
  std::vector<Row> rows;
  for (const OverWay& way : planned.ways) rows.push_back(row_of_way(asked, way, several));
  const auto tables = [&](const Look& look) {
    const std::string heading = styled(asked.title(), Style::kBold, look.colours) + "\n";
    return several
               ? heading + format_comparison(rows, look) + "\n" + format_ways(rows, look) + "\n" +
                     prose(
                         "Placements have the least bound of those that a variant can have; --place narrows them. "
                         "--variant NAME shows one PE by PE.",
                         look)
               : heading + format_comparison({rows.front()}, look) + "\n" + format_over_run(asked, rows.front(), look);
  };
  options.deliver(tables, as_results(rows, "sim-gemm-over", asked.machine), asked.machine, asked.title());
  return 0;
}

}  // namespace kernbench
