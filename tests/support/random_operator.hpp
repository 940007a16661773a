// Random operators, and machines of one die for them whose TCM may be too small for a row.
#pragma once

#include <rapidcheck.h>

#include <string>

#include "sim/plan/operators/operator_plan.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench {

inline OperatorProblem random_operator(std::int64_t most_elements) {
  const auto size = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
  OperatorProblem problem;
  problem.op = *rc::gen::elementOf(std::vector<Operator>(kOperators.values().begin(), kOperators.values().end()));
  problem.dtype = *rc::gen::element(Dtype::kBf16, Dtype::kFp16, Dtype::kFp32);
  problem.batch = size(3);
  problem.sequence = size(12);
  problem.dimension = size(most_elements / problem.rows());
  if (problem.op == Operator::kRotary) problem.dimension += problem.dimension % 2;
  return problem;
}

/// Of a die of the committed machine: slow or fast memory, other vector units, queues that leave room in a small TCM.
inline MachineSpec random_operator_machine() {
  MachineSpec machine = one_die({"pe.message_queue.slots=1", "pe.message_queue.slot_bytes=256 B"});
  machine.pe.vector.lanes = *rc::gen::inRange<std::int64_t>(1, 200);
  machine.pe.vector.rates.special = *rc::gen::inRange<std::int64_t>(100'000, 2'000'000);
  machine.pe.vector.rates.reduce = *rc::gen::inRange<std::int64_t>(100'000, 2'000'000);
  machine.pe.fetch = Bandwidth{*rc::gen::inRange<std::int64_t>(20, 1000) * 1'000'000'007};
  machine.pe.store = Bandwidth{*rc::gen::inRange<std::int64_t>(20, 1000) * 1'000'000'007};
  machine.pe.dma.outstanding_bursts = *rc::gen::inRange<std::int64_t>(8, 65);
  if (*rc::gen::arbitrary<bool>()) machine.pe.tcm.capacity = *rc::gen::inRange<std::int64_t>(24, 200) << 10U;
  return machine;
}

}  // namespace kernbench
