// Typed access with a place for every complaint.
#include "benches/harness/results/checked_json.hpp"

#include "sim/base/errors.hpp"

namespace kernbench {

Json parse_json(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw ConfigError(file + ": is not valid JSON: " + error.what());
  }
}

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
  return json_.get<std::int64_t>();
}

const Json& CheckedJson::flat_object() const {
  for (const auto& [key, value] : object().items()) {
    if (value.is_structured()) at(key).expected("a number or a string");
  }
  return json_;
}

void CheckedJson::expected(const std::string& what) const {
  std::string got = json_.dump();
  if (got.size() > 40) got = got.substr(0, 37) + "...";
  throw ConfigError(file_ + ": " + (path_.empty() ? "the file" : path_) + ": expected " + what + ", got " + got);
}

}  // namespace kernbench
