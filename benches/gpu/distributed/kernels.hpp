// Kernels of the distributed GEMM and their launchers. Matrices are row-major, `pitch` elements from row to row;
// launchers run on the current device and throw GpuError where a launch fails.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace kernbench::gpu {

/// A matrix, or a part of one, in the memory of some device.
template <typename T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t pitch = 0;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// Which numbers a matrix holds: element (i, j) of the whole matrix follows from seed, i and j alone, wherever it lies.
struct NormalNumbers {
  std::uint64_t seed = 0;
  std::int64_t first_row = 0;  ///< of the part, in the whole matrix
  std::int64_t first_column = 0;
};

/// Standard normal numbers, rounded to bf16.
void fill_normal(MatrixView<__nv_bfloat16> out, NormalNumbers numbers, cudaStream_t stream);

/// out += in, of the same size.
void add_matrix(MatrixView<float> out, MatrixView<const float> in, cudaStream_t stream);

/// Adds to sums[0] the sum of (out - reference)^2 and to sums[1] that of reference^2, all elements. `out` may lie in
/// another device's memory.
void add_squared_difference(MatrixView<const float> out, MatrixView<const float> reference, double* sums,
                            cudaStream_t stream);

/// The same for `samples` elements at places that follow from the seed, against products of float64 of the rows of A
/// and columns of B that fill_normal makes: no memory but `out` is read. `out` begins at (first_row, first_column) of
/// C.
struct SampledProduct {
  std::uint64_t a_seed = 0;
  std::uint64_t b_seed = 0;
  std::int64_t k = 0;
  std::int64_t first_row = 0;
  std::int64_t first_column = 0;
  int samples = 0;
};
void add_sampled_error(MatrixView<const float> out, SampledProduct product, double* sums, cudaStream_t stream);

/// Holds the stream until the host has written `ticket` or more into *opened, for 5 s at most: then *late becomes 1 and
/// the stream goes on. Both are host memory that devices can reach.
void wait_for_gate(const int* opened, int ticket, int* late, cudaStream_t stream);

}  // namespace kernbench::gpu
