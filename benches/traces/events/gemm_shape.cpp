#include "benches/traces/events/gemm_shape.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <string>

#include "benches/io/text/read_number.hpp"
#include "benches/traces/events/element_types.hpp"
#include "sim/base/checked.hpp"

namespace kernbench::traces {
namespace {

/// Which arguments of an operator its matrices are, and how many dimensions they have.
struct GemmArguments {
  std::size_t a = 0;
  std::size_t dimensions = 2;
};

constexpr std::string_view kScaled = "aten::_scaled_mm";

GemmArguments arguments_of(std::string_view op) {
  if (op == "aten::addmm") return {1, 2};
  if (op == "aten::bmm") return {0, 3};
  if (op == "aten::baddbmm") return {1, 3};
  return {0, 2};
}

std::string type_of(const TraceEvent& event, std::size_t argument) {
  return event.types.size() > argument ? element_type(event.types[argument]) : "";
}

/// What was given as a number; "" of tensors, and where values were not recorded.
std::string_view value_of(const TraceEvent& event, std::size_t argument) {
  const bool are_recorded = event.values.size() == event.dims.size() && event.values.size() > argument;
  return are_recorded ? std::string_view(event.values[argument]) : std::string_view();
}

/// Sizes of 1 or more of which FLOPs and bytes fit 63 bits.
bool is_product(const TensorSizes& a, const TensorSizes& b) {
  // Four terms of elements of at most 16 bytes; a complex multiply-add has 8 operations; two elements in one at most.
  Int128 work = Int128{128} * b.back();
  for (const std::int64_t size : a) {
    if (size < 1 || work > std::numeric_limits<std::int64_t>::max() / size) return false;
    work *= size;
  }
  return b.back() >= 1;
}

/// Elements of a tensor that may be added to one of the sizes `result`; nothing where it may not.
std::optional<std::int64_t> elements_added(const TensorSizes& sizes, const TensorSizes& result) {
  if (sizes.size() > result.size()) return std::nullopt;
  std::int64_t elements = 1;
  for (std::size_t i = 1; i <= sizes.size(); ++i) {
    const std::int64_t size = sizes[sizes.size() - i];
    if (size != 1 && size != result[result.size() - i]) return std::nullopt;
    elements *= size;
  }
  return elements;
}

/// `_scaled_mm` takes its bias third, or fifth since PyTorch 2.5; the other one of them is a scale or none.
std::optional<std::size_t> bias_of_scaled(const TraceEvent& event, std::int64_t n) {
  for (const std::size_t i : {std::size_t{2}, std::size_t{4}}) {
    if (event.dims.size() > i && event.dims[i].size() == 1 && event.dims[i][0] == n && n > 1) return i;
  }
  return std::nullopt;
}

/// Of addmm and baddbmm: a type of the result stands before beta and alpha.
bool has_out_dtype(const TraceEvent& event) { return event.dims.size() == 6 && type_of(event, 5) == "Scalar"; }

/// The result's type where it was asked for: behind B; of `_scaled_mm` fourth, or seventh since PyTorch 2.5.
std::string_view out_dtype_of(const TraceEvent& event, std::size_t a) {
  if (event.name == kScaled) return value_of(event, value_of(event, 3).empty() ? 6 : 3);
  return a == 0 || has_out_dtype(event) ? value_of(event, a + 2) : std::string_view();
}

std::string type_of_result(const TraceEvent& event, std::size_t a, const GemmShape& known) {
  if (event.name == "aten::_int_mm") return "int";
  if (const std::string_view asked = out_dtype_of(event, a); !asked.empty()) return scalar_type(asked);
  return event.name != kScaled && known.dtype_a == known.dtype_b ? known.dtype_a : "";
}

/// With beta 0 what is added is not read.
bool is_added(const TraceEvent& event) {
  return kernbench::read_number(value_of(event, has_out_dtype(event) ? 4 : 3)).value_or(1) != 0;
}

/// False where it cannot be added.
bool take_added(const TraceEvent& event, GemmShape& shape, const TensorSizes& result) {
  std::optional<std::size_t> argument;
  if (event.name == kScaled) argument = bias_of_scaled(event, shape.n);
  if (arguments_of(event.name).a == 1 && is_added(event)) argument = 0;
  if (!argument) return true;
  const std::optional<std::int64_t> elements = elements_added(event.dims[*argument], result);
  shape.added = elements.value_or(0);
  shape.dtype_added = type_of(event, *argument);
  return elements.has_value();
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
  GemmShape known = shape;
  known.m = a[dimensions - 2];
  known.n = b.back();
  known.batch = dimensions == 3 ? a.front() : 1;
  known.dtype_a = type_of(event, first);
  known.dtype_b = type_of(event, second);
  known.k = a.back() * values_in(known.dtype_a);
  known.dtype_c = type_of_result(event, first, known);
  TensorSizes result{known.m, known.n};
  if (dimensions == 3) result.insert(result.begin(), known.batch);
  if (!take_added(event, known, result)) return shape;
  if (event.strides.size() > second && event.strides[first].size() == dimensions &&
      event.strides[second].size() == dimensions) {
    known.layout = {layout_of(event.strides[first]), layout_of(event.strides[second])};
  }
  return known;
}

bool are_types_known(const GemmShape& shape) {
  return element_bytes(shape.dtype_a) > 0 && element_bytes(shape.dtype_b) > 0;
}

}  // namespace kernbench::traces
