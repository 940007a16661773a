#include "sim/plan/partition_allocator.hpp"

#include <string>

#include "sim/base/capacity_error.hpp"
#include "sim/plan/hbm_of_die.hpp"

namespace kernbench {

PartitionAllocator::PartitionAllocator(const DieSpec& die, Layout layout)
    : burst_(die.hbm.burst),
      alignment_(hbm_alignment(die)),
      capacity_(hbm_capacity(die)),
      shared_(die.hbm.shared()),
      layout_(layout) {}

MatrixLayout PartitionAllocator::place(std::int64_t rows, std::int64_t columns, std::int64_t tile_rows,
                                       std::int64_t tile_columns, Dtype dtype) {
  const MatrixLayout matrix{layout_, rows, columns, tile_rows, tile_columns, 0, burst_, kOwnPartition, dtype};
  return matrix.at(kOwnPartition, place(matrix.footprint()));
}

Address PartitionAllocator::place(Bytes bytes) {
  const Address here = next_;
  next_ += ceil_div(bytes, alignment_) * alignment_;
  return here;
}

void PartitionAllocator::check_capacity() const {
  if (next_ <= capacity_) return;
  throw CapacityError("the matrices take " + std::to_string(next_) + " bytes of HBM and " +
                      (shared_ ? "all its controllers hold " : "the partition holds ") + std::to_string(capacity_) +
                      " (die.hbm.capacity): " + missing_bytes(next_ - capacity_));
}

}  // namespace kernbench
