#include "benches/harness/trace/gemm_shape.hpp"

#include <cstddef>
#include <limits>
#include <string>

#include "sim/base/checked.hpp"

namespace kernbench::traces {
namespace {

/// Which arguments of an operator its matrices are, and how many dimensions they have.
struct GemmArguments {
  std::size_t a = 0;
  std::size_t dimensions = 2;
};

GemmArguments arguments_of(std::string_view op) {
  if (op == "aten::addmm") return {1, 2};
  if (op == "aten::bmm") return {0, 3};
  if (op == "aten::baddbmm") return {1, 3};
  return {0, 2};
}

/// `_scaled_mm` takes its bias third, or fifth since PyTorch 2.5; the other one of them is a scale or none.
bool has_scaled_bias(const TraceEvent& event, std::int64_t n) {
  const auto is_bias = [&](std::size_t i) {
    return event.dims.size() > i && event.dims[i].size() == 1 && event.dims[i][0] == n && n > 1;
  };
  return is_bias(2) || is_bias(4);
}

/// Sizes of 1 or more of which FLOPs and bytes fit 63 bits.
bool is_product(const TensorSizes& a, const TensorSizes& b) {
  Int128 work = Int128{32} * b.back();  // four terms of elements of at most 8 bytes
  for (const std::int64_t size : a) {
    if (size < 1 || work > std::numeric_limits<std::int64_t>::max() / size) return false;
    work *= size;
  }
  return b.back() >= 1;
}

char layout_of(const TensorSizes& strides) { return strides.back() == 1 ? 'N' : 'T'; }

}  // namespace

GemmShape gemm_shape_of(const TraceEvent& event) {
  GemmShape shape;
  shape.op = event.name;
  const auto [first, dimensions] = arguments_of(event.name);
  const std::size_t second = first + 1;
  if (event.dims.size() <= second) return shape;
  const TensorSizes& a = event.dims[first];
  const TensorSizes& b = event.dims[second];
  if (a.size() != dimensions || b.size() != dimensions || a.back() != b[dimensions - 2]) return shape;
  if (!is_product(a, b)) return shape;
  shape.m = a[dimensions - 2];
  shape.k = a.back();
  shape.n = b.back();
  shape.batch = dimensions == 3 ? a.front() : 1;
  shape.has_bias = first == 1 || (event.name == "aten::_scaled_mm" && has_scaled_bias(event, shape.n));
  if (event.types.size() > second) {
    shape.dtype_a = event.types[first];
    shape.dtype_b = event.types[second];
    for (std::string* type : {&shape.dtype_a, &shape.dtype_b}) {
      if (type->starts_with("c10::")) type->erase(0, std::string_view("c10::").size());
    }
  }
  if (event.strides.size() > second && event.strides[first].size() == dimensions &&
      event.strides[second].size() == dimensions) {
    shape.layout = {layout_of(event.strides[first]), layout_of(event.strides[second])};
  }
  return shape;
}

}  // namespace kernbench::traces
