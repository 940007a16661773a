// The names of an enumeration's values: one table for both directions.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "sim/base/unknown_name.hpp"

namespace kernbench {

/// Throws std::logic_error.
[[noreturn]] void refuse_nameless(std::string_view kind, long long value);

/// `inline constexpr Names<Layout> kLayouts{"layout", {{Layout::kBlocked, "blocked"}, ...}};` has every value once; a
/// value or a name that stands twice does not compile.
template <class Enum>
class Names {
 public:
  struct Entry {
    Enum value;
    std::string_view name;
  };

  /// `kind` is what messages call such a name.
  consteval Names(std::string_view kind, std::initializer_list<Entry> entries) : kind_(kind) {
    for (const Entry& entry : entries) add(entry.value, entry.name);
  }
  /// Of a table that says more of each: its rows have a `value` and a `name`.
  template <class Row, std::size_t kRows>
  consteval Names(std::string_view kind, const std::array<Row, kRows>& rows) : kind_(kind) {
    for (const Row& row : rows) add(row.value, row.name);
  }

  /// The name of a value; throws std::logic_error where the table has none.
  [[nodiscard]] constexpr std::string_view operator[](Enum value) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (values_[i] == value) return names_[i];
    }
    refuse_nameless(kind_, static_cast<long long>(value));
  }

  /// Nothing where no value has this name.
  [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (names_[i] == name) return values_[i];
    }
    return std::nullopt;
  }

  /// Throws ConfigError as refuse_name().
  [[nodiscard]] constexpr Enum parse(std::string_view name, std::string_view place = {}) const {
    if (const std::optional<Enum> value = find(name)) return *value;
    refuse_name(kind_, name, all(), place);
  }

  /// In the order of the table.
  [[nodiscard]] constexpr std::span<const std::string_view> all() const { return std::span(names_).first(count_); }
  [[nodiscard]] constexpr std::span<const Enum> values() const { return std::span(values_).first(count_); }

 private:
  static constexpr std::size_t kMost = 32;

  consteval void add(Enum value, std::string_view name) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (values_[i] == value) throw std::logic_error("a value has two names");
      if (names_[i] == name) throw std::logic_error("two values have one name");
    }
    values_.at(count_) = value;
    names_.at(count_++) = name;
  }

  std::string_view kind_;
  std::array<Enum, kMost> values_{};
  std::array<std::string_view, kMost> names_{};
  std::size_t count_ = 0;
};

}  // namespace kernbench
