// Access to JSON whose mistakes are ConfigErrors that name the file and the path inside it.
#pragma once

#include <cstdint>
#include <string>

#include "benches/io/text/json.hpp"

namespace kernbench {

/// A value inside a JSON file and where it stands.
class CheckedJson {
 public:
  CheckedJson(const Json& json, std::string file, std::string path = "")
      : json_(json), file_(std::move(file)), path_(std::move(path)) {}

  /// A member that must be there.
  [[nodiscard]] CheckedJson at(const std::string& key) const;
  [[nodiscard]] CheckedJson at(std::size_t index) const;
  [[nodiscard]] bool has(const std::string& key) const { return json_.is_object() && json_.contains(key); }

  [[nodiscard]] const Json& object() const;
  [[nodiscard]] const Json& array() const;
  [[nodiscard]] std::string string() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t integer() const;
  /// An object whose values are numbers, strings, booleans or null.
  [[nodiscard]] const Json& flat_object() const;

  /// Throws ConfigError: "FILE: PATH: expected WHAT, got ...".
  [[noreturn]] void expected(const std::string& what) const;

 private:
  const Json& json_;
  std::string file_;
  std::string path_;
};

}  // namespace kernbench
