// ring_gemm: C = A x B. Every PE has rows of A and of C, and columns of B, which go around a ring of PEs. An example of
// a kernel that multiplies what has arrived in a message (docs/kernels.md).
#include <utility>
#include <vector>

#include "sim/system/user_kernel.hpp"

namespace kernbench {

namespace {

// Of whole A and B: small integers, whose sums are exact.
float a_at(std::int64_t row, std::int64_t column) { return static_cast<float>((row + column) % 3 - 1); }
float b_at(std::int64_t row, std::int64_t column) { return static_cast<float>((2 * row + column) % 5 - 2); }

Process run(KernelPe pe, KernelArguments arguments) {
  const std::int64_t m = arguments.at("m");  // rows of A, columns of B that this PE has
  const std::int64_t k = arguments.at("k");
  const std::int64_t n = arguments.at("n");
  const std::int32_t size = pe.size();
  const std::int32_t rank = pe.rank();

  const GemmMatrices shapes = place_gemm({.m = m, .k = k, .n = n}, pe.machine());  // blocked by the array's tiles
  const MatrixLayout a_home = pe.hbm(shapes.a);
  const MatrixLayout b_home = pe.hbm(shapes.b);
  std::vector<MatrixLayout> c;  // a block of C for the columns of each rank
  for (std::int32_t owner = 0; owner < size; ++owner) c.push_back(pe.hbm(shapes.c));
  pe.fill(a_home, [=](std::int64_t row, std::int64_t column) { return a_at(rank * m + row, column); });
  pe.fill(b_home, [=](std::int64_t row, std::int64_t column) { return b_at(row, rank * n + column); });

  const Operand a = co_await pe.load(a_home);
  const Operand b = co_await pe.load(b_home);
  co_await pe.wait(a);
  co_await pe.wait(b);
  MatrixLayout here = b.matrix;
  MatrixLayout coming = pe.tcm(here);
  for (std::int32_t step = 0; step < size; ++step) {
    const std::int32_t owner = (rank - step + size) % size;
    const bool goes_on = step + 1 < size;
    Pending sent = Pending::nothing();
    if (goes_on) sent = co_await pe.send(here, (rank + 1) % size);
    const Pending product = co_await pe.composite(a, here, c.at(static_cast<std::size_t>(owner)));
    if (goes_on) co_await pe.recv(coming, (rank + size - 1) % size);
    co_await pe.wait(sent);  // the next columns come where these lie
    co_await pe.wait(product);
    std::swap(here, coming);
  }

  for (std::int32_t owner = 0; owner < size; ++owner) {
    pe.expect(c.at(static_cast<std::size_t>(owner)), [=](std::int64_t row, std::int64_t column) {
      float sum = 0;
      for (std::int64_t i = 0; i < k; ++i) sum += a_at(rank * m + row, i) * b_at(i, owner * n + column);
      return sum;
    });
  }
}

const RegisterKernel kRegistered({"ring_gemm",
                                  "C = A x B: rows of A stay, columns of B go around a ring of PEs",
                                  {{"m", "rows of A and C that a PE has", 64, 1},
                                   {"k", "columns of A, rows of B", 128, 1},
                                   {"n", "columns of B that a PE has", 64, 1}},
                                  run});

}  // namespace

}  // namespace kernbench
