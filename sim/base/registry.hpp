// Objects that register themselves while the program starts, each in a file of its own, and are found by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/source_place.hpp"

namespace kernbench {

/// The names of a registry, and where each was registered.
class RegisteredNames {
 public:
  /// `kind` is what messages call such a name.
  explicit RegisteredNames(std::string_view kind) : kind_(kind) {}

  /// Where the name stands now. Throws std::logic_error, saying both places, for a name that is there already.
  std::size_t add(const std::string& name, SourcePlace place);
  /// Throws ConfigError as refuse_name().
  [[nodiscard]] std::size_t find(std::string_view name, std::string_view place) const;
  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

 private:
  std::string_view kind_;
  std::vector<std::string> names_;  ///< in order
  std::vector<SourcePlace> places_;
};

/// Objects in the order of their names (`T::name`, a std::string). A registry is a static of a function, so that it is
/// there before the first object:
///
///     Registry<GemmKernel>& registry() {
///       static Registry<GemmKernel> kernels("variant");
///       return kernels;
///     }
template <class T>
class Registry {
 public:
  explicit Registry(std::string_view kind) : names_(kind) {}

  /// Throws std::logic_error for a second object of the same name, of which one would shadow the other. The message has
  /// both places; thrown while the program starts, it ends it.
  void add(T object, SourcePlace place) {
    const std::size_t at = names_.add(object.name, place);
    objects_.insert(objects_.begin() + static_cast<std::ptrdiff_t>(at), std::move(object));
  }

  /// Throws ConfigError as refuse_name().
  [[nodiscard]] const T& find(std::string_view name, std::string_view place = {}) const {
    return objects_[names_.find(name, place)];
  }
  [[nodiscard]] const std::vector<T>& all() const { return objects_; }
  /// To complete objects before anybody looks at them.
  [[nodiscard]] std::vector<T>& objects() { return objects_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_.all(); }

 private:
  RegisteredNames names_;
  std::vector<T> objects_;
};

}  // namespace kernbench
