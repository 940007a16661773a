// Our own CUDA kernels for five tensor operators. Each reads its inputs once from memory, 16 bytes a load, computes in
// fp32, and gives the same bits every time.
//   layernorm      over the columns, eps 1e-5, with gain and bias
//   gelu           x/2 (1 + erf(x / sqrt 2))
//   swish          x / (1 + exp(-x))
//   mse            mean of (x - t)^2: one element
//   cross_entropy  mean over rows of log(sum exp(x)) - x[class]: one element
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

#include "benches/gpu/data/fill.hpp"
#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {

struct OperatorProblem {
  std::string operation;
  std::int64_t rows = 0;             ///< batch x sequence
  std::int64_t columns = 0;          ///< dimension; of cross_entropy the classes
  Element element = Element::kFp32;  ///< kFp32 or kBf16, of inputs and output
};

struct OperatorBuffers {
  DeviceBuffer x;        ///< rows x columns
  DeviceBuffer second;   ///< layernorm: gain, a row; mse: targets, as x; cross_entropy: a class (int64) a row
  DeviceBuffer third;    ///< layernorm: bias, a row
  DeviceBuffer out;      ///< as x, or one element
  DeviceBuffer scratch;  ///< float: partial sums of mse, losses of cross_entropy's rows

  [[nodiscard]] std::size_t bytes() const;
};

/// Allocates and fills inputs from the seed; the output is poisoned.
[[nodiscard]] OperatorBuffers make_operator_buffers(const OperatorProblem& problem, std::uint64_t seed,
                                                    cudaStream_t stream);

/// Throws GpuError for a launch that fails, std::invalid_argument for an unknown operation.
void enqueue_operator(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream);

/// ||out - ref|| / ||ref|| over the whole output, ref computed in float64 by another, plain kernel; NaN where an output
/// is no number. Waits for the stream.
[[nodiscard]] double operator_error(const OperatorProblem& problem, const OperatorBuffers& buffers,
                                    cudaStream_t stream);

/// The kernels' own files.
void enqueue_layernorm(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream);
void enqueue_gelu(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream);
void enqueue_swish(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream);
void enqueue_mse(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream);
void enqueue_cross_entropy(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream);

/// Classes 0..columns-1, a row each, drawn from the seed.
void fill_classes(std::int64_t* classes, std::int64_t rows, std::int64_t columns, std::uint64_t seed,
                  cudaStream_t stream);

/// Partial sums that mse needs room for, at most.
inline constexpr int kMostPartialSums = 2048;

}  // namespace kernbench::gpu
