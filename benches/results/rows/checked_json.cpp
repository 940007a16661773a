// Typed access with a place for every complaint.
#include "benches/results/rows/checked_json.hpp"

#include <limits>

#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench {

CheckedJson CheckedJson::at(const std::string& key) const {
  const std::string path = path_.empty() ? key : path_ + "." + key;
  const auto found = object().find(key);
  if (found == json_.end()) throw ConfigError(file_ + ": " + path + ": is missing");
  return {*found, file_, path};
}

CheckedJson CheckedJson::at(std::size_t index) const {
  return {array().at(index), file_, path_ + "[" + std::to_string(index) + "]"};
}

const Json& CheckedJson::object() const {
  if (!json_.is_object()) expected("an object");
  return json_;
}

const Json& CheckedJson::array() const {
  if (!json_.is_array()) expected("an array");
  return json_;
}

std::string CheckedJson::string() const {
  if (!json_.is_string()) expected("a string");
  return json_.get<std::string>();
}

double CheckedJson::number() const {
  if (!json_.is_number()) expected("a number");
  return json_.get<double>();
}

std::int64_t CheckedJson::integer() const {
  if (!json_.is_number_integer()) expected("a whole number");
  // Beyond 63 bits get() would give another number, and no error.
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (json_.is_number_unsigned() && json_.get<std::uint64_t>() > kMost) expected("a whole number below 2^63");
  return json_.get<std::int64_t>();
}

const Json& CheckedJson::flat_object() const {
  for (const auto& [key, value] : object().items()) {
    if (value.is_structured()) at(key).expected("a number or a string");
  }
  return json_;
}

void CheckedJson::expected(const std::string& what) const {
  const std::string path = path_.empty() ? "the file" : printable(shortened(path_, 200));
  throw ConfigError(file_ + ": " + path + ": expected " + what + ", got " + shortened(json_.dump(), 40));
}

}  // namespace kernbench
