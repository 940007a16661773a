// The operators once more, in float64 and as plainly as can be; what they give is compared where it is computed.
#include <cmath>

#include "benches/gpu/data/element.cuh"
#include "benches/gpu/operators/operators.hpp"

namespace kernbench::gpu {
namespace {

/// What threads add to: squares of the differences and of the reference, and the sum of a mean's terms.
struct Sums {
  double difference = 0;
  double reference = 0;
  double terms = 0;
};

__device__ void compare(Sums* sums, double found, double reference) {
  atomicAdd(&sums->difference, (found - reference) * (found - reference));
  atomicAdd(&sums->reference, reference * reference);
}

/// 0: gelu, 1: swish
template <typename T>
__global__ void compare_elementwise(const T* x, const T* out, std::int64_t count, int which, Sums* sums) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double difference = 0;
  double size = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const double value = static_cast<double>(to_float(x[i]));
    const double reference = which == 0 ? 0.5 * value * (1 + erf(value * M_SQRT1_2)) : value / (1 + exp(-value));
    const double found = static_cast<double>(to_float(out[i]));
    difference += (found - reference) * (found - reference);
    size += reference * reference;
  }
  atomicAdd(&sums->difference, difference);
  atomicAdd(&sums->reference, size);
}

/// A block of 256 threads a row; each adds all partial sums in the same order.
template <typename T>
__global__ void compare_layernorm(const T* x, const T* gain, const T* bias, const T* out, std::int64_t rows,
                                  std::int64_t columns, Sums* sums) {
  const std::int64_t row = blockIdx.x;
  if (row >= rows) return;
  __shared__ double mean;
  __shared__ double deviation;
  __shared__ double partial[256];
  const auto total = [&](double mine) {
    partial[threadIdx.x] = mine;
    __syncthreads();
    double sum = 0;
    for (int i = 0; i < 256; ++i) sum += partial[i];
    __syncthreads();
    return sum;
  };
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < columns; i += 256) sum += static_cast<double>(to_float(x[row * columns + i]));
  sum = total(sum);
  if (threadIdx.x == 0) mean = sum / static_cast<double>(columns);
  __syncthreads();
  double squares = 0;
  for (std::int64_t i = threadIdx.x; i < columns; i += 256) {
    const double difference = static_cast<double>(to_float(x[row * columns + i])) - mean;
    squares += difference * difference;
  }
  squares = total(squares);
  if (threadIdx.x == 0) deviation = sqrt(squares / static_cast<double>(columns) + 1e-5);
  __syncthreads();
  double difference = 0;
  double size = 0;
  for (std::int64_t i = threadIdx.x; i < columns; i += 256) {
    const double normal = (static_cast<double>(to_float(x[row * columns + i])) - mean) / deviation;
    const double reference = normal * static_cast<double>(to_float(gain[i])) + static_cast<double>(to_float(bias[i]));
    const double found = static_cast<double>(to_float(out[row * columns + i]));
    difference += (found - reference) * (found - reference);
    size += reference * reference;
  }
  atomicAdd(&sums->difference, difference);
  atomicAdd(&sums->reference, size);
}

template <typename T>
__global__ void add_squared_differences(const T* x, const T* target, std::int64_t count, Sums* sums) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  double sum = 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) {
    const double difference = static_cast<double>(to_float(x[i])) - static_cast<double>(to_float(target[i]));
    sum += difference * difference;
  }
  atomicAdd(&sums->terms, sum);
}

/// A warp a row. Inputs are normal numbers: exp cannot overflow in float64.
template <typename T>
__global__ void add_losses(const T* logits, const std::int64_t* classes, std::int64_t columns, Sums* sums) {
  const T* row = logits + static_cast<std::int64_t>(blockIdx.x) * columns;
  double sum = 0;
  for (std::int64_t i = threadIdx.x; i < columns; i += 32) sum += exp(static_cast<double>(to_float(row[i])));
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, distance);
  if (threadIdx.x == 0) {
    atomicAdd(&sums->terms, log(sum) - static_cast<double>(to_float(row[classes[blockIdx.x]])));
  }
}

template <typename T>
__global__ void compare_mean(const T* out, double terms, Sums* sums) {
  compare(sums, static_cast<double>(to_float(*out)), sums->terms / terms);
}

}  // namespace

double operator_error(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream) {
  const DeviceBuffer sums(sizeof(Sums));
  check(cudaMemsetAsync(sums.data(), 0, sums.bytes(), stream), "clearing sums");
  const std::int64_t count = problem.rows * problem.columns;
  const unsigned blocks = blocks_for(static_cast<std::size_t>(count));
  const auto rows = static_cast<unsigned>(problem.rows);
  with_type(problem.element, [&]<typename T>(Type<T>) {
    const T* x = buffers.x.as<const T>();
    const T* out = buffers.out.as<const T>();
    Sums* to = sums.as<Sums>();
    if (problem.operation == "layernorm") {
      compare_layernorm<<<rows, 256, 0, stream>>>(x, buffers.second.as<const T>(), buffers.third.as<const T>(), out,
                                                  problem.rows, problem.columns, to);
    } else if (problem.operation == "mse") {
      add_squared_differences<<<blocks, 256, 0, stream>>>(x, buffers.second.as<const T>(), count, to);
      compare_mean<<<1, 1, 0, stream>>>(out, static_cast<double>(count), to);
    } else if (problem.operation == "cross_entropy") {
      add_losses<<<rows, 32, 0, stream>>>(x, buffers.second.as<const std::int64_t>(), problem.columns, to);
      compare_mean<<<1, 1, 0, stream>>>(out, static_cast<double>(problem.rows), to);
    } else {
      compare_elementwise<<<blocks, 256, 0, stream>>>(x, out, count, problem.operation == "gelu" ? 0 : 1, to);
    }
  });
  check(cudaGetLastError(), "reference of " + problem.operation);
  Sums found;
  check(cudaMemcpyAsync(&found, sums.data(), sizeof found, cudaMemcpyDeviceToHost, stream), "reading sums");
  check(cudaStreamSynchronize(stream), "reference of " + problem.operation);
  return std::sqrt(found.difference / found.reference);
}

}  // namespace kernbench::gpu
