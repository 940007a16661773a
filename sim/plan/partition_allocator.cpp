#include "sim/plan/partition_allocator.hpp"

#include <string>

#include "sim/base/capacity_error.hpp"

namespace kernbench {

MatrixLayout PartitionAllocator::place(std::int64_t rows, std::int64_t columns, std::int64_t tile_rows,
                                       std::int64_t tile_columns, Dtype dtype) {
  const MatrixLayout matrix{layout_, rows, columns, tile_rows, tile_columns, 0, hbm_.burst, kOwnPartition, dtype};
  return matrix.at(kOwnPartition, place(matrix.footprint()));
}

Address PartitionAllocator::place(Bytes bytes) {
  const Bytes alignment = hbm_.burst * hbm_.pseudo_channels;
  const Address here = next_;
  next_ += ceil_div(bytes, alignment) * alignment;
  return here;
}

void PartitionAllocator::check_capacity() const {
  if (next_ <= hbm_.capacity) return;
  throw CapacityError("the matrices take " + std::to_string(next_) + " bytes of HBM and the partition holds " +
                      std::to_string(hbm_.capacity) + " (die.hbm.capacity): " + missing_bytes(next_ - hbm_.capacity));
}

}  // namespace kernbench
