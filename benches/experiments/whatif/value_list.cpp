#include "benches/experiments/whatif/value_list.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "benches/io/text/lists.hpp"
#include "benches/workloads/several_values.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostValues = 1000;  ///< of an axis
constexpr const char* kInNumbers = "0123456789. ";

/// "128..1024*2 GB/s" in its parts; nothing for a text that is no range.
struct Range {
  std::string from;
  std::string to;
  char by = ' ';  ///< '*', '+', or neither
  std::string step{};
};

/// "1024 GB/s": where its unit begins.
std::size_t end_of_number(const std::string& text) { return std::min(text.size(), text.find_first_not_of(kInNumbers)); }

/// " GB/s", or nothing.
std::string unit_of(const std::string& text) {
  const std::size_t end = end_of_number(text);
  return end == text.size() ? "" : " " + text.substr(end);
}

/// The unit may stand behind the end, or behind what follows it, alone.
std::optional<Range> range_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const std::string from = text.substr(0, dots);
  const std::string rest = text.substr(dots + 2);
  const std::size_t by = rest.find_first_of("*+");
  const std::string last = by == std::string::npos ? rest : rest.substr(by + 1);
  const std::size_t end = end_of_number(last);
  const std::string unit = end == last.size() ? unit_of(rest.substr(0, by)) : unit_of(last);
  const auto with_unit = [&](const std::string& value) {
    return std::string(trimmed(value)) + (end_of_number(value) == value.size() ? unit : "");
  };
  if (by == std::string::npos) return Range{with_unit(from), with_unit(last.substr(0, end))};
  const std::string step(trimmed(last.substr(0, end)));
  return Range{with_unit(from), with_unit(rest.substr(0, by)), rest[by], rest[by] == '+' ? with_unit(step) : step};
}

constexpr double kEighthOfAnOctave = 1.0905077326652577;  ///< 2^(1/8)
constexpr std::int64_t kFewCounts = 64;

std::int64_t to_three_digits(double value) {
  const double last = std::pow(10, std::max(0.0, std::floor(std::log10(value)) - 2));
  return std::llround(std::round(value / last) * last);
}

/// From `from` to `to`, both among them: every whole number of a short range of counts, else eight an octave, each
/// rounded to three digits.
std::vector<std::int64_t> between(std::int64_t from, std::int64_t to, Dimension dimension) {
  std::vector<std::int64_t> values;
  if (dimension == Dimension::kCount && to - from < kFewCounts) {
    for (std::int64_t value = from; value <= to; ++value) values.push_back(value);
    return values;
  }
  values.push_back(from);
  for (double value = static_cast<double>(from) * kEighthOfAnOctave; to_three_digits(value) < to;
       value *= kEighthOfAnOctave) {
    if (to_three_digits(value) > values.back()) values.push_back(to_three_digits(value));
  }
  if (to > from) values.push_back(to);
  return values;
}

/// `from` times the powers of `factor`, each rounded, each once.
std::vector<std::int64_t> multiplied(std::int64_t from, std::int64_t to, double factor) {
  std::vector<std::int64_t> values{from};
  const double most = static_cast<double>(to) + 0.5;
  for (double exact = static_cast<double>(from) * factor; exact < most && values.size() <= kMostValues;
       exact *= factor) {
    if (std::llround(exact) > values.back()) values.push_back(std::llround(exact));
  }
  return values;
}

std::vector<std::int64_t> stepped(std::int64_t from, std::int64_t to, std::int64_t step) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = from; value <= to && values.size() <= kMostValues; value += step) values.push_back(value);
  return values;
}

std::vector<std::string> in_range(const std::string& place, const std::string& axis, const Range& range,
                                  Dimension dimension) {
  std::int64_t from = 0;
  std::int64_t to = 0;
  double factor = 0;
  std::int64_t step = 0;
  try {
    from = parse_quantity(range.from, dimension);
    to = parse_quantity(range.to, dimension);
    if (range.by == '*') factor = static_cast<double>(parse_quantity(range.step, Dimension::kRatio)) / 1e6;
    if (range.by == '+') step = parse_quantity(range.step, dimension);
  } catch (const ConfigError& error) {
    throw ConfigError(place + ": " + axis + ": " + error.what());
  }
  const bool multiplies = range.by != '+';
  if ((multiplies && from == 0) || (range.by == '*' && factor <= 1) || (range.by == '+' && step <= 0)) {
    throw ConfigError(place + ": " + axis +
                      ": expected FROM..TO*FACTOR or FROM..TO with FROM above 0 and FACTOR above 1, or FROM..TO+STEP");
  }
  if (from > to) throw ConfigError(place + ": expected a range from the smaller value to the larger");
  const std::vector<std::int64_t> values = range.by == ' '   ? between(from, to, dimension)
                                           : range.by == '*' ? multiplied(from, to, factor)
                                                             : stepped(from, to, step);
  if (values.size() > kMostValues) throw ConfigError(place + ": expected at most 1000 values");
  std::vector<std::string> texts;
  for (const std::int64_t value : values) texts.push_back(format_quantity(value, dimension));
  return texts;
}

/// "16,32 GB/s": the unit may stand behind the last one alone.
void spread_unit(std::vector<std::string>& values) {
  const std::size_t number = values.back().find_first_not_of(kInNumbers);
  if (number == std::string::npos) return;
  const std::string unit = values.back().substr(number);
  for (std::string& value : values) {
    if (value.find_first_not_of(kInNumbers) == std::string::npos) value += " " + unit;
  }
}

}  // namespace

std::vector<std::string> values_in(const std::string& place, const std::string& axis, const std::string& text,
                                   std::optional<Dimension> dimension) {
  if (const std::optional<Range> range = range_of(text)) {
    if (!dimension) throw ConfigError(place + ": " + axis + ": expected names, not a range");
    return in_range(place, axis, *range, *dimension);
  }
  std::vector<std::string> values = list_items(place, text);
  if (dimension) spread_unit(values);
  return values;
}

std::vector<std::string> values_in(const std::string& place, const std::string& axis, const std::string& text,
                                   const OpenAxis& open) {
  if (!open.has_commas) return values_in(place, axis, text, open.dimension);
  if (text.find(';') != std::string::npos) return list_items(place, text, ';');
  try {
    static_cast<void>(open.read(text));
    return {text};
  } catch (const SeveralValues&) {
    return list_items(place, text);
  } catch (const ConfigError&) {
    return {text};  // whose reader says what is wrong
  }
}

}  // namespace kernbench
