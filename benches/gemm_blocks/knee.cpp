#include "benches/gemm_blocks/knee.hpp"

#include <algorithm>

#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kFastestSquareTime{"fastest_square_ns"};

}  // namespace

bool is_square(const Json& block) {
  const std::vector<std::string> sides = split(block.get<std::string>(), "x");
  return sides.size() == 3 && sides[0] == sides[1] && sides[0] == sides[2];
}

std::vector<Row> knee_of_squares(const Results& simulated) {
  std::vector<const Row*> squares;
  for (const Row& row : simulated.rows) {
    if (row.status == "ok" && is_square(row.point.at("block"))) squares.push_back(&row);
  }
  if (squares.empty()) return {};
  const auto time = [](const Row* row) { return row->metrics.at(kTime); };
  const auto tcm = [](const Row* row) { return row->metrics.at(kTcmBytes); };
  std::ranges::sort(squares, {}, tcm);
  const double fastest = time(*std::ranges::min_element(squares, {}, time));
  const Row& knee =
      **std::ranges::find_if(squares, [&](const Row* row) { return time(row) <= (1 + kKneeWithin) * fastest; });
  Row row;
  row.point = {{"derived", "knee"}};
  row.metrics = {{kBlockText, knee.point.at("block").get<std::string>()},
                 {kTime, time(&knee)},
                 {kTcmBytes, tcm(&knee)},
                 {kFastestSquareTime, fastest}};
  return {row};
}

}  // namespace kernbench
