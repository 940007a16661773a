#include "benches/io/program/option_values.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/read_number.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kLongestShown = 80;

std::string got(const std::string& text) { return ", got '" + printable(shortened(text, kLongestShown)) + "'"; }

/// As the shell's user would write it: 0.3, 1e+09.
std::string shown(double value) { return formatted("%g", value); }

ValueRule decimal(const std::string& expected, const std::string& range, bool (*allowed)(double, double, double),
                  double least, double most) {
  return {[=](std::string& text) -> std::string {
            const auto value = read_number(text);
            return value && allowed(*value, least, most) ? "" : "expected " + expected + got(text);
          },
          range,
          {}};
}

}  // namespace

ValueRule whole_number(std::int64_t least, std::int64_t most) {
  const std::string range = std::to_string(least) + ".." + std::to_string(most);
  const std::string expected = "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  return {[=](std::string& text) -> std::string {
            try {
              const bool blanks = text.find_first_of(" \t\n\r\f\v") != std::string::npos;
              const std::int64_t value = parse_quantity(text, Dimension::kCount);
              if (blanks || value < least || value > most) return expected + got(text);
              text = std::to_string(value);  // 010 is ten: what comes after would read it as octal
              return "";
            } catch (const ConfigError&) {
              return expected + got(text);
            }
          },
          range,
          {}};
}

ValueRule decimal_number(double least, double most) {
  return decimal(
      "a number from " + shown(least) + " to " + shown(most), shown(least) + ".." + shown(most),
      [](double value, double from, double to) { return value >= from && value <= to; }, least, most);
}

ValueRule seconds_or_none() {
  return decimal(
      "seconds, 0 or from 0.001 to 1e9", "0, 0.001..1e9",
      [](double value, double from, double to) { return value == 0 || (value >= from && value <= to); }, 1e-3, 1e9);
}

ValueRule one_of(std::vector<std::string> names) {
  const auto read = [names](const std::string& text) {
    return std::ranges::find(names, text) != names.end() ? std::string() : unknown_name("value", text, names);
  };
  return {read, "", std::move(names)};
}

ValueRule file_to_write() {
  return {[](const std::string& text) -> std::string {
            std::error_code unknown;
            if (text.ends_with("/") || std::filesystem::is_directory(text, unknown)) {
              return "expected the name of a file" + got(text) + ", a folder";
            }
            // Folders that are not there yet are made.
            std::filesystem::path above = std::filesystem::path(text).parent_path();
            while (above.has_relative_path() && !std::filesystem::exists(above, unknown)) above = above.parent_path();
            const bool blocked = !above.empty() && std::filesystem::exists(above, unknown) &&
                                 !std::filesystem::is_directory(above, unknown);
            return blocked ? "expected a file in a folder" + got(text) + ", but " + printable(above.string()) +
                                 " is no folder"
                           : "";
          },
          "",
          {}};
}

void check_arguments(int argc, char** argv) {
  std::string_view before = argc > 0 ? argv[0] : "";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.empty()) {
      throw ConfigError((before.starts_with("-") ? std::string(before) : "argument " + std::to_string(i)) +
                        ": expected a value, got an empty text; leave it out for the default");
    }
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw ConfigError(std::string(argument) + ": expected a value after the '='");
    }
    if (!is_utf8(argument)) throw ConfigError("argument " + std::to_string(i) + ": expected UTF-8, got other bytes");
    before = argument;
  }
}

}  // namespace kernbench
