#include "sim/base/unknown_name.hpp"

#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/nearest.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// A list is given whole up to this length; who mistypes one name of hundreds is not helped by all of them.
constexpr std::size_t kMostListed = 32;

std::string listed(std::span<const std::string> known) {
  if (known.empty()) return "There are none";
  if (known.size() <= kMostListed) return "There are: " + joined(known);
  return "There are " + std::to_string(known.size()) + ": " + joined(known.first(kMostListed)) + ", ...";
}

std::vector<std::string> owned(std::span<const std::string_view> names) { return {names.begin(), names.end()}; }

}  // namespace

std::string unknown_name(std::string_view kind, std::string_view given, std::span<const std::string> known) {
  const std::string nearest = nearest_name(given, known);
  return "unknown " + std::string(kind) + " " + in_quotes(given) +
         (nearest.empty() ? "." : ": did you mean " + in_quotes(nearest) + "?") + " " + listed(known);
}

std::string unknown_name(std::string_view kind, std::string_view given, std::span<const std::string_view> known) {
  return unknown_name(kind, given, owned(known));
}

void refuse_name(std::string_view kind, std::string_view given, std::span<const std::string> known,
                 std::string_view place) {
  throw ConfigError((place.empty() ? "" : std::string(place) + ": ") + unknown_name(kind, given, known));
}

void refuse_name(std::string_view kind, std::string_view given, std::span<const std::string_view> known,
                 std::string_view place) {
  refuse_name(kind, given, owned(known), place);
}

}  // namespace kernbench
