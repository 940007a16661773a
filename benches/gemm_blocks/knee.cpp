#include "benches/gemm_blocks/knee.hpp"

#include <algorithm>

#include "sim/base/text.hpp"

namespace kernbench {

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
  const auto time = [](const Row* row) { return row->metrics.at("time_ns").get<double>(); };
  const auto tcm = [](const Row* row) { return row->metrics.at("tcm_bytes").get<std::int64_t>(); };
  std::ranges::sort(squares, {}, tcm);
  const double fastest = time(*std::ranges::min_element(squares, {}, time));
  const Row& knee =
      **std::ranges::find_if(squares, [&](const Row* row) { return time(row) <= (1 + kKneeWithin) * fastest; });
  Row row;
  row.point = {{"derived", "knee"}};
  row.metrics = {{"block", knee.point.at("block")},
                 {"time_ns", time(&knee)},
                 {"tcm_bytes", tcm(&knee)},
                 {"fastest_square_ns", fastest}};
  return {row};
}

}  // namespace kernbench
