// hierarchical: inside a die first, then across the dies of a package, then across packages. An all_reduce works in
// rails: PE p of every die reduces shard p of the data with the same PE of the other dies.
#include <algorithm>
#include <utility>

#include "sim/collectives/level_rings.hpp"
#include "sim/collectives/level_tree.hpp"
#include "sim/collectives/ring_steps.hpp"
#include "sim/collectives/sizes.hpp"
#include "sim/collectives/tree_steps.hpp"
#include "sim/plan/collective/algorithm.hpp"

namespace kernbench {

namespace {

struct Phases {
  std::uint8_t row = 0;
  std::uint8_t column = 0;
};

/// The ranks of `places`, and what belongs to each.
struct Ring {
  std::vector<std::int32_t> order;
  std::vector<RingBlock> blocks;
};

class HierarchicalAllReduce {
 public:
  HierarchicalAllReduce(const CollectiveRequest& request, CollectiveSchedule& schedule)
      : grid_(request.grid), count_(request.count), schedule_(schedule), style_{.chunk = request.chunk} {
    const GridShape dies = grid_.dies;
    root_die_ = request.root_die == RootDie::kCentre ? dies.index({dies.rows / 2, dies.columns / 2}) : 0;
    schedule.phases.clear();
    scatter_ = add_phase(schedule, grid_.pes.size() > 1, "die reduce-scatter");
    up_.row = add_phase(schedule, dies.columns > 1, "row reduce");
    up_.column = add_phase(schedule, dies.rows > 1, "column reduce");
    exchange_ = add_phase(schedule, grid_.packages.size() > 1, "package exchange");
    down_.column = add_phase(schedule, dies.rows > 1, "column broadcast");
    down_.row = add_phase(schedule, dies.columns > 1, "row broadcast");
    gather_ = add_phase(schedule, grid_.pes.size() > 1, "die all-gather");
  }

  void add_rank(std::int32_t rank) {
    const RankPlace at = grid_.place(rank);
    const ElementRange shard = balanced_block(count_, grid_.pes.size(), at.pe);
    const Ring die = die_ring(at);
    const RingSeat seat{die.order, die.blocks, std::ranges::find(die.order, rank) - die.order.begin()};
    const TreeNode node = die_node(at);
    CollectiveThread first;
    CollectiveThread second;  // the way down, beside the way up
    if (die.order.size() > 1) add_ring_reduce_scatter(first, seat, style_.in_phase(scatter_));
    if (!node.is_root()) {
      add_tree_up(first, node, shard, style_);
      add_tree_down(second, node, shard, style_);
    } else if (grid_.packages.size() == 1) {
      add_tree_turn(first, node, shard, style_);
    } else {
      add_tree_up(first, node, shard, style_);
      add_exchange(first, at, shard);
      add_tree_down(first, node, shard, style_);
    }
    // Only what came down says that this rank's part of the way up is over.
    CollectiveThread& last = second.empty() ? first : second;
    if (die.order.size() > 1) add_ring_all_gather(last, seat, style_.in_phase(gather_).on_channel(1));
    auto& threads = schedule_.ranks[static_cast<std::size_t>(rank)];
    threads.push_back(std::move(first));
    threads.push_back(std::move(second));
  }

 private:
  /// The PEs of a die, with their shards.
  [[nodiscard]] Ring die_ring(RankPlace at) const {
    Ring ring;
    for (const std::int32_t pe : neighbour_order(grid_.pes)) {
      ring.order.push_back(grid_.rank({at.package, at.die, pe}));
      ring.blocks.push_back({balanced_block(count_, grid_.pes.size(), pe)});
    }
    return ring;
  }

  [[nodiscard]] TreeEdge edge(RankPlace at, std::int32_t die, bool in_row) const {
    const std::int32_t peer = grid_.rank({at.package, die, at.pe});
    return {peer, in_row ? up_.row : up_.column, in_row ? down_.row : down_.column};
  }

  /// This rail's tree over the dies of the package. Children in the column come before those in the row.
  [[nodiscard]] TreeNode die_node(RankPlace at) const {
    TreeNode node;
    const MeshParent parent = mesh_parent(grid_.dies, root_die_, at.die);
    if (parent.index >= 0) node.parent = edge(at, parent.index, parent.in_row);
    for (const bool in_row : {false, true}) {
      for (std::int32_t die = 0; die < grid_.dies.size(); ++die) {
        const MeshParent other = mesh_parent(grid_.dies, root_die_, die);
        if (other.index == at.die && other.in_row == in_row) node.children.push_back(edge(at, die, in_row));
      }
    }
    return node;
  }

  /// all_reduce of the shard among the root dies' PEs of this rail: two packages send each other all, more form a ring.
  void add_exchange(CollectiveThread& thread, RankPlace at, ElementRange shard) const {
    const StepStyle style = style_.in_phase(exchange_);
    const std::int32_t packages = grid_.packages.size();
    if (packages == 2) {
      const std::int32_t peer = grid_.rank({1 - at.package, at.die, at.pe});
      add_steps(thread, StepKind::kSend, peer, shard, style);
      add_steps(thread, StepKind::kReduce, peer, shard, style);
      return;
    }
    Ring ring;
    std::int64_t place = 0;
    for (const std::int32_t package : neighbour_order(grid_.packages)) {
      if (package == at.package) place = static_cast<std::int64_t>(ring.order.size());
      ring.order.push_back(grid_.rank({package, at.die, at.pe}));
      const ElementRange block = balanced_block(shard.count, packages, package);
      ring.blocks.push_back({{shard.first + block.first, block.count}});
    }
    const RingSeat seat{ring.order, ring.blocks, place};
    add_ring_all_reduce(thread, seat, style, style);
  }

  RankGrid grid_;
  std::int64_t count_;
  CollectiveSchedule& schedule_;
  StepStyle style_;
  std::int32_t root_die_ = 0;
  std::uint8_t scatter_ = 0;
  std::uint8_t exchange_ = 0;
  std::uint8_t gather_ = 0;
  Phases up_;
  Phases down_;
};

void build(const CollectiveRequest& request, CollectiveSchedule& schedule) {
  if (request.collective == Collective::kAllReduce) {
    HierarchicalAllReduce all_reduce(request, schedule);
    for (std::int32_t rank = 0; rank < request.grid.size(); ++rank) all_reduce.add_rank(rank);
    return;
  }
  if (request.collective == Collective::kReduceScatter || request.collective == Collective::kAllGather) {
    return add_level_rings(request, schedule);
  }
  add_tree(schedule, level_tree(request, schedule), {0, request.count}, {.chunk = request.chunk});
}

ScheduleSize all_reduce_size(const CollectiveRequest& request) {
  const SizeTerms terms(request);
  const double packages = request.grid.packages.size();
  const double dies = request.grid.dies.size();
  const double pes = request.grid.pes.size();
  // In each die and rail: down to a shard, and back.
  ScheduleSize size{4 * terms.ranks * (pes - 1), 4 * packages * dies * (pes - 1) * terms.count,
                    pes > 1 ? 2 * terms.ranks : 0};
  const double tree_edges = 2 * packages * (dies - 1);
  size += {2 * tree_edges * pes, 2 * tree_edges * (terms.count + pes), tree_edges * pes};
  const double exchanges = 4 * packages * (packages - 1);
  size += {exchanges * pes, 4 * (packages - 1) * (terms.count + pes), packages > 1 ? packages * pes : 0};
  return size;
}

ScheduleSize size(const CollectiveRequest& request) {
  if (is_rooted(request.collective)) return tree_size(request);
  if (request.collective == Collective::kAllReduce) return all_reduce_size(request);
  const SizeTerms terms(request);  // the blocks that each rank gives or takes, level by level, are all but its own
  return {2 * terms.ranks * std::min(terms.ranks - 1, terms.count), 2 * (terms.ranks - 1) * terms.count,
          3 * terms.ranks};
}

const RegisterCollectiveAlgorithm kRegistered({"hierarchical",
                                               "inside each die, across the dies of a package, across packages",
                                               {Collective::kAllReduce, Collective::kReduceScatter,
                                                Collective::kAllGather, Collective::kBroadcast, Collective::kReduce},
                                               build,
                                               size});

}  // namespace

}  // namespace kernbench
