#include "benches/traces/merge/flow_ids.hpp"

#include <algorithm>
#include <iterator>

namespace kernbench::traces {
namespace {

/// How many of `all` are not among `others`; both are sorted.
std::uint64_t count_missing(const std::vector<std::uint64_t>& all, const std::vector<std::uint64_t>& others) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(all, [&others](std::uint64_t key) { return !std::ranges::binary_search(others, key); }));
}

}  // namespace

void FlowIds::add(std::uint64_t key, char phase) {
  if (phase == 's') begins_.push_back(key);
  if (phase == 'f') ends_.push_back(key);
}

void FlowIds::finish(std::uint64_t first) {
  first_ = first;
  std::ranges::sort(begins_);
  std::ranges::sort(ends_);
  counts_ = {begins_.size(), ends_.size(), count_missing(begins_, ends_), count_missing(ends_, begins_), 0};
  begins_.erase(std::unique(begins_.begin(), begins_.end()), begins_.end());
  counts_.begun_twice = counts_.begins - begins_.size();
  std::ranges::set_intersection(begins_, ends_, std::back_inserter(paired_));
  begins_ = {};
  ends_ = {};
}

std::optional<std::uint64_t> FlowIds::number(std::uint64_t key) const {
  const auto found = std::ranges::lower_bound(paired_, key);
  if (found == paired_.end() || *found != key) return std::nullopt;
  return first_ + static_cast<std::uint64_t>(found - paired_.begin());
}

}  // namespace kernbench::traces
