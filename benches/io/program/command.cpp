#include "benches/io/program/command.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <type_traits>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/read_number.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

template <class T>
bool read_value(const std::string& text, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return false;  // flags are counted
  } else if constexpr (std::is_integral_v<T>) {
    T read{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (error != std::errc() || end != text.data() + text.size()) return false;
    value = read;
  } else if constexpr (std::is_same_v<T, double>) {
    const auto read = read_number(text);
    if (!read) return false;
    value = *read;
  } else {
    value = text;
  }
  return true;
}

template <class T>
bool read_values(const std::vector<std::string>& texts, T& value) {
  return texts.size() == 1 && read_value(texts.front(), value);
}

template <class T>
bool read_values(const std::vector<std::string>& texts, std::vector<T>& values) {
  values.resize(texts.size());
  return std::equal(texts.begin(), texts.end(), values.begin(),
                    [](const std::string& text, T& value) { return read_value(text, value); });
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return formatted("%g", value);
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return value.string();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value;
  } else {
    return "";  // lists show none
  }
}

}  // namespace

Option::Option(const std::string& names, Target target, std::string description, bool is_flag)
    : target_(target), description_(std::move(description)), is_flag_(is_flag) {
  std::vector<std::string> long_names;
  std::istringstream all(names);
  for (std::string name; std::getline(all, name, ',');) {
    if (name.starts_with("--")) {
      long_names.push_back(name);
    } else if (name.starts_with('-')) {
      names_.push_back(name);
    } else {
      argument_ = name;
    }
  }
  names_.insert(names_.end(), long_names.begin(), long_names.end());
  if (!is_flag_) type_ = "TEXT";
}

Option& Option::type_name(std::string name) {
  type_ = std::move(name);
  return *this;
}

Option& Option::rule(ValueRule rule) {
  rule_ = std::move(rule);
  return *this;
}

Option& Option::required() {
  required_ = true;
  return *this;
}

Option& Option::show_default() {
  default_ = std::visit(
      [](auto target) -> std::string {
        if constexpr (std::is_pointer_v<decltype(target)>) return text_of(*target);
        return "";
      },
      target_);
  return *this;
}

Option& Option::excludes(const Option& other) {
  excluded_.push_back(&other);
  return *this;
}

Option& Option::needs(const Option& other) {
  needed_.push_back(&other);
  return *this;
}

Option& Option::optional_value() {
  optional_value_ = true;
  return *this;
}

Option& Option::one_value_each() {
  one_value_each_ = true;
  return *this;
}

Option& Option::separated_by(char separator) {
  separator_ = separator;
  return *this;
}

Option& Option::reads() {
  files_ = Files::kRead;
  return *this;
}

Option& Option::writes() {
  files_ = Files::kWritten;
  return *this;
}

Option& Option::writes_folder() {
  files_ = Files::kFolderWritten;
  return *this;
}

const std::string& Option::shown_name() const {
  const auto is_long = [](const std::string& name) { return name.starts_with("--"); };
  const auto found = std::find_if(names_.begin(), names_.end(), is_long);
  return found == names_.end() ? argument_ : *found;
}

std::vector<std::string> Option::values() const {
  std::vector<std::string> values;
  const auto add = [&values](const auto& value) {
    if (!value.empty()) values.push_back(text_of(value));
  };
  std::visit(
      [&add](auto target) {
        if constexpr (std::is_convertible_v<decltype(target), const std::string*> ||
                      std::is_convertible_v<decltype(target), const std::filesystem::path*>) {
          add(*target);
        } else if constexpr (std::is_convertible_v<decltype(target), const std::vector<std::string>*> ||
                             std::is_convertible_v<decltype(target), const std::vector<std::filesystem::path>*>) {
          for (const auto& value : *target) add(value);
        }
      },
      target_);
  return values;
}

bool Option::is_list() const {
  return std::holds_alternative<std::vector<std::string>*>(target_) ||
         std::holds_alternative<std::vector<std::filesystem::path>*>(target_) ||
         std::holds_alternative<std::vector<int>*>(target_);
}

bool Option::store(const std::vector<std::string>& values) {
  given_ = true;
  return std::visit(
      [&values](auto target) {
        if constexpr (std::is_pointer_v<decltype(target)>) return read_values(values, *target);
        return true;
      },
      target_);
}

void Option::count(std::int64_t times) {
  given_ = true;
  if (auto* const* flag = std::get_if<bool*>(&target_)) **flag = times > 0;
  if (auto* const* number = std::get_if<int*>(&target_)) **number = static_cast<int>(times);
}

CommandSpec::CommandSpec(std::string name, std::string description, const CommandSpec* parent)
    : name_(std::move(name)), description_(std::move(description)), parent_(parent) {
  add(std::make_unique<Option>("-h,--help", std::monostate(), "Print this help and exit", true));
}

void CommandSpec::add_version_flag() {
  add(std::make_unique<Option>("--version", std::monostate(), "Display program version information and exit", true));
}

Option& CommandSpec::add(std::unique_ptr<Option> option) {
  options_.push_back(std::move(option));
  return *options_.back();
}

CommandSpec& CommandSpec::add_command(std::string name, std::string description) {
  commands_.push_back(std::make_unique<CommandSpec>(std::move(name), std::move(description), this));
  return *commands_.back();
}

bool CommandSpec::has_option(const std::string& name) const {
  return std::ranges::any_of(
      options_, [&](const auto& option) { return std::ranges::find(option->names(), name) != option->names().end(); });
}

std::string full_name(const CommandSpec& command) {
  return (command.parent() == nullptr ? "" : full_name(*command.parent()) + " ") + command.name();
}

void refuse_moved(const CommandSpec& root, const std::vector<std::string>& words) {
  for (const MovedCommand& command : root.moved()) {
    const std::vector<std::string> before = split(command.before, " ");
    if (before.size() > words.size() || !std::equal(before.begin(), before.end(), words.begin())) continue;
    throw ConfigError(root.name() + " " + command.before + " is called " + root.name() + " " + command.now + " now");
  }
}

const CommandSpec& find_command(const CommandSpec& root, const std::vector<std::string>& words) {
  refuse_moved(root, words);
  const CommandSpec* at = &root;
  for (const std::string& word : words) {
    std::vector<std::string> names;
    const CommandSpec* found = nullptr;
    for (const auto& command : at->commands()) {
      names.push_back(command->name());
      if (command->name() == word) found = command.get();
    }
    if (found == nullptr) {
      const std::string before = full_name(*at).substr(full_name(root).size());
      throw ConfigError(unknown_name("command" + (before.empty() ? "" : " of" + before), word, names));
    }
    at = found;
  }
  return *at;
}

}  // namespace kernbench
