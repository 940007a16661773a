// The few of many mappings that a search keeps (adr/0032-mappings.md, 32.8).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sim/plan/mapping_search.hpp"

namespace kernbench {

/// Whether `one` comes before `other` by the rank of 32.8.
[[nodiscard]] bool ranks_before(const RankedMapping& one, const RankedMapping& other);

/// What shall be little. Of a floor, whose numbers no mapping of a kind falls below, it is a floor, too.
using MappingKey = std::array<std::int64_t, 2> (*)(const RankedMapping&);
[[nodiscard]] std::array<std::int64_t, 2> by_estimate(const RankedMapping& mapping);
[[nodiscard]] std::array<std::int64_t, 2> by_bound(const RankedMapping& mapping);
[[nodiscard]] std::array<std::int64_t, 2> by_traffic(const RankedMapping& mapping);
/// The largest block first, then the least estimate.
[[nodiscard]] std::array<std::int64_t, 2> by_size(const RankedMapping& mapping);

/// The first `count` by a key, of equal ones by their rank.
class BestMappings {
 public:
  BestMappings(std::size_t count, MappingKey key) : count_(count), kept_(Before{key}) {}

  /// Whether it may keep one that is no better than this floor.
  [[nodiscard]] bool wants(const RankedMapping& floor) const;
  /// Returns what is not kept: none, this one, or one that was kept before.
  std::optional<RankedMapping> offer(const RankedMapping& mapping);
  void leave_out(const RankedMapping& /*floor*/) const {}

  struct Before {
    MappingKey key;
    bool operator()(const RankedMapping& one, const RankedMapping& other) const;
  };
  using Kept = std::set<RankedMapping, Before>;
  [[nodiscard]] const Kept& kept() const { return kept_; }

 private:
  std::size_t count_;
  Kept kept_;
};

/// Mappings that wait for the same things, whatever their blocks and order: what the estimate leaves out of one, it
/// leaves out of all.
struct MappingGroup {
  TileShape tile{};
  Residency blocks{};
  std::int64_t buffers = 0;
  bool cuts_k = false;
  bool operator==(const MappingGroup&) const = default;
  bool operator<(const MappingGroup& other) const { return key() < other.key(); }
  [[nodiscard]] std::array<std::int64_t, 7> key() const {
    return {tile.m, tile.k, tile.n, blocks.a ? 1 : 0, blocks.b ? 1 : 0, buffers, cuts_k ? 1 : 0};
  }
};
[[nodiscard]] MappingGroup group_of(const RankedMapping& mapping);

/// What may be worth a simulation: the first `count`, the first of each group, those of one step of `variants`, a tile,
/// and of those whose estimate is at most `nearly_ns` those that move least.
class WorthSimulating {
 public:
  WorthSimulating(std::size_t count, const TileShape& variants, std::optional<double> nearly_ns);

  [[nodiscard]] bool wants(const RankedMapping& floor) const;
  void offer(const RankedMapping& mapping);
  void leave_out(const RankedMapping& floor) { least_left_ = std::min(least_left_, floor.bound); }

  /// All but `tried`.
  [[nodiscard]] MappingSearch found() const;

 private:
  [[nodiscard]] bool is_variant(const RankedMapping& mapping) const {
    return mapping.steps == 1 && mapping.mapping.tile == variants_;
  }
  [[nodiscard]] bool is_nearly_as_fast(const RankedMapping& mapping) const {
    return nearly_ns_ && mapping.estimate.ns() <= *nearly_ns_;
  }

  BestMappings best_;
  std::map<MappingGroup, BestMappings> first_of_groups_;  // of those that are not among the best
  BestMappings frugal_;
  std::vector<RankedMapping> staged_;
  TileShape variants_;
  std::optional<double> nearly_ns_;
  Picoseconds least_left_ = MappingSearch{}.least_left;
};

}  // namespace kernbench
