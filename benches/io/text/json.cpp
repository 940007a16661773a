// Built from the parser's events, because its own trees keep the last of two equal fields and are taken down by
// recursion wherever they are printed or compared.
#include "benches/io/text/json.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench {
namespace {

/// Walks a text and keeps the place that the parser, which copies it, has come to.
class TrackedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  TrackedIterator(const char* at, const char*& reached) : at_(at), reached_(&reached) {}
  reference operator*() const { return *at_; }
  TrackedIterator& operator++() {
    *reached_ = ++at_;
    return *this;
  }
  bool operator==(const TrackedIterator& other) const { return at_ == other.at_; }
  bool operator!=(const TrackedIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** reached_;
};

class JsonReader : public nlohmann::json_sax<Json> {
 public:
  JsonReader(const std::string& text, const std::string& file) : text_(text), file_(file), reached_(text.data()) {}

  Json read() {
    const TrackedIterator end(text_.data() + text_.size(), reached_);
    Json::sax_parse(TrackedIterator(text_.data(), reached_), end, this);
    return std::move(root_);
  }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t& /*value*/) override { return false; }  // not in texts
  bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
  bool end_object() override { return close(); }

  bool key(string_t& name) override {
    const auto& fields = open_.back().value->get_ref<const Json::object_t&>();
    if (is_in(fields, name)) {
      refuse("the field \"" + printable(shortened(name, kLongestShown)) + "\" is there twice");
    }
    if (fields.size() == kMostJsonFields) {
      refuse("expected at most " + std::to_string(kMostJsonFields) + " fields of an object, got more");
    }
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    reached_ = text_.data() + std::min(position, text_.size());
    refuse("not valid JSON: " + cause(error.what()));
  }

 private:
  static constexpr std::size_t kLongestShown = 80;

  struct Open {
    Json* value = nullptr;                  ///< stays where it is until it is closed: only the innermost one grows
    std::unordered_set<std::string> names;  ///< of its fields, where they are many
  };

  /// Of the innermost object: looked for one by one where they are few, which most objects' are.
  bool is_in(const Json::object_t& fields, const std::string& name) {
    constexpr std::size_t kFew = 32;
    if (fields.size() < kFew)
      return std::ranges::find(fields, name, &Json::object_t::value_type::first) != fields.end();
    auto& names = open_.back().names;
    if (names.empty())
      std::ranges::transform(fields, std::inserter(names, names.end()), &Json::object_t::value_type::first);
    return !names.insert(name).second;
  }

  template <typename Value>
  Json* put(Value&& value) {
    if (open_.empty()) {
      root_ = Json(std::forward<Value>(value));
      return &root_;
    }
    Json& parent = *open_.back().value;
    if (parent.is_array()) {
      auto& elements = parent.get_ref<Json::array_t&>();
      return &elements.emplace_back(std::forward<Value>(value));
    }
    // Straight to the end: key() has seen to it that there is no such field, which emplace() would look for in all.
    auto& fields = parent.get_ref<Json::object_t&>();
    fields.push_back(Json::object_t::value_type(std::move(key_), Json(std::forward<Value>(value))));
    return &fields.back().second;
  }
  template <typename Value>
  bool add(Value&& value) {
    put(std::forward<Value>(value));
    return true;
  }
  bool open(Json empty) {
    if (open_.size() == kDeepestJson) {
      refuse("expected at most " + std::to_string(kDeepestJson) + " arrays and objects inside each other, got more");
    }
    open_.push_back({put(std::move(empty)), {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  /// Without the library's name for it and its own count of lines.
  static std::string cause(std::string text) {
    if (const std::size_t end = text.find("] "); end != std::string::npos) text = text.substr(end + 2);
    const std::string place = "parse error at line ";
    if (const std::size_t colon = text.find(": "); text.starts_with(place) && colon != std::string::npos) {
      text = text.substr(colon + 2);
    }
    return shortened(printable(text), 4 * kLongestShown);
  }

  /// At the character that was read last.
  [[noreturn]] void refuse(const std::string& what) const {
    const char* const begin = text_.data();
    const char* const last = std::max(begin, reached_ - 1);
    const auto line = 1 + std::count(begin, last, '\n');
    const auto column = std::find(std::reverse_iterator(last), std::reverse_iterator(begin), '\n').base();
    throw ConfigError(file_ + ":" + std::to_string(line) + ":" + std::to_string(last - column + 1) + ": " + what);
  }

  const std::string& text_;
  const std::string& file_;
  const char* reached_;  ///< past the last character that the parser took
  Json root_;
  std::vector<Open> open_;
  std::string key_;
};

}  // namespace

Json parse_json(const std::string& text, const std::string& file) { return JsonReader(text, file).read(); }

}  // namespace kernbench
