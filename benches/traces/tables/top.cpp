#include "benches/traces/tables/top.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace kernbench::traces {
namespace {

/// Of equals the first stays first. Calls of a GEMM whose shape is not known may be of several: they are last.
void sort_by_difference(std::vector<VaryingGemm>& rows) {
  std::ranges::stable_sort(rows, std::greater{}, [](const VaryingGemm& row) {
    return std::pair(row.group.basis == GemmBasis::kShape, row.difference());
  });
}

std::vector<VaryingGemm> of_file(const PlacedTrace& placed, const TraceSelection& selection, std::size_t top) {
  std::vector<VaryingGemm> rows;
  for (GemmGroup& group : gemm_groups(placed.trace, selection)) {
    const GemmCall shortest = *std::ranges::min_element(group.calls, {}, &GemmCall::time);
    const GemmCall longest = *std::ranges::max_element(group.calls, {}, &GemmCall::time);
    rows.push_back({&placed, 0, std::move(group), shortest, longest});
  }
  sort_by_difference(rows);
  if (rows.size() > top) rows.resize(top);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].place = i + 1;
  return rows;
}

}  // namespace

std::vector<VaryingGemm> varying_gemms(const std::vector<PlacedTrace>& traces, const TraceSelection& selection,
                                       std::size_t top) {
  std::vector<VaryingGemm> all;
  for (const PlacedTrace& placed : traces) {
    std::vector<VaryingGemm> rows = of_file(placed, selection, top);
    std::ranges::move(rows, std::back_inserter(all));
  }
  sort_by_difference(all);
  return all;
}

}  // namespace kernbench::traces
