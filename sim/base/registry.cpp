#include "sim/base/registry.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

std::string words(SourcePlace place) { return std::string(place.file) + ":" + std::to_string(place.line); }

}  // namespace

std::size_t RegisteredNames::add(const std::string& name, SourcePlace place) {
  const auto at = std::ranges::lower_bound(names_, name);
  const auto index = at - names_.begin();
  if (at != names_.end() && *at == name) {
    throw std::logic_error("the " + std::string(kind_) + " " + in_quotes(name) + " is registered twice: at " +
                           words(places_[static_cast<std::size_t>(index)]) + " and at " + words(place));
  }
  names_.insert(at, name);
  places_.insert(places_.begin() + index, place);
  return static_cast<std::size_t>(index);
}

std::size_t RegisteredNames::find(std::string_view name, std::string_view place) const {
  const auto at = std::ranges::lower_bound(names_, name);
  if (at == names_.end() || *at != name) refuse_name(kind_, name, names_, place);
  return static_cast<std::size_t>(at - names_.begin());
}

}  // namespace kernbench
