// Allocates the matrices of a problem in a PE's HBM partition, one after the other (ADR-0006, clause 6.3).
#pragma once

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/matrix_layout.hpp"

namespace kernbench {

class PartitionAllocator {
 public:
  PartitionAllocator(const HbmSpec& hbm, Layout layout) : hbm_(hbm), layout_(layout) {}

  /// The next matrix, at the next multiple of burst x pseudo-channels.
  MatrixLayout place(std::int64_t rows, std::int64_t columns, std::int64_t tile_rows, std::int64_t tile_columns,
                     Dtype dtype = Dtype::kBf16);

  /// Where the next `bytes` begin.
  Address place(Bytes bytes);

  /// Throws ConfigError, which says how many bytes are missing, when the partition is too small.
  void check_capacity() const;

  /// Up to the end of the last matrix.
  [[nodiscard]] Bytes used() const { return next_; }

 private:
  const HbmSpec& hbm_;
  Layout layout_;
  Address next_ = 0;
};

}  // namespace kernbench
