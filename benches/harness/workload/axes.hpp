// Axes of a workload: one declaration, by the member of its request that it sets, is the option of a command, its help,
// the axis of a bench and the field of a point (adr/0063-workloads.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "benches/harness/bench.hpp"

namespace kernbench {

struct AxisWords {
  std::string name;     ///< field of a point: "batch_size"
  std::string option;   ///< "--batch"
  std::string meaning;  ///< for --help
};

/// An axis without the type of its value.
struct WorkloadAxis {
  AxisWords words;
  std::string type_name;                 ///< "N"
  AxisValue usual;                       ///< where nothing is said
  bool required = false;                 ///< a command has to be told: nothing is usual
  std::optional<MachineKind> only_on{};  ///< machines of one kind alone have it
  std::optional<OpenAxis> open{};        ///< nothing: `usual` is all that there is
  std::optional<std::int64_t> least{};   ///< of a count
  std::optional<std::int64_t> most{};

  [[nodiscard]] bool applies_to(MachineKind kind) const { return !only_on || *only_on == kind; }
};

/// The axis of a bench with these values; with its usual one where there are none.
[[nodiscard]] Axis as_axis(const WorkloadAxis& axis, std::vector<AxisValue> values = {});

[[nodiscard]] WorkloadAxis count_axis_of(AxisWords words, std::int64_t usual, std::int64_t least, std::int64_t most);
/// `read` throws ConfigError, "expected ..., got ...", and returns the text as points have it.
[[nodiscard]] WorkloadAxis text_axis_of(AxisWords words, const std::string& type_name, const std::string& usual,
                                        std::function<std::string(const std::string&)> read);

/// All axes of a workload. `Request` is a plain value whose members begin with what is usual.
template <class Request>
class Axes {
 public:
  Axes& count(AxisWords words, std::int64_t Request::*member, std::int64_t least, std::int64_t most) {
    const auto set = [member](Request& request, const Json& value) { request.*member = value.get<std::int64_t>(); };
    return add(count_axis_of(std::move(words), Request{}.*member, least, most), set);
  }

  /// One of some names. `parse(text, place)` may know others for them; `name_of` is how points have them.
  template <class Enum>
  Axes& choice(AxisWords words, const std::string& type_name, Enum Request::*member,
               std::type_identity_t<Enum> (*parse)(std::string_view text, std::string_view place),
               std::string_view (*name_of)(std::type_identity_t<Enum>)) {
    const auto read = [parse, name_of](const std::string& text) { return std::string(name_of(parse(text, ""))); };
    const auto set = [member, parse, place = words.name](Request& request, const Json& value) {
      request.*member = parse(value.get<std::string>(), place);
    };
    return add(text_axis_of(std::move(words), type_name, std::string(name_of(Request{}.*member)), read), set);
  }

  /// What only a machine can say whether it is right.
  Axes& text(AxisWords words, const std::string& type_name, std::string Request::*member) {
    const auto set = [member](Request& request, const Json& value) { request.*member = value.get<std::string>(); };
    return add(
        text_axis_of(std::move(words), type_name, Request{}.*member, [](const std::string& text) { return text; }),
        set);
  }

  /// A field of every point that nobody chooses, so that measured rows are found beside it.
  Axes& fixed(const std::string& name, const char* value) {
    return add({.words = {name, "", ""}, .type_name = "", .usual = value}, [](Request&, const Json&) {});
  }

  /// Of the axis before.
  Axes& required() {
    all_.back().required = true;
    return *this;
  }
  Axes& only_on(MachineKind kind) {
    all_.back().only_on = kind;
    return *this;
  }

  [[nodiscard]] const std::vector<WorkloadAxis>& all() const { return all_; }

  /// What a point asks for; usual where it does not say.
  [[nodiscard]] Request of(const Point& point) const {
    Request request;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::string& name = all_[i].words.name;
      if (point.contains(name)) set_[i](request, point.at(name));
    }
    return request;
  }

 private:
  using Set = std::function<void(Request&, const Json&)>;

  Axes& add(WorkloadAxis axis, Set set) {
    all_.push_back(std::move(axis));
    set_.push_back(std::move(set));
    return *this;
  }

  std::vector<WorkloadAxis> all_;
  std::vector<Set> set_;
};

}  // namespace kernbench
