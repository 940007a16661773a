#include "benches/harness/trace_tables/top.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace kernbench::traces {
namespace {

std::vector<VaryingGemm> of_file(const PlacedTrace& placed, const TraceSelection& selection, std::size_t top) {
  std::vector<VaryingGemm> rows;
  for (GemmGroup& group : gemm_groups(placed.trace, selection)) {
    const GemmCall shortest = *std::ranges::min_element(group.calls, {}, &GemmCall::time);
    const GemmCall longest = *std::ranges::max_element(group.calls, {}, &GemmCall::time);
    rows.push_back({&placed, 0, std::move(group), shortest, longest});
  }
  std::ranges::stable_sort(rows, std::greater{}, &VaryingGemm::difference);
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
  std::ranges::stable_sort(all, std::greater{}, &VaryingGemm::difference);
  return all;
}

}  // namespace kernbench::traces
