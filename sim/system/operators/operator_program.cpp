#include "sim/system/operators/operator_program.hpp"

#include <array>
#include <utility>
#include <vector>

#include "sim/plan/operators/operator_work.hpp"
#include "sim/system/operators/piece_values.hpp"

namespace kernbench {

namespace {

constexpr std::size_t kBuffers = 2;

class Program {
 public:
  Program(KernelPe pe, std::shared_ptr<const OperatorPlan> plan)
      : pe_(pe), plan_(std::move(plan)), share_(plan_->shares.at(static_cast<std::size_t>(pe.rank()))) {}

  Process run() {
    if (share_.rows > 0) co_await pieces().finished();
    if (!plan_->traits().writes_rows) co_await mean().finished();
  }

 private:
  /// What a piece is loaded into.
  struct Inputs {
    MatrixLayout x;
    MatrixLayout second;
    std::vector<MatrixLayout> parameters;  ///< where rows are cut
  };

  /// Room in TCM for what lies in HBM, or for fp32 numbers.
  [[nodiscard]] MatrixLayout room(std::int64_t elements, Dtype dtype) {
    MatrixLayout like{Layout::kRowMajor, 1, elements, 1, elements, 0, pe_.machine().die.hbm.burst};
    like.dtype = dtype;
    return pe_.tcm(like);
  }

  void take_room() {
    const OperatorTraits& traits = plan_->traits();
    const Dtype dtype = plan_->problem.dtype;
    for (std::size_t i = 0; i < kBuffers; ++i) {
      inputs_.at(i).x = room(plan_->piece_elements, dtype);
      if (traits.second) inputs_.at(i).second = room(plan_->piece_elements, dtype);
      if (traits.writes_rows) outputs_.at(i) = room(plan_->piece_elements, dtype);
      for (std::int64_t p = 0; plan_->parts_of_rows && p < traits.parameters; ++p) {
        inputs_.at(i).parameters.push_back(room(plan_->piece_elements, dtype));
      }
    }
    if (traits.by_rows()) statistics_ = room(plan_->piece_rows * traits.row_statistics, Dtype::kFp32);
    if (!traits.writes_rows) {
      MatrixLayout sum = plan_->shares.front().partials;  // alike, as what is stored there
      sum.rows = 1;
      sum_ = pe_.tcm(sum);
    }
  }

  Process pieces() {
    take_room();
    if (!plan_->parts_of_rows) {
      for (const MatrixLayout& parameter : share_.parameters) {
        whole_.push_back(co_await pe_.load(parameter));
      }
    }
    if (plan_->traits().classes) whole_.push_back(co_await pe_.load(share_.classes));
    co_await load(0).finished();
    for (const Operand& operand : whole_) co_await pe_.wait(operand);
    for (std::size_t i = 0; i < share_.pieces.size(); ++i) {
      const std::vector<Operand> loaded = std::exchange(coming_, {});
      if (i + 1 < share_.pieces.size()) co_await load(i + 1).finished();
      for (const Operand& operand : loaded) co_await pe_.wait(operand);
      co_await work(i).finished();
    }
    for (std::size_t i = 0; i < kBuffers; ++i) {
      const Pending stored = stored_.at((written_ + i) % kBuffers);
      if (stored.started) co_await pe_.wait(stored);
    }
  }

  Process load(std::size_t number) {
    const OperatorPiece& piece = share_.pieces[number];
    Inputs& into = inputs_.at(number % kBuffers);
    const auto part = [&piece](const MatrixLayout& matrix) { return part_of(matrix, 0, piece.elements); };
    const MatrixLayout x = part_of(share_.x, piece.begin, piece.elements);
    const MatrixLayout to_x = part(into.x);
    coming_.push_back(co_await pe_.load(x, to_x));
    if (plan_->traits().second) {
      const MatrixLayout second = part_of(share_.second, piece.begin, piece.elements);
      const MatrixLayout to_second = part(into.second);
      coming_.push_back(co_await pe_.load(second, to_second));
    }
    if (!plan_->parts_of_rows || !piece.apply) co_return;
    for (std::size_t p = 0; p < share_.parameters.size(); ++p) {
      const std::int64_t column = piece.begin % plan_->problem.dimension;
      const MatrixLayout parameter = part_of(share_.parameters[p], column, piece.elements);
      const MatrixLayout to_parameter = part(into.parameters[p]);
      coming_.push_back(co_await pe_.load(parameter, to_parameter));
    }
  }

  /// Where everything of a piece lies in TCM.
  [[nodiscard]] PlacedPiece placed(std::size_t number) const {
    const OperatorPiece& piece = share_.pieces[number];
    const Inputs& inputs = inputs_.at(number % kBuffers);
    const OperatorTraits& traits = plan_->traits();
    PlacedPiece placed{.piece = piece, .x = part_of(inputs.x, 0, piece.elements)};
    if (traits.second) placed.second = part_of(inputs.second, 0, piece.elements);
    for (std::size_t p = 0; p < static_cast<std::size_t>(traits.parameters); ++p) {
      placed.parameters.push_back(plan_->parts_of_rows ? inputs.parameters[p] : whole_[p].matrix);
    }
    if (traits.classes)
      placed.classes = part_of(whole_.back().matrix, piece.begin / plan_->problem.dimension, piece.rows);
    placed.statistics = statistics_;
    placed.sum = sum_;
    if (piece.apply) placed.y = part_of(outputs_.at(written_ % kBuffers), 0, piece.elements);
    return placed;
  }

  Process work(std::size_t number) {
    const PlacedPiece piece = placed(number);
    const VectorUnitSpec& unit = pe_.machine().pe.vector;
    Pending& stored = stored_.at(written_ % kBuffers);
    if (piece.piece.apply && stored.started) co_await pe_.wait(stored);
    if (piece.piece.statistics) {
      const VectorCall call = statistics_call(*plan_, piece, unit);
      co_await pe_.compute(call);
    }
    if (!piece.piece.apply) co_return;
    const VectorCall call = apply_call(*plan_, piece, unit);
    co_await pe_.compute(call);
    const MatrixLayout y = part_of(share_.y, piece.piece.begin, piece.piece.elements);
    stored = co_await pe_.store(piece.y, y);
    ++written_;
  }

  /// Each PE's sum goes to rank 0's memory; when all are there rank 0 makes the mean of them.
  Process mean() {
    const MatrixLayout& partials = plan_->shares.front().partials;
    if (share_.rows > 0) {
      MatrixLayout place = partials;
      place.base = partials.tile(pe_.rank(), 0).address;
      place = pe_.of(0, place);
      place.rows = 1;
      const Pending sent = co_await pe_.store(sum_, place);
      co_await pe_.wait(sent);
    }
    co_await pe_.barrier();
    if (pe_.rank() != 0) co_return;
    const Operand sums = co_await pe_.load(partials);
    co_await pe_.wait(sums);
    const MatrixLayout mean = room(1, plan_->problem.dtype);
    const VectorCall call = mean_call(*plan_, sums.matrix, mean, pe_.machine().pe.vector);
    co_await pe_.compute(call);
    const Pending stored = co_await pe_.store(mean, share_.result);
    co_await pe_.wait(stored);
  }

  KernelPe pe_;
  std::shared_ptr<const OperatorPlan> plan_;
  const OperatorShare& share_;
  std::array<Inputs, kBuffers> inputs_;
  std::array<MatrixLayout, kBuffers> outputs_;
  std::vector<Operand> whole_;  ///< gain, bias and classes, where they are loaded once
  MatrixLayout statistics_;
  MatrixLayout sum_;
  std::vector<Operand> coming_;
  std::array<Pending, kBuffers> stored_{Pending::nothing(), Pending::nothing()};
  std::size_t written_ = 0;
};

}  // namespace

Process run_operator_share(KernelPe pe, std::shared_ptr<const OperatorPlan> plan) {
  Program program(pe, std::move(plan));
  co_await program.run().finished();
}

}  // namespace kernbench
