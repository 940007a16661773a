#include "tests/collectives_calculator/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace calc {

Range block(const Range& range, std::int64_t m, std::int64_t i) {
  const std::int64_t size = range.count / m, longer = range.count % m;
  return {range.begin + i * size + std::min(i, longer), size + (i < longer ? 1 : 0)};
}

std::vector<int> neighbour_order(const Grid& grid) {
  const bool by_rows = grid.rows > 1 && grid.columns > 1 && grid.rows % 2 == 0;
  const bool by_columns = !by_rows && grid.rows > 1 && grid.columns > 1 && grid.columns % 2 == 0;
  const int r = by_columns ? grid.columns : grid.rows, c = by_columns ? grid.rows : grid.columns;
  const auto cell = [&](int row, int column) {
    return by_columns ? column * grid.columns + row : row * grid.columns + column;
  };
  std::vector<int> order;
  const int first = by_rows || by_columns ? 1 : 0;  // column 0 is the way back
  for (int row = 0; row < r; ++row) {
    const int from = row == 0 ? 0 : first;
    for (int i = from; i < c; ++i) order.push_back(cell(row, row % 2 == 0 ? i : c - 1 - (i - from)));
  }
  if (first == 1)
    for (int row = r - 1; row > 0; --row) order.push_back(cell(row, 0));
  return order;
}

std::vector<int> ring_order(const RankGrid& grid) {
  std::vector<int> order;
  for (const int package : neighbour_order(grid.packages))
    for (const int die : neighbour_order(grid.dies))
      for (const int pe : neighbour_order(grid.pes))
        order.push_back((package * grid.dies.count() + die) * grid.pes.count() + pe);
  return order;
}

std::vector<Range> Steps::chunks(const Range& range) const {
  std::vector<Range> result;
  const std::int64_t size = chunk_ > 0 ? chunk_ : std::max<std::int64_t>(range.count, 1);
  for (std::int64_t at = range.begin; at < range.end(); at += size)
    result.push_back({at, std::min(size, range.end() - at)});
  return result;
}

void Steps::pass(StepKind kind, const std::vector<int>& from, const Range& range, const std::vector<int>& to) {
  for (const Range& chunk : chunks(range)) {
    for (const int peer : from) thread_.push_back({kind, channel_, peer, chunk});
    for (const int peer : to) thread_.push_back({StepKind::send, channel_, peer, chunk});
  }
}

static std::vector<int> reversed(std::vector<int> list) {
  std::reverse(list.begin(), list.end());
  return list;
}

static std::vector<int> parent_of(const TreePlace& place) {
  return place.parent < 0 ? std::vector<int>{} : std::vector<int>{place.parent};
}

void tree_down(Steps steps, const TreePlace& place, const Range& range) {
  steps.pass(StepKind::receive, parent_of(place), range, place.children);
}

void tree_up(Steps steps, const TreePlace& place, const Range& range) {
  steps.pass(StepKind::reduce, reversed(place.children), range, parent_of(place));
}

void tree_turn(Steps steps, const TreePlace& root, const Range& range) {
  steps.pass(StepKind::reduce, reversed(root.children), range, root.children);
}

void ring_reduce_scatter(Steps steps, const std::vector<int>& members, int place, const std::vector<Range>& blocks,
                         bool joined) {
  const int n = static_cast<int>(members.size());
  if (n == 1) return;
  const int next = members[(place + 1) % n], previous = members[(place + n - 1) % n];
  steps.send(next, blocks[(place + n - 1) % n]);
  for (int j = 2; j <= n; ++j) {
    const Range& range = blocks[(place + n - j) % n];
    if (j < n || joined)
      steps.pass(StepKind::reduce, {previous}, range, {next});
    else
      steps.take(StepKind::reduce, previous, range);
  }
}

void ring_all_gather(Steps steps, const std::vector<int>& members, int place, const std::vector<Range>& blocks,
                     bool joined) {
  const int n = static_cast<int>(members.size());
  if (n == 1) return;
  const int next = members[(place + 1) % n], previous = members[(place + n - 1) % n];
  if (!joined) steps.send(next, blocks[place]);
  for (int j = 1; j < n; ++j) {
    const Range& range = blocks[(place + n - j) % n];
    if (j < n - 1)
      steps.pass(StepKind::receive, {previous}, range, {next});
    else
      steps.take(StepKind::receive, previous, range);
  }
}

Schedule make_schedule(const Request& request) {
  Schedule schedule;
  schedule.ranks.resize(request.grid.count());
  const std::string& algorithm = request.algorithm;
  const bool copies =
      request.collective == "all_to_all" || (request.collective == "all_reduce" && algorithm == "direct");
  schedule.buffer_elements = copies ? 2 * request.count : request.count;
  if (algorithm == "ring" || algorithm == "bidirectional_ring")
    plan_ring(request, schedule.ranks);
  else if (algorithm == "direct" || algorithm == "pairwise")
    plan_direct(request, schedule.ranks);
  else if (algorithm == "recursive_doubling")
    plan_recursive_doubling(request, schedule.ranks);
  else if (algorithm == "halving_doubling")
    plan_halving_doubling(request, schedule.ranks);
  else if (algorithm == "binary_tree" || algorithm == "double_binary_tree")
    plan_trees(request, schedule.ranks);
  else if (algorithm == "hierarchical")
    plan_hierarchical(request, schedule.ranks);
  else
    throw std::runtime_error("unknown algorithm " + algorithm);
  return schedule;
}

// --- ring, bidirectional_ring ---

static void plan_one_ring(const Request& request, const std::vector<int>& order, int halves, int half, Ranks& ranks) {
  const int n = static_cast<int>(order.size());
  const auto part = [&](const Range& range) { return halves == 1 ? range : block(range, halves, half); };
  const Range whole{0, request.count};
  std::vector<Range> blocks;
  for (const int rank : order) blocks.push_back(part(block(whole, n, rank)));
  const int root = static_cast<int>(std::find(order.begin(), order.end(), request.root) - order.begin());
  for (int p = 0; p < n; ++p) {
    Thread& thread = ranks[order[p]].emplace_back();
    Steps steps(thread, request.chunk, half);
    if (n == 1) continue;
    const std::string& what = request.collective;
    const std::vector<int> next{order[(p + 1) % n]}, previous{order[(p + n - 1) % n]}, nobody;
    if (what == "broadcast") {  // a chain from the root
      steps.pass(StepKind::receive, p == root ? nobody : previous, part(whole), (p + 1) % n == root ? nobody : next);
    } else if (what == "reduce") {  // a chain from the place after the root round to it
      steps.pass(StepKind::reduce, p == (root + 1) % n ? nobody : previous, part(whole), p == root ? nobody : next);
    } else {
      const bool both = what == "all_reduce";
      if (both || what == "reduce_scatter") ring_reduce_scatter(steps, order, p, blocks, both);
      if (both || what == "all_gather") ring_all_gather(steps, order, p, blocks, both);
    }
  }
}

void plan_ring(const Request& request, Ranks& ranks) {
  std::vector<int> order = ring_order(request.grid);
  const int halves = request.algorithm == "ring" ? 1 : 2;
  plan_one_ring(request, order, halves, 0, ranks);
  if (halves == 2) plan_one_ring(request, reversed(order), halves, 1, ranks);
}

// --- direct, pairwise ---

void plan_direct(const Request& request, Ranks& ranks) {
  const int n = static_cast<int>(ranks.size());
  const std::string& what = request.collective;
  const Range whole{0, request.count}, copy{request.count, request.count};
  for (int r = 0; r < n; ++r) {
    Steps steps(ranks[r].emplace_back(), request.chunk);
    const auto block_of = [&](int rank) { return block(whole, n, rank); };
    const auto output = [&](int rank) { return Range{request.count + block_of(rank).begin, block_of(rank).count}; };
    const auto send = [&](int to) {
      if (what == "all_reduce")
        steps.send(to, copy);
      else if ((what == "broadcast" && r == request.root) || (what == "reduce" && to == request.root))
        steps.send(to, whole);
      else if (what == "reduce_scatter" || what == "all_to_all")
        steps.send(to, block_of(to));
      else if (what == "all_gather")
        steps.send(to, block_of(r));
    };
    const auto take = [&](int from) {
      if (what == "all_reduce" || (what == "reduce" && r == request.root))
        steps.take(StepKind::reduce, from, whole);
      else if (what == "broadcast" && from == request.root)
        steps.take(StepKind::receive, from, whole);
      else if (what == "reduce_scatter")
        steps.take(StepKind::reduce, from, block_of(r));
      else if (what == "all_to_all")
        steps.take(StepKind::receive, from, output(from));
      else if (what == "all_gather")
        steps.take(StepKind::receive, from, block_of(from));
    };
    if (what == "all_to_all") steps.copy(block_of(r), output(r));
    if (what == "all_reduce" && n > 1) steps.copy(whole, copy);
    if (request.algorithm == "pairwise") {
      for (int k = 1; k < n; ++k) send((r + k) % n), take((r + n - k) % n);
    } else {
      for (int k = 1; k < n; ++k) send((r + k) % n);
      for (int k = 1; k < n; ++k) take((r + n - k) % n);
    }
  }
}

}  // namespace calc
