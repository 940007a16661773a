// Schedules of collectives: who sends which elements to whom, in which order (ADR-0018).
#pragma once

#include <string>
#include <vector>

#include "tests/collectives_calculator/machine.hpp"

namespace calc {

struct Range {
  std::int64_t begin = 0, count = 0;
  std::int64_t end() const { return begin + count; }
};

enum class StepKind { send, receive, reduce, copy };

struct Step {
  StepKind kind = StepKind::send;
  int channel = 0;
  int peer = -1;
  Range range;     // of a copy: where it goes
  Range from{};    // of a copy
  int queue = -1;  // its message queue (19.1), given by the executor
};

using Thread = std::vector<Step>;

struct Schedule {
  std::vector<std::vector<Thread>> ranks;
  std::int64_t buffer_elements = 0;
};

struct RankGrid {  // 18.3
  Grid packages, dies, pes;
  int count() const { return packages.count() * dies.count() * pes.count(); }
};

struct Request {
  std::string collective, algorithm;
  std::int64_t count = 0;  // S, in elements
  std::int64_t chunk = 0;  // 0: blocks are whole
  int root = 0;
  RankGrid grid;
  bool root_die_in_corner = false;  // hierarchical all_reduce
};

Schedule make_schedule(const Request& request);

// 18.3
std::vector<int> neighbour_order(const Grid& grid);
std::vector<int> ring_order(const RankGrid& grid);

// Block i of m balanced blocks of a range.
Range block(const Range& range, std::int64_t m, std::int64_t i);

// Appends steps to a thread, chunk by chunk (18.4).
class Steps {
 public:
  Steps(Thread& thread, std::int64_t chunk, int channel = 0) : thread_(thread), chunk_(chunk), channel_(channel) {}

  std::vector<Range> chunks(const Range& range) const;
  void send(int to, const Range& range) { pass(StepKind::send, {}, range, {to}); }
  void take(StepKind kind, int from, const Range& range) { pass(kind, {from}, range, {}); }
  // For each chunk: take it from each of `from` (receive or reduce), then send it to each of `to`.
  void pass(StepKind kind, const std::vector<int>& from, const Range& range, const std::vector<int>& to);
  void copy(const Range& from, const Range& to) {
    if (to.count > 0) thread_.push_back({StepKind::copy, 0, -1, to, from});
  }

 private:
  Thread& thread_;
  std::int64_t chunk_;
  int channel_;
};

struct TreePlace {
  int parent = -1;
  std::vector<int> children;
};

// 18.5: going down a chunk goes to the children in their order, going up it comes from them in the reverse order.
void tree_down(Steps steps, const TreePlace& place, const Range& range);
void tree_up(Steps steps, const TreePlace& place, const Range& range);
void tree_turn(Steps steps, const TreePlace& root, const Range& range);

// A ring among `members`, in ring order; `blocks` by place. `joined`: an all_reduce's two parts follow each other.
void ring_reduce_scatter(Steps steps, const std::vector<int>& members, int place, const std::vector<Range>& blocks,
                         bool joined);
void ring_all_gather(Steps steps, const std::vector<int>& members, int place, const std::vector<Range>& blocks,
                     bool joined);

// The algorithms: all threads of all ranks.
using Ranks = std::vector<std::vector<Thread>>;
void plan_ring(const Request& request, Ranks& ranks);
void plan_direct(const Request& request, Ranks& ranks);
void plan_recursive_doubling(const Request& request, Ranks& ranks);
void plan_halving_doubling(const Request& request, Ranks& ranks);
void plan_trees(const Request& request, Ranks& ranks);
void plan_hierarchical(const Request& request, Ranks& ranks);

}  // namespace calc
