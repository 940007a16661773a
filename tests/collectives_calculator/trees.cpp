// binary_tree, double_binary_tree and hierarchical (18.5).
#include <algorithm>
#include <functional>
#include <stdexcept>

#include "tests/collectives_calculator/schedule.hpp"

namespace calc {
namespace {

void plan_tree(const Request& request, const std::vector<TreePlace>& tree, const Range& range, int channel,
               Ranks& ranks) {
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const TreePlace& place = tree[rank];
    const auto thread = [&] { return Steps(ranks[rank].emplace_back(), request.chunk, channel); };
    if (request.collective == "broadcast") {
      tree_down(thread(), place, range);
    } else if (request.collective == "reduce") {
      tree_up(thread(), place, range);
    } else if (place.parent < 0) {
      tree_turn(thread(), place, range);
    } else {
      tree_up(thread(), place, range);
      tree_down(thread(), place, range);
    }
  }
}

// The tree of places [a, a + x), in order: returns its top.
int binary_search_tree(int a, int x, const std::function<int(int)>& rank_at, std::vector<TreePlace>& tree) {
  int power = 1;
  while (2 * power <= x) power *= 2;
  const int t = a + power - 1;
  const auto child = [&](int from, int size) {
    if (size == 0) return;
    const int top = binary_search_tree(from, size, rank_at, tree);
    tree[rank_at(top)].parent = rank_at(t);
    tree[rank_at(t)].children.push_back(rank_at(top));
  };
  child(a, t - a);
  child(t + 1, a + x - t - 1);
  auto& children = tree[rank_at(t)].children;
  std::sort(children.begin(), children.end());
  return t;
}

// 18.5, hierarchical all_reduce.
class Hierarchical {
 public:
  Hierarchical(const Request& request) : request_(request), grid_(request.grid) {
    if (!request.root_die_in_corner) root_ = {grid_.dies.rows / 2, grid_.dies.columns / 2};
  }

  void plan(Ranks& ranks) {
    const int pes = grid_.pes.count(), dies = grid_.dies.count(), packages = grid_.packages.count();
    const Range whole{0, request_.count};
    const std::vector<int> order = neighbour_order(grid_.pes);
    for (int rank = 0; rank < grid_.count(); ++rank) {
      const int pe = rank % pes, die = rank / pes % dies;
      std::vector<int> members;
      std::vector<Range> shards;
      for (const int i : order) {
        members.push_back(rank - pe + i);
        shards.push_back(block(whole, pes, i));
      }
      const int place = static_cast<int>(std::find(order.begin(), order.end(), pe) - order.begin());
      const Range shard = shards[place];
      const TreePlace tree = lane(rank, die);
      auto& threads = ranks[rank];
      threads.reserve(2);
      threads.emplace_back();
      ring_reduce_scatter(steps(threads[0]), members, place, shards, false);  // (1)
      if (tree.parent >= 0) {
        tree_up(steps(threads[0]), tree, shard);  // (2), (3)
        if (shard.count > 0) threads.emplace_back();
        tree_down(steps(threads.back()), tree, shard);  // (5), (6)
      } else if (packages == 1) {
        tree_turn(steps(threads[0]), tree, shard);
      } else {
        tree_up(steps(threads[0]), tree, shard);
        exchange(threads[0], rank, shard);  // (4)
        tree_down(steps(threads[0]), tree, shard);
      }
      ring_all_gather(Steps(threads.back(), request_.chunk, 1), members, place, shards, false);  // (7)
    }
  }

 private:
  Steps steps(Thread& thread) const { return {thread, request_.chunk}; }

  TreePlace lane(int rank, int die) const {
    const int columns = grid_.dies.columns, row = die / columns, column = die % columns;
    const auto at = [&](int r, int c) { return rank + (r * columns + c - die) * grid_.pes.count(); };
    TreePlace place;
    const bool in_column = column == root_.columns;
    if (!in_column)
      place.parent = at(row, column + (column < root_.columns ? 1 : -1));
    else if (row != root_.rows)
      place.parent = at(row + (row < root_.rows ? 1 : -1), column);
    if (in_column) {
      if (row > 0 && row <= root_.rows) place.children.push_back(at(row - 1, column));
      if (row + 1 < grid_.dies.rows && row >= root_.rows) place.children.push_back(at(row + 1, column));
    }
    if (column > 0 && column <= root_.columns) place.children.push_back(at(row, column - 1));
    if (column + 1 < columns && column >= root_.columns) place.children.push_back(at(row, column + 1));
    return place;
  }

  void exchange(Thread& thread, int rank, const Range& shard) const {
    const int packages = grid_.packages.count(), per_package = grid_.count() / packages;
    const int package = rank / per_package, in_package = rank % per_package;
    if (packages == 2) {
      const int other = (1 - package) * per_package + in_package;
      steps(thread).send(other, shard);
      steps(thread).take(StepKind::reduce, other, shard);
      return;
    }
    const std::vector<int> order = neighbour_order(grid_.packages);
    std::vector<int> members;
    std::vector<Range> blocks;
    for (const int p : order) {
      members.push_back(p * per_package + in_package);
      blocks.push_back(block(shard, packages, p));
    }
    const int place = static_cast<int>(std::find(order.begin(), order.end(), package) - order.begin());
    ring_reduce_scatter(steps(thread), members, place, blocks, true);
    ring_all_gather(steps(thread), members, place, blocks, true);
  }

  const Request& request_;
  const RankGrid& grid_;
  Grid root_{0, 0};  // row and column of the root die
};

}  // namespace

void plan_trees(const Request& request, Ranks& ranks) {
  const int n = static_cast<int>(ranks.size());
  const auto rank_at = [&](int u) { return (u + request.root) % n; };
  const Range whole{0, request.count};
  if (request.algorithm == "binary_tree") {
    std::vector<TreePlace> tree(n);
    for (int u = 0; u < n; ++u) {
      if (u > 0) tree[rank_at(u)].parent = rank_at((u - 1) / 2);
      for (const int child : {2 * u + 1, 2 * u + 2})
        if (child < n) tree[rank_at(u)].children.push_back(rank_at(child));
    }
    plan_tree(request, tree, whole, 0, ranks);
    return;
  }
  const int m = n - 1;
  for (const int number : {0, 1}) {
    // which u has a place: tree 0 u itself, tree 1 mirrored (even m) or shifted (odd m)
    const auto at_place = [&](int place) {
      if (number == 0) return rank_at(place);
      return rank_at(m % 2 == 0 ? m + 1 - place : place == m ? 1 : place + 1);
    };
    std::vector<TreePlace> tree(n);
    if (m > 0) {
      const int top = at_place(binary_search_tree(1, m, at_place, tree));
      tree[top].parent = request.root;
      tree[request.root].children = {top};
    }
    plan_tree(request, tree, block(whole, 2, number), number, ranks);
  }
}

void plan_hierarchical(const Request& request, Ranks& ranks) {
  if (request.collective != "all_reduce") throw std::runtime_error("hierarchical: only all_reduce");
  Hierarchical(request).plan(ranks);
}

}  // namespace calc
