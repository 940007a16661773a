// Functional verification: a PE's memories and arithmetic, driven by the timed run at its own instants, and a reference
// to compare the result with (adr/0015-verification.md).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/hw/pe/data_path.hpp"
#include "sim/system/bf16.hpp"
#include "sim/system/kernel.hpp"

namespace kernbench {

/// Carries bf16 operands and fp32 sums. Operands are small integers, for which every order of summation is exact: the
/// comparison is for equal bits, and what is missing, doubled or overwritten too early shows.
class FunctionalPe : public DataPath {
 public:
  /// Throws ConfigError where the values would take too much memory (15.6).
  FunctionalPe(const GemmCall& gemm, Residency residency, const PeSpec& pe);
  FunctionalPe(const MathCall& math, const PeSpec& pe);

  void arrived(const Transfer& transfer) override;
  void fetched(const TileStep& step, std::int64_t registers) override;
  void multiplied(const TileStep& step, std::int64_t registers, std::int64_t set) override;
  void transformed(const ArrayResult& result) override;
  void stored(const ArrayResult& result, std::int64_t slot) override;
  void sent(const Transfer& transfer) override;

  /// Compares C in HBM with the reference, element by element. Throws SimulationError that names the first difference
  /// and their number.
  void check() const;

 private:
  using Values = std::vector<Bf16>;
  struct Operands {
    Values a;
    Values b;
  };

  void allocate(const PeSpec& pe, Bytes hbm_bytes);
  /// Throws ConfigError where all buffers together could take more than the limit (15.6).
  void check_memory(const PeSpec& pe, Bytes hbm_bytes) const;
  void fill(const MatrixLayout& matrix, std::uint64_t seed);
  void apply(std::vector<float>& values, const OutputTile& output, EpilogueScope scope) const;
  [[nodiscard]] float reference(std::int64_t row, std::int64_t column) const;
  [[nodiscard]] static Values gather(const Values& memory, const Block& block);
  static void scatter(const Values& values, const Block& block, Values& memory);
  [[nodiscard]] static float value(const Values& memory, const MatrixLayout& matrix, std::int64_t row,
                                   std::int64_t column);

  bool gemm_ = true;
  MatrixLayout a_;
  MatrixLayout b_;
  MatrixLayout c_;
  MatrixLayout bias_;
  Residency residency_;
  std::vector<Epilogue> epilogues_;
  VectorOp math_op_ = VectorOp::kScale;
  bool binary_ = false;

  Values hbm_;       // of the partition, by element
  Values resident_;  // TCM copies of resident matrices, at the same addresses
  std::vector<Operands> stream_slots_;
  std::vector<Operands> registers_;
  std::vector<std::vector<float>> accumulators_;
  std::vector<std::vector<float>> partials_;
  std::vector<std::vector<float>> sums_;
  std::vector<Values> second_operands_;  // of binary math operations, by accumulator
  std::vector<Values> output_slots_;
  std::int64_t outputs_sent_ = 0;
};

}  // namespace kernbench
