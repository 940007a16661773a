// A metric has one name and one type, declared once as a constant beside the code it is of; what several rooms share is
// in benches/results/rows/*_metrics.hpp. Rows are written and read through these constants (docs/results.md).
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "benches/io/text/json.hpp"

namespace kernbench {

/// `T` is double, std::int64_t, bool or std::string; the name ends in its unit.
template <class T, class Name = std::string_view>
struct Metric {
  Name name;
};

/// The same of something else: of each cause, of what was measured.
template <class T, class Name>
[[nodiscard]] Metric<T, std::string> prefixed(std::string_view prefix, const Metric<T, Name>& metric) {
  return {std::string(prefix).append(metric.name)};
}

/// The metrics of a row, in the order in which they were first set.
class Metrics {
 public:
  struct Value {
    template <class T, class Name, class Given>
    Value(const Metric<T, Name>& metric, const Given& given) : name(metric.name), value(Json(typed<T>(given))) {}
    std::string name;
    Json value;
  };

  Metrics() = default;
  Metrics(std::initializer_list<Value> values) {
    for (const Value& one : values) json_[one.name] = one.value;
  }
  /// As a file has them.
  explicit Metrics(Json named) : json_(std::move(named)) {}

  template <class T, class Name, class Given>
  void set(const Metric<T, Name>& metric, const Given& given) {
    json_[metric.name] = typed<T>(given);
  }
  void add(const Metrics& others) { json_.update(others.json_); }
  template <class T, class Name>
  void erase(const Metric<T, Name>& metric) {
    json_.erase(metric.name);
  }

  template <class T, class Name>
  [[nodiscard]] bool has(const Metric<T, Name>& metric) const {
    return json_.contains(metric.name);
  }
  /// Throws where the row lacks it.
  template <class T, class Name>
  [[nodiscard]] T at(const Metric<T, Name>& metric) const {
    return json_.at(metric.name).template get<T>();
  }
  template <class T, class Name>
  [[nodiscard]] T value_or(const Metric<T, Name>& metric, std::type_identity_t<T> otherwise) const {
    return json_.value(metric.name, otherwise);
  }
  template <class T, class Name>
  [[nodiscard]] std::optional<T> find(const Metric<T, Name>& metric) const {
    return has(metric) ? std::optional<T>(at(metric)) : std::nullopt;
  }

  /// All of them by name, for what names come from outside for: files, columns, sums over every metric.
  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] Json& json() { return json_; }

 private:
  template <class T, class Given>
  static T typed(const Given& given) {
    static_assert(std::is_same_v<T, bool> == std::is_same_v<Given, bool>);
    static_assert(std::is_integral_v<T> == std::is_integral_v<Given>, "20 and 20.0 are other bytes in a file");
    static_assert(!std::is_same_v<Given, Json>, "say what it is: get<T>()");
    return static_cast<T>(given);
  }

  Json json_ = Json::object();
};

}  // namespace kernbench
