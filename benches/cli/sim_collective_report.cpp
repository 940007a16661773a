// Everything is read from the rows; only what --counts shows per packet-hop is divided here.
#include "benches/cli/sim_collective_report.hpp"

#include "benches/harness/results/energy_row.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/units.hpp"
#include "sim/plan/collective/bandwidth_metrics.hpp"

namespace kernbench {
namespace {

std::string ratio(double part, double whole, const char* format) {
  return whole > 0 ? formatted(format, part / whole) : "-";
}

void add_counts(std::vector<TableCell>& cells, const Row& row, const CollectiveCost& cost) {
  const double hops = number(row, "packet_hops");
  cells.emplace_back(grouped(row.metrics.at("packet_hops").get<std::int64_t>()));
  cells.emplace_back(ratio(number(row, "wakeups"), hops, "%.2f"));
  cells.emplace_back(ratio(hops / 1e6, cost.cpu_s, "%.2f"));
}

/// "" of a point that failed: it does not say how many ranks there are.
std::string count_text(const Row& row, std::int64_t elements) {
  if (!row.metrics.contains("ranks")) return "";
  return std::to_string(nccl_count(kCollectives.parse(row.point.at("collective").get<std::string>()),
                                   row.metrics.at("ranks").get<std::int64_t>(), elements));
}

std::vector<TableCell> cells_of(const Row& row, const CollectiveReport& report, const CollectiveCost& cost,
                                std::size_t columns) {
  const auto bytes = row.point.at("bytes").get<Bytes>();
  std::vector<TableCell> cells{row.point.at("algorithm").get<std::string>(), std::to_string(bytes),
                               count_text(row, bytes / kElementBytes), "bf16"};
  if (row.status != "ok") {
    cells.resize(columns - 1, TableCell(""));
    cells.emplace_back(row.status + ": " + row.reason, row.status == "failed" ? Style::kRed : Style::kDim);
    return cells;
  }
  for (const char* metric : {"time_ns", "algbw_gbs", "busbw_gbs", "bound_ns"}) {
    cells.emplace_back(formatted("%.2f", number(row, metric)));
  }
  cells.emplace_back(row.metrics.at("bound").get<std::string>());
  cells.emplace_back(percent(number(row, "bound_fraction")));
  cells.emplace_back(percent(number(row, "link_util_max")));
  cells.emplace_back(row.metrics.at("busiest_link").get<std::string>(), Style::kDim);
  cells.emplace_back(total_energy_text(row));
  if (report.verified) cells.emplace_back("0");  // a wrong one fails the point
  if (report.counts) add_counts(cells, row, cost);
  return cells;
}

/// Of rows of which one package was simulated for all.
std::string packages_text(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.status != "ok" || number(row, "pes_simulated") >= number(row, "ranks")) continue;
    return "of " + row.point.at("algorithm").get<std::string>() + ", " +
           grouped(row.metrics.at("pes_simulated").get<std::int64_t>()) + " PEs were simulated for all " +
           grouped(row.metrics.at("ranks").get<std::int64_t>()) +
           ": every package does what the one before it does, which comes to the same (--no-fast-forward simulates "
           "all)";
  }
  return "";
}

std::string size_text(const Json& bytes) { return format_quantity(bytes.get<Bytes>(), Dimension::kBytes); }

}  // namespace

std::string format_collectives(const CollectiveReport& report, const Look& look) {
  std::vector<TableColumn> columns{{"algorithm"},
                                   {"size (B)", Align::kRight},
                                   {"count", Align::kRight, 7},
                                   {"type", Align::kLeft, 8},
                                   {"time (ns)", Align::kRight},
                                   {"algbw (GB/s)", Align::kRight, 4},
                                   {"busbw (GB/s)", Align::kRight},
                                   {"bound (ns)", Align::kRight, 5},
                                   {"bound by", Align::kLeft, 3},
                                   {"of bound", Align::kRight, 1},
                                   {"max link", Align::kRight, 2},
                                   {"busiest link", Align::kLeft, 6},
                                   {energy_title(report.rows), Align::kRight}};
  if (report.verified) columns.push_back({"#wrong", Align::kRight});
  if (report.counts) {
    columns.push_back({"packet-hops", Align::kRight});
    columns.push_back({"wake-ups a hop", Align::kRight});
    columns.push_back({"M hops/CPU s", Align::kRight});
  }
  columns.push_back({"", Align::kLeft, 0, true});  // why a point failed, or was skipped
  Table table(columns);
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    table.add_row(cells_of(report.rows[i], report, report.costs.at(i), columns.size()));
  }
  std::string text = table.format(look);
  for (const std::string& note : {packages_text(report.rows), missing_energy_text(report.rows)}) {
    if (!note.empty()) text += prose(note, look);
  }
  return text;
}

std::string format_collective_summary(const std::vector<Row>& derived, const Look& look) {
  Table best({{"size"}, {"fastest"}, {"time (ns)", Align::kRight}, {"next"}, {"slower by", Align::kRight}, {""}});
  Table fits({{"algorithm"},
              {"from"},
              {"to"},
              {"alpha (ns)", Align::kRight},
              {"beta (ns/B)", Align::kRight},
              {"1/beta (GB/s)", Align::kRight},
              {"largest error", Align::kRight}});
  std::size_t choices = 0;
  std::size_t segments = 0;
  for (const Row& row : derived) {
    if (row.point.at("derived") == "best" && row.metrics.contains("next")) {
      ++choices;
      best.add_row({size_text(row.point.at("bytes")), row.metrics.at("algorithm").get<std::string>(),
                    formatted("%.2f", number(row, "time_ns")), row.metrics.at("next").get<std::string>(),
                    percent(number(row, "next_time_ns") / number(row, "time_ns") - 1),
                    row.metrics.value("tie", false) ? "tie" : ""});
    }
    if (row.point.at("derived") == "fit") {
      ++segments;
      const double alpha = number(row, "alpha_ns");
      const double beta = number(row, "beta_ns_per_byte");
      fits.add_row({row.point.at("algorithm").get<std::string>(), size_text(row.metrics.at("from_bytes")),
                    size_text(row.metrics.at("to_bytes")), alpha > 0 ? formatted("%.2f", alpha) : "-",
                    formatted("%.6f", beta), beta > 0 ? formatted("%.2f", 1 / beta) : "-",
                    percent(number(row, "residual_max"))});
    }
  }
  std::string text;
  if (choices > 0) text += "\n" + best.format(look);
  if (segments > 0) text += "\ntime = alpha + beta x bytes, a line a regime:\n" + fits.format(look);
  return text;
}

}  // namespace kernbench
