// What a mapping loads, when, and how often (adr/0032-mappings.md, 32.3, 32.7, 32.19).
#include <algorithm>
#include <array>

#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

/// Whether a step uses another block than the one before it, or adds to sums of HBM, or C.
bool MappedGemm::loads_at(BlockOf what, std::int64_t step) const {
  const BlockStep now = at(step);
  if (what == BlockOf::kSums) return adds_loaded(now);
  if (!(what == BlockOf::kA ? mapping_.blocks.a : mapping_.blocks.b)) return false;
  if (step == 0) return true;
  const BlockStep before = at(step - 1);
  return now.k != before.k || (what == BlockOf::kA ? now.i != before.i : now.j != before.j);
}

std::int64_t MappedGemm::steps_per_k_block() const {
  const std::string_view order = kLoopOrders[mapping_.order];
  std::int64_t steps = 1;
  for (const char inside : order.substr(order.find('k') + 1)) steps *= count(inside);
  return steps;
}

std::vector<BlockLoad> MappedGemm::loads() const {
  std::vector<BlockLoad> loads;
  std::array<std::vector<std::int64_t>, 3> begins;  // of each operand's loads, and of sums': the steps that need them
  for (std::int64_t step = 0; step < steps(); ++step) {
    for (const BlockOf what : {BlockOf::kA, BlockOf::kB, BlockOf::kSums}) {
      if (!loads_at(what, step)) continue;
      std::vector<std::int64_t>& of = begins.at(static_cast<std::size_t>(what));
      const auto number = static_cast<std::int64_t>(of.size());
      of.push_back(step);
      BlockLoad load{.what = what, .step = step, .buffer = number % mapping_.buffers};
      const bool sums = what == BlockOf::kSums;  // are used in one step
      if (number >= mapping_.buffers) {
        const auto before = static_cast<std::size_t>(number - mapping_.buffers);
        load.after = sums ? of[before] : of[before + 1] - 1;
      }
      if (sums && !first_along_k(at(step))) load.after = std::max(load.after, step - steps_per_k_block());
      loads.push_back(load);
    }
  }
  return loads;
}

/// An operand that does not know the innermost loop stays for it.
std::int64_t MappedGemm::times(char other, std::int64_t blocks) const {
  const std::string_view order = kLoopOrders[mapping_.order];
  for (const char loop : {order[2], order[1], order[0]}) {
    if (count(loop) > 1) return loop == other ? 1 : blocks;
  }
  return 1;
}

std::int64_t MappedGemm::times_a() const {
  return mapping_.blocks.a ? times('n', count_[2]) : ceil_div(problem_.n, mapping_.tile.n);
}
std::int64_t MappedGemm::times_b() const {
  return mapping_.blocks.b ? times('m', count_[0]) : ceil_div(problem_.m, mapping_.tile.m);
}
std::int64_t MappedGemm::loads_of_a() const {
  return mapping_.blocks.a ? count_[0] * count_[1] * times('n', count_[2]) : 0;
}
std::int64_t MappedGemm::loads_of_b() const {
  return mapping_.blocks.b ? count_[1] * count_[2] * times('m', count_[0]) : 0;
}

std::int64_t MappedGemm::loads_of_sums() const {
  if (problem_.adds) return count_[0] * count_[2];
  return sums_in_hbm() ? count_[0] * (count_[1] - 1) * count_[2] : 0;
}
Bytes MappedGemm::bytes_of_c() const {
  return problem_.m * bytes_of_row(problem_.n, mapping_.tile.n, problem_.result());
}
Bytes MappedGemm::bytes_of_sum_loads() const { return problem_.adds ? bytes_of_c() : bytes_of_sum_stores(); }
Bytes MappedGemm::bytes_of_sum_stores() const {
  return sums_in_hbm() ? bytes_of((count_[1] - 1) * problem_.m * problem_.n, mapping_.sums.format) : 0;
}
Bytes MappedGemm::read(std::int64_t times_a, std::int64_t times_b) const {
  return times_a * problem_.m * bytes_of_row(problem_.k, mapping_.tile.k, problem_.dtype) +
         times_b * problem_.k * bytes_of_row(problem_.n, mapping_.tile.n, problem_.stored_b()) + bytes_of_sum_loads();
}
Bytes MappedGemm::read() const { return read(times_a(), times_b()); }
Bytes MappedGemm::least_read() const {
  return read(mapping_.blocks.a ? 1 : times_a(), mapping_.blocks.b ? 1 : times_b());
}
Bytes MappedGemm::written() const { return bytes_of_c() + bytes_of_sum_stores(); }

}  // namespace kernbench
