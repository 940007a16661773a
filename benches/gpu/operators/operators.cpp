#include "benches/gpu/operators/operators.hpp"

#include <algorithm>
#include <stdexcept>

namespace kernbench::gpu {

std::size_t OperatorBuffers::bytes() const {
  return x.bytes() + second.bytes() + third.bytes() + out.bytes() + scratch.bytes();
}

OperatorBuffers make_operator_buffers(const OperatorProblem& problem, std::uint64_t seed, cudaStream_t stream) {
  const auto rows = static_cast<std::size_t>(problem.rows);
  const auto columns = static_cast<std::size_t>(problem.columns);
  const std::size_t size = bytes_of(problem.element);
  OperatorBuffers buffers;
  const auto random = [&](std::size_t count, std::uint64_t which) {
    DeviceBuffer buffer(count * size);
    fill_normal(buffer.data(), count, problem.element, seed + which, stream);
    return buffer;
  };
  const bool one_output = problem.operation == "mse" || problem.operation == "cross_entropy";
  buffers.x = random(rows * columns, 0);
  if (problem.operation == "layernorm") {
    buffers.second = random(columns, 1);
    buffers.third = random(columns, 2);
  }
  if (problem.operation == "mse") {
    buffers.second = random(rows * columns, 1);
    buffers.scratch = DeviceBuffer(kMostPartialSums * sizeof(float));
  }
  if (problem.operation == "cross_entropy") {
    buffers.second = DeviceBuffer(rows * sizeof(std::int64_t));
    fill_classes(buffers.second.as<std::int64_t>(), problem.rows, problem.columns, seed + 1, stream);
    buffers.scratch = DeviceBuffer(rows * sizeof(float));
  }
  buffers.out = DeviceBuffer(one_output ? size : rows * columns * size);
  poison(buffers.out.data(), buffers.out.bytes(), stream);
  return buffers;
}

void enqueue_operator(const OperatorProblem& problem, const OperatorBuffers& buffers, cudaStream_t stream) {
  if (problem.operation == "layernorm") return enqueue_layernorm(problem, buffers, stream);
  if (problem.operation == "gelu") return enqueue_gelu(problem, buffers, stream);
  if (problem.operation == "swish") return enqueue_swish(problem, buffers, stream);
  if (problem.operation == "mse") return enqueue_mse(problem, buffers, stream);
  if (problem.operation == "cross_entropy") return enqueue_cross_entropy(problem, buffers, stream);
  throw std::invalid_argument("there is no operation \"" + problem.operation + "\"");
}

}  // namespace kernbench::gpu
