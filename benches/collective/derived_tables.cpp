#include "benches/collective/derived_tables.hpp"

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/collective/collective_metrics.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/units.hpp"

namespace kernbench {
namespace {

std::string size_text(const Json& bytes) { return format_quantity(bytes.get<Bytes>(), Dimension::kBytes); }

}  // namespace

std::string format_derived_collectives(const std::vector<Row>& derived, const Terminal& terminal) {
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
    if (row.point.at("derived") == "best" && row.metrics.has(kNextAlgorithm)) {
      ++choices;
      best.add_row({size_text(row.point.at("bytes")), row.metrics.at(kFastestAlgorithm),
                    formatted("%.2f", row.metrics.at(kTime)), row.metrics.at(kNextAlgorithm),
                    percent(row.metrics.at(kNextTime) / row.metrics.at(kTime) - 1),
                    row.metrics.value_or(kIsTie, false) ? "tie" : ""});
    }
    if (row.point.at("derived") == "fit") {
      ++segments;
      const double alpha = row.metrics.at(kAlphaNs);
      const double beta = row.metrics.at(kBetaNsPerByte);
      fits.add_row({row.point.value("algorithm", "NCCL"), size_text(row.metrics.at(kFitFrom)),
                    size_text(row.metrics.at(kFitTo)), alpha > 0 ? formatted("%.2f", alpha) : "-",
                    formatted("%.6f", beta), beta > 0 ? formatted("%.2f", 1 / beta) : "-",
                    percent(row.metrics.at(kResidualMax))});
    }
  }
  std::string text;
  if (choices > 0) text += "\n" + best.format(terminal);
  if (segments > 0) text += "\ntime = alpha + beta x bytes, a line a regime:\n" + fits.format(terminal);
  return text;
}

}  // namespace kernbench
