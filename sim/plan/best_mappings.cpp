#include "sim/plan/best_mappings.hpp"

#include <algorithm>
#include <tuple>

namespace kernbench {

namespace {

constexpr std::size_t kFrugalKept = 512;

}  // namespace

bool ranks_before(const RankedMapping& one, const RankedMapping& other) {
  const auto rank = [](const RankedMapping& of) {
    return std::tie(of.estimate, of.array, of.traffic, of.steps, of.tcm, of.place);
  };
  return rank(one) < rank(other);
}

MappingGroup group_of(const RankedMapping& mapping) {
  const GemmMapping& of = mapping.mapping;
  return {of.tile, of.blocks, of.buffers, mapping.cuts_k};
}

std::array<std::int64_t, 2> by_estimate(const RankedMapping& mapping) { return {mapping.estimate.value, 0}; }
std::array<std::int64_t, 2> by_bound(const RankedMapping& mapping) { return {mapping.bound.value, 0}; }
std::array<std::int64_t, 2> by_traffic(const RankedMapping& mapping) { return {mapping.traffic, 0}; }
std::array<std::int64_t, 2> by_size(const RankedMapping& mapping) {
  const TileShape& block = mapping.mapping.block;
  return {-block.m * block.k * block.n, mapping.estimate.value};
}

bool BestMappings::Before::operator()(const RankedMapping& one, const RankedMapping& other) const {
  const auto [first, second] = std::pair(key(one), key(other));
  return first != second ? first < second : ranks_before(one, other);
}

bool BestMappings::wants(const RankedMapping& floor) const {
  if (kept_.size() < count_) return true;
  const MappingKey key = kept_.key_comp().key;
  return count_ > 0 && key(floor) <= key(*kept_.rbegin());
}

std::optional<RankedMapping> BestMappings::offer(const RankedMapping& mapping) {
  kept_.insert(mapping);
  if (kept_.size() <= count_) return std::nullopt;
  return kept_.extract(std::prev(kept_.end())).value();
}

WorthSimulating::WorthSimulating(std::size_t count, const TileShape& variants, std::optional<double> nearly_ns)
    : best_(count, by_estimate), frugal_(kFrugalKept, by_traffic), variants_(variants), nearly_ns_(nearly_ns) {}

bool WorthSimulating::wants(const RankedMapping& floor) const {
  if (best_.wants(floor) || is_variant(floor) || (is_nearly_as_fast(floor) && frugal_.wants(floor))) return true;
  const auto first = first_of_groups_.find(group_of(floor));
  return first == first_of_groups_.end() || first->second.wants(floor);
}

void WorthSimulating::offer(const RankedMapping& mapping) {
  std::optional<RankedMapping> left = best_.offer(mapping);
  if (left && is_variant(*left)) {
    staged_.push_back(*left);
    return;
  }
  if (left) left = first_of_groups_.try_emplace(group_of(*left), 1, by_estimate).first->second.offer(*left);
  if (left && is_nearly_as_fast(*left)) left = frugal_.offer(*left);
  if (left) leave_out(*left);
}

MappingSearch WorthSimulating::found() const {
  MappingSearch search;
  search.best.assign(best_.kept().begin(), best_.kept().end());
  for (const auto& [group, first] : first_of_groups_) {
    search.best.insert(search.best.end(), first.kept().begin(), first.kept().end());
  }
  search.best.insert(search.best.end(), frugal_.kept().begin(), frugal_.kept().end());
  search.best.insert(search.best.end(), staged_.begin(), staged_.end());
  std::ranges::sort(search.best, ranks_before);
  search.least_left = least_left_;
  return search;
}

}  // namespace kernbench
