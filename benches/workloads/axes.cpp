#include "benches/workloads/axes.hpp"

#include <algorithm>

#include "benches/workloads/open_axis.hpp"
#include "benches/workloads/several_values.hpp"
#include "sim/base/text.hpp"

namespace kernbench {

AxisWords over_words(const std::string& meaning) {
  return {"over", "--over",
          meaning + ": those of a die, a package, the system, or by number, package.die.pe, with commas and ranges"};
}

std::string read_pes(const std::string& text) {
  const std::vector<std::string> parts = split(text, ",");
  for (const std::string& part : parts) {
    if (parts.size() == 1 || part.find('.') != std::string::npos) continue;
    throw SeveralValues("expected numbers of PEs between commas, such as 0.0.0, got " + in_quotes(part));
  }
  return text;
}

Axis as_axis(const WorkloadAxis& axis, std::vector<AxisValue> values) {
  if (values.empty()) values = {axis.usual};
  const auto in_point = [axis](AxisValue value) {
    if (axis.quiet && value.label == axis.usual.label) {
      value.fields = Json::object();
    } else if (!axis.words.field.empty()) {
      value.fields = Json{{axis.words.field_name(), value.fields}};
    }
    return value;
  };
  std::ranges::transform(values, values.begin(), in_point);
  std::optional<OpenAxis> open = axis.open;
  if (open) {
    open->read = [read = open->read, in_point](const std::string& text) { return in_point(read(text)); };
    for (auto& [name, set] : open->sets) {
      set = [raw = set, in_point] {
        std::vector<AxisValue> all = raw();
        std::ranges::transform(all, all.begin(), in_point);
        return all;
      };
    }
  }
  return {axis.words.name, std::move(values), std::move(open)};
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

WorkloadAxis quantity_axis_of(AxisWords words, Dimension dimension, std::int64_t usual) {
  const auto value = [dimension](std::int64_t number) -> AxisValue {
    return {format_quantity(number, dimension), Json(number)};
  };
  const auto read = [value, dimension](const std::string& text) { return value(parse_quantity(text, dimension)); };
  const char* const type = dimension == Dimension::kTime        ? "TIME"
                           : dimension == Dimension::kBandwidth ? "RATE"
                                                                : "SIZE";
  return {.words = std::move(words), .type_name = type, .usual = value(usual), .open = OpenAxis{dimension, read}};
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
