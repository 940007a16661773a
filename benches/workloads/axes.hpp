// Axes of a workload: one declaration, by the member of its request that it sets, is the option of a command, its help,
// the axis of a bench and the field of a point (adr/0063-workloads.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "benches/workloads/bench.hpp"
#include "sim/base/names.hpp"

namespace kernbench {

struct AxisWords {
  std::string name;        ///< of a sweep, a column of points: "batch_size"
  std::string option;      ///< "--batch", or several of the same meaning: "--sizes,--bytes"
  std::string meaning;     ///< for --help
  std::string field = {};  ///< of a point; empty: the name

  [[nodiscard]] const std::string& field_name() const { return field.empty() ? name : field; }
  /// The first of them, for messages.
  [[nodiscard]] std::string option_name() const { return option.substr(0, option.find(',')); }
};

/// The axis of workloads of several PEs, "over"; `meaning` says which are possible beside.
[[nodiscard]] AxisWords over_words(const std::string& meaning);
inline constexpr const char* kOverTypes = "die|package|system|P.D.E[-P.D.E],...";

/// What of PEs is known without a machine: a name is all of them, and only numbers have commas between. Throws
/// ConfigError for anything else.
[[nodiscard]] std::string read_pes(const std::string& text);

/// An axis without the type of its value.
struct WorkloadAxis {
  AxisWords words;
  std::string type_name;                        ///< "N"
  AxisValue usual;                              ///< where nothing is said
  bool required = false;                        ///< a command has to be told: nothing is usual
  bool quiet = false;                           ///< points have it only where it is not the usual one
  bool of_verify = false;                       ///< without --verify it has no effect
  std::function<std::string()> more_help = {};  ///< more of its meaning; optional
  std::optional<MachineKind> only_on{};         ///< machines of one kind alone have it
  std::optional<OpenAxis> open{};               ///< nothing: `usual` is all that there is
  std::vector<std::string> choices = {};        ///< of one of some names
  std::optional<std::int64_t> least{};          ///< of a count
  std::optional<std::int64_t> most{};

  [[nodiscard]] bool applies_to(MachineKind kind) const { return !only_on || *only_on == kind; }
};

/// The axis of a bench with these values; with its usual one where there are none.
[[nodiscard]] Axis as_axis(const WorkloadAxis& axis, std::vector<AxisValue> values = {});

[[nodiscard]] WorkloadAxis count_axis_of(AxisWords words, std::int64_t usual, std::int64_t least, std::int64_t most);
/// With a unit: bytes, a time, a bandwidth.
[[nodiscard]] WorkloadAxis quantity_axis_of(AxisWords words, Dimension dimension, std::int64_t usual);
/// `read` throws ConfigError, "expected ..., got ...", and returns the text as points have it.
[[nodiscard]] WorkloadAxis text_axis_of(AxisWords words, const std::string& type_name, const std::string& usual,
                                        std::function<std::string(const std::string&)> read);

/// All axes of a workload. `Request` is a plain value whose members begin with what is usual.
template <class Request>
class Axes {
 public:
  Axes& count(AxisWords words, std::int64_t Request::*member, std::int64_t least, std::int64_t most) {
    return add(count_axis_of(std::move(words), Request{}.*member, least, most), member);
  }

  /// An entry of a map, of its name.
  Axes& count(AxisWords words, std::int64_t usual, std::int64_t least, std::int64_t most,
              std::map<std::string, std::int64_t> Request::*member) {
    const std::string name = words.name;
    return add(
        count_axis_of(std::move(words), usual, least, most),
        [member, name](Request& request, const Json& value) { (request.*member)[name] = value.get<std::int64_t>(); },
        [member, name, usual](const Request& request) {
          const auto found = (request.*member).find(name);
          return Json(found == (request.*member).end() ? usual : found->second);
        });
  }

  /// With a unit, in the smallest one that there is: bytes, ps, bytes a second.
  Axes& quantity(AxisWords words, Dimension dimension, std::int64_t Request::*member) {
    return add(quantity_axis_of(std::move(words), dimension, Request{}.*member), member);
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
    const auto get = [member, name_of](const Request& request) { return Json(name_of(request.*member)); };
    return add(text_axis_of(std::move(words), type_name, std::string(name_of(Request{}.*member)), read), set, get);
  }

  template <class Enum>
  Axes& choice(AxisWords words, const std::string& type_name, Enum Request::*member, const Names<Enum>& names) {
    const auto read = [names](const std::string& text) { return std::string(names[names.parse(text)]); };
    const auto set = [member, names, place = words.name](Request& request, const Json& value) {
      request.*member = names.parse(value.get<std::string>(), place);
    };
    const auto get = [member, names](const Request& request) { return Json(names[request.*member]); };
    add(text_axis_of(std::move(words), type_name, std::string(names[Request{}.*member]), read), set, get);
    for (const std::string_view name : names.all()) all_.back().choices.emplace_back(name);
    return *this;
  }

  /// `read` as text_axis_of() has it; where there is none, only a machine can say whether the text is right.
  Axes& text(
      AxisWords words, const std::string& type_name, std::string Request::*member,
      std::function<std::string(const std::string&)> read = [](const std::string& text) { return text; }) {
    return add(text_axis_of(std::move(words), type_name, Request{}.*member, std::move(read)), member);
  }

  /// PEs by number, with commas, or by a name of several.
  Axes& pes(AxisWords words, const std::string& type_name, std::string Request::*member) {
    return text(std::move(words), type_name, member, read_pes).with_commas();
  }

  /// A field of every point that nobody chooses, so that measured rows are found beside it.
  Axes& fixed(const std::string& name, const char* value) {
    return add(
        {.words = {name, "", ""}, .type_name = "", .usual = value}, [](Request&, const Json&) {},
        [value](const Request&) { return Json(value); });
  }

  /// The axes of a part of the request, but for those of these names; usual is what they are in a `Request`.
  template <class Part>
  Axes& include(const Axes<Part>& part, Part Request::*member, const std::vector<std::string>& without = {}) {
    for (std::size_t i = 0; i < part.all_.size(); ++i) {
      WorkloadAxis axis = part.all_[i];
      if (std::ranges::count(without, axis.words.name) > 0) continue;
      const Json usual = part.get_[i](Request{}.*member);
      if (usual != part.get_[i](Part{}))
        axis.usual = {usual.is_string() ? usual.get<std::string>() : usual.dump(), usual};
      add(
          std::move(axis),
          [member, set = part.set_[i]](Request& request, const Json& value) { set(request.*member, value); },
          [member, get = part.get_[i]](const Request& request) { return get(request.*member); });
    }
    return *this;
  }

  /// The same, which the request is told.
  Axes& fixed(const std::string& name, const std::string& value, std::string Request::*member) {
    return add({.words = {name, "", ""}, .type_name = "", .usual = {value, Json(value)}}, member);
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

  Axes& of_verify() {
    all_.back().of_verify = true;
    return *this;
  }

  Axes& quiet() {
    all_.back().quiet = true;
    return *this;
  }
  /// A name for several of its values; they are asked for when it is used.
  Axes& named(const std::string& name, std::function<std::vector<std::string>()> values) {
    OpenAxis& open = *all_.back().open;
    open.sets[name] = [read = open.read, values = std::move(values)] {
      std::vector<AxisValue> all;
      for (const std::string& value : values()) all.push_back(read(value));
      return all;
    };
    return *this;
  }
  /// Its values have commas of their own: several of an option have semicolons between.
  Axes& with_commas() {
    all_.back().open->has_commas = true;
    return *this;
  }
  /// What --help says of it besides; asked for then.
  Axes& explained(std::function<std::string()> more) {
    all_.back().more_help = std::move(more);
    return *this;
  }

  [[nodiscard]] const std::vector<WorkloadAxis>& all() const { return all_; }

  /// What a point asks for; usual where it does not say.
  [[nodiscard]] Request of(const Point& point) const {
    Request request;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::string& name = all_[i].words.field_name();
      if (point.contains(name)) set_[i](request, point.at(name));
    }
    return request;
  }

  /// The point, asking for this.
  [[nodiscard]] Point with(Point point, const Request& request) const {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::string& name = all_[i].words.field_name();
      const Json value = get_[i](request);
      if (point.contains(name) || (all_[i].quiet && value != get_[i](Request{}))) point[name] = value;
    }
    return point;
  }

 private:
  template <class Other>
  friend class Axes;
  using Set = std::function<void(Request&, const Json&)>;
  using Get = std::function<Json(const Request&)>;

  Axes& add(WorkloadAxis axis, Set set, Get get) {
    all_.push_back(std::move(axis));
    set_.push_back(std::move(set));
    get_.push_back(std::move(get));
    return *this;
  }

  template <class Value>
  Axes& add(WorkloadAxis axis, Value Request::*member) {
    return add(
        std::move(axis), [member](Request& request, const Json& value) { request.*member = value.get<Value>(); },
        [member](const Request& request) { return Json(request.*member); });
  }

  std::vector<WorkloadAxis> all_;
  std::vector<Set> set_;
  std::vector<Get> get_;
};

}  // namespace kernbench
