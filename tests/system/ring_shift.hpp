// The worked example of docs/kernels.md, which shows what lies between the two lines of dashes.
#pragma once

#include <utility>

#include "sim/system/kernel_launch.hpp"

namespace kernbench {

// ----
/// Rows go around a ring of PEs, `steps` places on: rank r ends with the row of rank r - steps.
inline Process ring_shift(KernelPe pe, std::int64_t columns, std::int32_t steps) {
  MatrixLayout passing = pe.tcm(1, columns);
  MatrixLayout arriving = pe.tcm(1, columns);
  pe.fill(passing, [&](std::int64_t, std::int64_t column) { return static_cast<float>(pe.rank() + column % 100); });

  const std::int32_t size = pe.size();
  for (std::int32_t step = 0; step < steps; ++step) {
    const Pending sent = co_await pe.send(passing, (pe.rank() + 1) % size);
    co_await pe.recv(arriving, (pe.rank() + size - 1) % size);
    co_await pe.wait(sent);  // the next row comes where this one lies
    std::swap(passing, arriving);
  }

  const std::int32_t from = ((pe.rank() - steps) % size + size) % size;
  pe.expect(passing, [&](std::int64_t, std::int64_t column) { return static_cast<float>(from + column % 100); });
}
// ----

}  // namespace kernbench
