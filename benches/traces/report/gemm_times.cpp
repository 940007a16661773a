#include "benches/traces/report/gemm_times.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace kernbench::traces {
namespace {

constexpr std::size_t kMostGemms = 6;
constexpr std::size_t kMostValues = 64;

/// Names by sum of times, the largest first.
std::vector<std::string> by_time(const std::vector<std::string>& names, const std::vector<double>& times) {
  std::map<std::string, double> sums;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (sums.try_emplace(names[i], 0).second) order.push_back(names[i]);
    sums[names[i]] += times[i];
  }
  std::ranges::stable_sort(order, {}, [&sums](const std::string& name) { return -sums[name]; });
  return order;
}

std::size_t place_in(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  const auto place = static_cast<std::size_t>(found - names.begin());
  if (found == names.end()) names.push_back(name);
  return place;
}

}  // namespace

std::vector<const GemmAxis*> GemmTimes::varied(bool with_rank) const {
  std::vector<const GemmAxis*> found;
  for (const GemmAxis& axis : axes) {
    if (axis.name == kRunAxis || (axis.name == kRankColumn && !with_rank)) continue;
    if (axis.values.size() > 1 && axis.values.size() <= kMostValues) found.push_back(&axis);
  }
  return found;
}

std::vector<std::string> GemmTimes::runs() const {
  const auto found = std::ranges::find(axes, kRunAxis, &GemmAxis::name);
  return found == axes.end() ? std::vector<std::string>{} : found->values;
}

std::string GemmTimes::place(const TimedCall& call, const std::string& axis) const {
  const auto found = std::ranges::find(axes, axis, &GemmAxis::name);
  return found == axes.end() ? "" : call.places[static_cast<std::size_t>(found - axes.begin())];
}

std::vector<double> GemmTimes::times(std::size_t gemm,
                                     const std::vector<std::pair<std::string, std::string>>& places) const {
  std::vector<double> found;
  for (const TimedCall& call : calls) {
    const auto is_there = [&](const auto& wanted) { return place(call, wanted.first) == wanted.second; };
    if (call.gemm == gemm && std::ranges::all_of(places, is_there)) found.push_back(call.time_us);
  }
  return found;
}

GemmTimes gemm_times(const TraceTable& table) {
  const TableValues values(table);
  GemmTimes found;
  std::vector<std::string> points = values.places();
  for (const std::string& name : points) found.axes.push_back({name, values.values(name)});
  if (!points.empty()) points.pop_back();
  std::vector<std::string> names;
  std::vector<double> times;
  for (std::size_t row = 0; row < values.size(); ++row) {
    names.push_back(gemm_text(values, row));
    times.push_back(values.number(row, "time_us").value_or(0));
  }
  found.gemms = by_time(names, times);
  if (found.gemms.size() > kMostGemms) {
    found.left_out = found.gemms.size() - kMostGemms;
    found.gemms.resize(kMostGemms);
  }
  for (std::size_t row = 0; row < values.size(); ++row) {
    const auto gemm = std::ranges::find(found.gemms, names[row]);
    const std::size_t point = place_in(found.points, place_text(values, row, points));
    if (gemm == found.gemms.end()) continue;
    TimedCall& call = found.calls.emplace_back();
    call.gemm = static_cast<std::size_t>(gemm - found.gemms.begin());
    call.point = point;
    call.time_us = times[row];
    for (const GemmAxis& axis : found.axes) call.places.push_back(values.text(row, axis.name));
  }
  return found;
}

}  // namespace kernbench::traces
