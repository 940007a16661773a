// Allocates the matrices of a problem in the HBM that a PE has them in, one after the other (ADR-0006, clause 6.3).
#pragma once

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/matrix_layout.hpp"

namespace kernbench {

class PartitionAllocator {
 public:
  PartitionAllocator(const DieSpec& die, Layout layout);

  /// The next matrix, at the next multiple of burst x pseudo-channels of all its controllers.
  MatrixLayout place(std::int64_t rows, std::int64_t columns, std::int64_t tile_rows, std::int64_t tile_columns,
                     Dtype dtype = Dtype::kBf16);

  /// Where the next `bytes` begin.
  Address place(Bytes bytes);

  /// Throws ConfigError, which says how many bytes are missing, when the partition is too small.
  void check_capacity() const;

  /// Up to the end of the last matrix.
  [[nodiscard]] Bytes used() const { return next_; }

 private:
  Bytes burst_;
  Bytes alignment_;
  Bytes capacity_;
  bool shared_;
  Layout layout_;
  Address next_ = 0;
};

}  // namespace kernbench
