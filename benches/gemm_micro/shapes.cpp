#include "benches/gemm_micro/shapes.hpp"

#include <algorithm>

#include "benches/workloads/open_axis.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::array<std::int64_t, 7> kSquares{128, 256, 512, 1024, 2048, 4096, 8192};

AxisValue shape(std::int64_t m, std::int64_t k, std::int64_t n) {
  return {std::to_string(m) + "x" + std::to_string(k) + "x" + std::to_string(n), {{"m", m}, {"k", k}, {"n", n}}};
}

AxisValue read_shape(const std::string& text) {
  const std::vector<std::string> sizes = split(text, "x");
  if (sizes.size() != 3) throw ConfigError("expected MxKxN, got " + in_quotes(text));
  static const Axis kDimension = dimension_axis("shape");
  std::vector<std::int64_t> numbers;
  for (const std::string& size : sizes) {
    numbers.push_back(kDimension.open->read(size).fields.get<std::int64_t>());
  }
  return shape(numbers[0], numbers[1], numbers[2]);
}

}  // namespace

Axis micro_shapes() {
  std::vector<AxisValue> all;
  const auto add = [&all](const AxisValue& value) {
    if (std::ranges::find(all, value.label, &AxisValue::label) == all.end()) all.push_back(value);
  };
  const auto add_grid = [&add](const auto& sides) {
    for (const std::int64_t m : sides) {
      for (const std::int64_t k : sides) {
        for (const std::int64_t n : sides) add(shape(m, k, n));
      }
    }
  };
  for (const std::int64_t side : kSquares) add(shape(side, side, side));
  add_grid(kSidesOf27);
  for (const std::int64_t rows : kSkinnyRows) add(shape(rows, kSkinnySide, kSkinnySide));
  add_grid(kSidesOf64);
  return {.name = "shape", .values = std::move(all), .open = OpenAxis{.dimension = {}, .read = read_shape}};
}

}  // namespace kernbench
