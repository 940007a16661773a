#include "sim/system/operators/operator_run.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/first_alike.hpp"
#include "sim/hw/values/matrix_values.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/operators/operator_reference.hpp"
#include "sim/system/independent.hpp"
#include "sim/system/operators/operator_program.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench {

namespace {

constexpr const char* kOperatorLaunch = "the operator";

/// Bits of a number: how often it can be halved.
std::int64_t bits_of(std::int64_t number) {
  return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(number)));
}

/// Rounds of a barrier, each with a queue that leads to every PE (28.10).
std::int64_t barrier_rounds(std::int64_t pes) { return bits_of(pes - 1); }

void fill_share(const OperatorPlan& plan, const OperatorShare& share, ValueStore& partition) {
  const OperatorProblem& problem = plan.problem;
  const std::int64_t columns = problem.dimension;
  const auto by_place = [&share, columns](const auto& value) {
    return [=](std::int64_t /*row*/, std::int64_t i) { return value(share.first_row + i / columns, i % columns); };
  };
  fill_matrix(share.x, by_place(input_of_x), partition);
  if (plan.traits().second) {
    const auto second = [problem](std::int64_t row, std::int64_t column) {
      return input_of_second(problem, row, column);
    };
    fill_matrix(share.second, by_place(second), partition);
  }
  for (std::size_t p = 0; p < share.parameters.size(); ++p) {
    const auto value = [p](std::int64_t /*row*/, std::int64_t column) {
      return input_of_parameter(static_cast<std::int64_t>(p), column);
    };
    fill_matrix(share.parameters[p], value, partition);
  }
  if (plan.traits().classes) {
    const auto number = [problem, first = share.first_row](std::int64_t /*row*/, std::int64_t i) {
      return static_cast<float>(input_of_class(problem, first + i));
    };
    fill_matrix(share.classes, number, partition);
  }
}

/// The longest chain of roundings in a sum (43.13).
std::int64_t depth_of(const OperatorPlan& plan, std::int64_t lanes) {
  std::int64_t pieces = 1;
  for (const OperatorShare& share : plan.shares) {
    pieces = std::max(pieces, static_cast<std::int64_t>(share.pieces.size()));
  }
  const std::int64_t in_lane = ceil_div(std::max(plan.piece_elements / plan.piece_rows, plan.piece_rows), lanes);
  return in_lane + bits_of(lanes) + pieces + (plan.traits().writes_rows ? 0 : plan.active());
}

/// Values that are too far from what is expected.
class Distances {
 public:
  void compare(float got, const Expected& expected, const std::string& place) {
    ++compared_;
    if (std::abs(static_cast<double>(got) - expected.value) <= expected.distance) return;
    if (wrong_++ == 0) {
      first_ = place + " is " + (got == got ? std::to_string(got) : std::string("no number")) + ", expected " +
               std::to_string(expected.value) + " within " + std::to_string(expected.distance);
    }
  }
  [[nodiscard]] std::int64_t compared() const { return compared_; }
  void refuse() const {
    if (wrong_ == 0) return;
    throw SimulationError("verification failed: " + std::to_string(wrong_) + " of " + std::to_string(compared_) +
                          " elements are wrong; first: " + first_);
  }

 private:
  std::int64_t compared_ = 0;
  std::int64_t wrong_ = 0;
  std::string first_;
};

}  // namespace

Bytes tcm_for_operator(const MachineSpec& machine, Operator op, std::int64_t pes) {
  if (traits_of(op).writes_rows) return machine.pe.tcm.capacity;
  if (pes > 1) require_section(machine, "pe.message_queue", "an operator that makes one element on several PEs");
  const MessageQueueSpec& queue = machine.pe.message_queue;
  // Of rank 0: what a barrier sends, the mean, and the sums of all PEs.
  Bytes taken = (pes + 2) * machine.die.hbm.burst;
  if (queue.tier == MemoryTier::kTcm) taken += barrier_rounds(pes) * queue.slots * message_slot_stride(machine);
  return machine.pe.tcm.capacity - taken;
}

OperatorPlan plan_operator_on(const MachineSpec& machine, const OperatorProblem& problem, std::int64_t pes) {
  return plan_operator(problem, machine, pes, tcm_for_operator(machine, problem.op, pes));
}

OperatorLaunch::OperatorLaunch(System& system, OperatorPlan plan, const std::vector<std::int32_t>& pes)
    : KernelLaunch(
          kOperatorLaunch, [this](KernelPe pe) { return run_operator_share(pe, plan_); }, pes),
      plan_(std::make_shared<const OperatorPlan>(std::move(plan))) {
  for (std::size_t rank = 0; rank < pes.size(); ++rank) {
    const OperatorShare& share = plan_->shares.at(rank);
    if (share.bytes > 0) system.space(pes[rank], MemoryTier::kHbm).allocate(share.bytes, "the operator's matrices");
    if (system.values() == nullptr || share.rows == 0) continue;
    fill_share(*plan_, share, *system.store(pes[rank], MemoryTier::kHbm));
  }
}

std::int64_t OperatorLaunch::check(System& system) const {
  const OperatorProblem& problem = plan_->problem;
  OperatorReference reference(problem, depth_of(*plan_, system.machine().pe.vector.lanes));
  Distances distances;
  if (!plan_->traits().writes_rows) {
    const MatrixLayout& result = plan_->shares.front().result;
    distances.compare(system.store(pes().front(), MemoryTier::kHbm)->get(result.base), reference.mean(), "the mean");
  }
  for (std::size_t rank = 0; rank < pes().size() && plan_->traits().writes_rows; ++rank) {
    const OperatorShare& share = plan_->shares.at(rank);
    const ValueStore& partition = *system.store(pes()[rank], MemoryTier::kHbm);
    for (std::int64_t i = 0; i < share.rows * problem.dimension; ++i) {
      const std::int64_t row = share.first_row + i / problem.dimension;
      const std::int64_t column = i % problem.dimension;
      distances.compare(partition.get(share.y.base + bytes_of(i, problem.dtype)), reference.element(row, column),
                        "y[" + std::to_string(row) + "][" + std::to_string(column) + "]");
    }
  }
  distances.refuse();
  return distances.compared();
}

namespace {

/// A share, wherever in the problem its rows are.
OperatorShare without_place(OperatorShare share) {
  share.first_row = 0;
  return share;
}

/// By rank, as alike_pes; none where PEs make one result together.
std::vector<std::int32_t> alike_shares(const OperatorPlan& plan) {
  if (!plan.traits().writes_rows) return {};
  std::vector<OperatorShare> shares;
  for (const OperatorShare& share : plan.shares) shares.push_back(without_place(share));
  return first_alike(shares);
}

}  // namespace

MultiPeResult run_operator(const MachineSpec& machine, const OperatorPlan& plan, const std::vector<std::int32_t>& pes,
                           const RunSettings& settings) {
  if (may_run_independently(settings)) {
    const auto shared = std::make_shared<const OperatorPlan>(plan);
    const IndependentKernel apart{.name = kOperatorLaunch,
                                  .program = [shared](KernelPe pe) { return run_operator_share(pe, shared); },
                                  .pes = pes,
                                  .alike = alike_shares(plan)};
    if (!apart.alike.empty()) return run_independent(machine, apart, settings);
  }
  System system(machine, {.sink = settings.sink, .values = settings.verify, .ledger = true});
  OperatorLaunch launch(system, plan, pes);
  run_launches(system, {&launch}, settings.limit);
  MultiPeResult result = report_of(system, launch);
  if (settings.verify) result.compared = launch.check(system);
  return result;
}

MemoryEstimate operator_memory(const MachineSpec& machine, const OperatorProblem& problem, std::int64_t pes,
                               bool verify) {
  const OperatorPlan plan = plan_operator_on(machine, problem, pes);
  constexpr double kIntervalOfPacket = 56;  // of a ledger, which forgets nothing where no array works
  MemoryEstimate estimate = system_memory(machine);
  double bytes = 0;
  const bool apart = !verify && !alike_shares(plan).empty();  // PEs run one after the other
  for (const OperatorShare& share : plan.shares) {
    const auto of_share = static_cast<double>(share.bytes);
    bytes = apart ? std::max(bytes, of_share) : bytes + of_share;
  }
  estimate.add("packets that the PEs' ledgers remember", 2 * bytes / static_cast<double>(machine.simulation.packet),
               kIntervalOfPacket);
  if (verify) {
    estimate.add("bytes of matrices, in HBM and in TCM, whose values are carried", bytes,
                 2.0 * sizeof(float) / kElementBytes);
  }
  return estimate;
}

}  // namespace kernbench
