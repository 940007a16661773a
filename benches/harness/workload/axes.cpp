#include "benches/harness/workload/axes.hpp"

#include "benches/harness/open_axis.hpp"

namespace kernbench {

Axis as_axis(const WorkloadAxis& axis, std::vector<AxisValue> values) {
  if (values.empty()) values = {axis.usual};
  return {axis.words.name, std::move(values), axis.open};
}

WorkloadAxis count_axis_of(AxisWords words, std::int64_t usual, std::int64_t least, std::int64_t most) {
  std::optional<OpenAxis> open = count_axis(words.name, std::vector<int>{}, least, most).open;
  return {.words = std::move(words),
          .type_name = "N",
          .usual = {std::to_string(usual), Json(usual)},
          .open = std::move(open),
          .least = least,
          .most = most};
}

WorkloadAxis text_axis_of(AxisWords words, const std::string& type_name, const std::string& usual,
                          std::function<std::string(const std::string&)> read) {
  const auto value = [read = std::move(read)](const std::string& text) -> AxisValue {
    const std::string word = read(text);
    return {word, Json(word)};
  };
  return {
      .words = std::move(words), .type_name = type_name, .usual = {usual, Json(usual)}, .open = OpenAxis{{}, value}};
}

}  // namespace kernbench
