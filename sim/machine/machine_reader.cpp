// Reading against the schema. A misspelt key is reported and then read as the one it is nearest to, so that neither its
// absence nor the keys below it hide or multiply errors.
#include "sim/machine/machine_reader.hpp"

#include <algorithm>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/nearest.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/machine/contradictions.hpp"

namespace kernbench {
namespace {

Place place_of(const YAML::Mark& mark) {
  return mark.is_null() ? Place{} : Place{mark.line + 1, mark.column + 1, 0, {}};
}
Place place_of(const YAML::Node& node) { return place_of(node.Mark()); }

/// Of a value that is shown because it is wrong.
constexpr std::size_t kLongestShown = 80;

/// Where a default comes from: no line.
const Place kDefault{0, 0, 0, {}};

/// Which of several places to show for a contradiction: an override before the file before a default.
int blame(const Place& place) { return place.override_number != 0 ? 2 : (place.line != 0 ? 1 : 0); }

std::string join(const std::string& section, std::string_view name) {
  return section.empty() ? std::string(name) : section + '.' + std::string(name);
}

std::string section_of(const std::string& path) {
  const auto dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(0, dot);
}

bool is_below(std::string_view path, const std::string& section) {
  return section.empty() || (path.starts_with(section) && path.size() > section.size() && path[section.size()] == '.');
}

bool is_section(const std::string& path) {
  const auto keys = machine_keys();
  return std::any_of(keys.begin(), keys.end(), [&](const MachineKey& key) { return is_below(key.path, path); });
}

/// Full paths of the keys and sections directly in `section`.
std::vector<std::string> children_of(const std::string& section) {
  std::vector<std::string> children;
  for (const auto& key : machine_keys()) {
    if (!is_below(key.path, section)) continue;
    const auto begin = section.empty() ? 0 : section.size() + 1;
    const std::string child(key.path.substr(0, key.path.find('.', begin)));
    if (children.empty() || children.back() != child) children.push_back(child);
  }
  return children;
}

/// "a, b, c": the names directly in a section.
std::string names_in(const std::string& section, const std::vector<std::string>& children) {
  std::string names;
  for (const auto& child : children) {
    names += (names.empty() ? "" : ", ") + child.substr(section.empty() ? 0 : section.size() + 1);
  }
  return names;
}

std::string names_in(const std::string& section) { return names_in(section, children_of(section)); }

bool is_needed(const MachineKey& key, const MachineSpec& spec) {
  return key.default_value.empty() || !needed_for(key, spec).empty();
}

/// Without what has defaults.
std::string needed_names_in(const std::string& section, const MachineSpec& spec) {
  std::vector<std::string> children = children_of(section);
  std::erase_if(children, [&spec](const std::string& child) {
    return std::ranges::none_of(machine_keys(), [&](const MachineKey& key) {
      return (key.path == child || is_below(key.path, child)) && is_needed(key, spec);
    });
  });
  return names_in(section, children);
}

std::string nearest_sibling(const std::string& section, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& child : children_of(section))
    names.push_back(child.substr(section.empty() ? 0 : section.size() + 1));
  const auto nearest = nearest_name(name, names);
  return nearest.empty() ? "" : join(section, nearest);
}

/// The key of another section that was meant where no sibling is near: one of the same name, or of a similar path.
std::string nearest_elsewhere(const std::string& path) {
  const auto name = path.substr(path.rfind('.') + 1);
  std::vector<std::string> paths;
  for (const auto& key : machine_keys()) {
    std::string key_path(key.path);
    if (key_path.substr(key_path.rfind('.') + 1) == name) return key_path;
    if (section_of(key_path) != section_of(path)) paths.push_back(key_path);
  }
  return nearest_name(path, paths);
}

std::string kind_of(const YAML::Node& node) {
  if (node.IsMap()) return "a map";
  if (node.IsSequence()) return "a list";
  return node.IsScalar() ? "'" + shortened(node.Scalar(), kLongestShown) + "'" : "nothing";
}

/// Why, and what to do about it.
std::string refused(const YamlRefusal& refusal) {
  return "got " + refusal.what + "; machine files take no anchors (&), aliases (*) and tags (!): write it out";
}

/// Where each key of a mapping stands first.
template <class PlaceOf>
std::map<std::string, Place> first_places(const YAML::Node& mapping, PlaceOf place_of) {
  std::map<std::string, Place> places;
  for (const auto& entry : mapping) {
    if (entry.first.IsScalar()) places.try_emplace(entry.first.Scalar(), place_of(entry.first));
  }
  return places;
}

}  // namespace

void MachineReader::read_file(std::string_view yaml_text) {
  try {
    const auto document = parse_yaml_document(std::string(yaml_text));
    for (const auto& refusal : document.refused) diagnostics_.add(place_of(refusal.mark), "", refused(refusal));
    if (!document.refused.empty()) return;
    const auto& root = document.root;
    if (!root.IsMap()) {
      diagnostics_.add({}, "", "expected a machine with the keys " + names_in("") + ", got " + kind_of(root));
      return;
    }
    sections_[""] = place_of(root);
    read_section(root, "");
    is_machine_ = !document.following;
    if (document.following) {
      diagnostics_.add(place_of(*document.following), "", "expected one machine in a file, got a second YAML document");
    }
  } catch (const YAML::Exception& error) {
    diagnostics_.add(place_of(error.mark), "", "not valid YAML: " + error.msg);
  }
}

void MachineReader::read_section(const YAML::Node& node, const std::string& section) {
  const auto seen = first_places(node, [](const YAML::Node& key) { return place_of(key); });
  for (const auto& entry : node) {
    if (diagnostics_.full()) return;
    const auto place = place_of(entry.first);
    if (!entry.first.IsScalar()) {
      diagnostics_.add(place, section, "expected a key, one of " + names_in(section) + ", got " + kind_of(entry.first));
      continue;
    }
    const auto& name = entry.first.Scalar();
    auto path = join(section, name);
    const auto& first = seen.at(name);
    const bool is_duplicate = first.line != place.line || first.column != place.column;
    if (is_duplicate) {
      diagnostics_.add(place, path,
                       "duplicate key: expected it once, got it on line " + std::to_string(first.line) +
                           " and on line " + std::to_string(place.line));
    }
    if (name.find('.') != std::string::npos) {
      diagnostics_.add(place, path, "expected nested sections, got a key with dots, which only --set takes");
      continue;
    }
    if (name.empty() || (find_machine_key(path) == nullptr && !is_section(path))) {
      const auto sibling = nearest_sibling(section, name);
      refuse_unknown(place, path, sibling);
      if (sibling.empty() || seen.contains(sibling.substr(section.empty() ? 0 : section.size() + 1))) continue;
      path = sibling;
    }
    read_entry(entry.second, path, place);
    if (is_duplicate) valid_.erase(path);  // which value is meant is unknown: compare it with nothing
  }
}

void MachineReader::read_entry(const YAML::Node& node, const std::string& path, const Place& place) {
  if (const auto* key = find_machine_key(path)) {
    read_key(*key, node, node.IsNull() ? place : place_of(node));
    return;
  }
  sections_.try_emplace(path, place);
  if (node.IsMap()) {
    read_section(node, path);
  } else {
    diagnostics_.add(node.IsNull() ? place : place_of(node), path,
                     "expected a section with the keys " + names_in(path) + ", got " + kind_of(node));
    for (const auto& key : machine_keys()) {
      if (is_below(key.path, path)) attempted_.try_emplace(std::string(key.path), place);
    }
  }
}

void MachineReader::read_key(const MachineKey& key, const YAML::Node& node, const Place& place) {
  const std::string path(key.path);
  attempted_[path] = place;
  if (!node.IsScalar()) {
    diagnostics_.add(place, path, "expected " + expected_value(key) + ", got " + kind_of(node));
    return;
  }
  try {
    read_value(key, node.Scalar(), spec_);
    valid_[path] = place;
  } catch (const ConfigError& error) {
    diagnostics_.add(place, path, error.what());
  }
}

void MachineReader::read_override(const std::string& assignment) {
  const Place place{0, 0, ++overrides_, assignment};
  const auto equals = assignment.find('=');
  const auto path = assignment.substr(0, equals);
  if (equals == std::string::npos || path.empty()) {
    diagnostics_.add(place, "", "expected key.path=value, such as pe.clock='2 GHz'");
    return;
  }
  if (const auto [earlier, is_new] = override_text_.try_emplace(path, assignment); !is_new) {
    diagnostics_.add(place, path, "duplicate key: expected it once, got --set " + earlier->second + " before");
    return;
  }
  const auto* key = find_machine_key(path);
  if (key == nullptr && is_section(path)) {
    diagnostics_.add(place, path, "expected one key, got a section; set its keys one by one: " + names_in(path));
    return;
  }
  if (key == nullptr) {
    refuse_unknown(place, path, nearest_sibling(section_of(path), path.substr(path.rfind('.') + 1)));
    return;
  }
  try {
    const auto document = parse_yaml_document(assignment.substr(equals + 1));
    if (!document.refused.empty()) {
      diagnostics_.add(place, path, "expected " + expected_value(*key) + "; " + refused(document.refused.front()));
    } else if (document.following) {
      diagnostics_.add(place, path, "expected " + expected_value(*key) + ", got several YAML documents");
    } else {
      read_key(*key, document.root, place);
    }
  } catch (const YAML::Exception& error) {
    diagnostics_.add(place, path, "expected " + expected_value(*key) + "; not valid YAML: " + error.msg);
  }
}

void MachineReader::refuse_unknown(const Place& place, const std::string& path, const std::string& suggestion) {
  const auto nearest = suggestion.empty() ? nearest_elsewhere(path) : suggestion;
  const auto section = section_of(path);
  const bool section_known = section.empty() || is_section(section);
  diagnostics_.add(place, path,
                   !nearest.empty() ? "unknown key; did you mean '" + nearest + "'?"
                                    : "unknown key; expected one of " + names_in(section_known ? section : ""));
}

std::string MachineReader::outermost_missing(const std::string& path) const {
  const auto is_there = [this](const std::string& section) {
    return sections_.contains(section) ||
           std::ranges::any_of(attempted_, [&](const auto& key) { return is_below(key.first, section); });
  };
  auto missing = path;
  while (!is_there(section_of(missing))) missing = section_of(missing);
  return missing;
}

const Place& MachineReader::place_around(const std::string& path) const {
  auto section = section_of(path);
  while (!sections_.contains(section)) section = section_of(section);
  return sections_.at(section);
}

void MachineReader::fill_in_defaults() {
  for (const auto& key : machine_keys()) {
    const std::string path(key.path);
    if (attempted_.contains(path) || key.default_value.empty()) continue;
    read_value(key, key.default_value, spec_);
    valid_[path] = kDefault;
    const std::string missing = outermost_missing(path);
    const bool told = !left_out_.empty() && left_out_.back() == missing;
    if (!told) left_out_.push_back(missing);
  }
}

void MachineReader::report_missing() {
  std::map<std::string, bool> reported;
  for (const auto& key : machine_keys()) {
    const std::string path(key.path);
    if (attempted_.contains(path) || !is_needed(key, spec_)) continue;
    valid_.erase(path);  // its default is not for this machine: compare it with nothing
    const std::string missing = outermost_missing(path);
    if (!reported.try_emplace(missing, true).second) continue;
    std::string message = missing == path ? "missing; expected " + expected_value(key)
                                          : "missing section; expected the keys " + needed_names_in(missing, spec_);
    if (const auto why = needed_for(key, spec_); !why.empty()) message += ", as there are " + std::string(why);
    diagnostics_.add(place_around(missing), missing, message);
  }
}

void MachineReader::report_contradictions() {
  for (const auto& contradiction : contradictions()) {
    const auto& keys = contradiction.keys;
    const auto is_valid = [&](std::string_view key) { return valid_.contains(std::string(key)); };
    if (!std::all_of(keys.begin(), keys.end(), is_valid)) continue;
    auto message = contradiction.check(spec_);
    if (message.empty()) continue;
    // An override that contradicts a sound file is the one to blame; a default never is.
    auto place = valid_.at(std::string(keys.front()));
    if (blame(place) == 0) message += " (the default)";
    for (const auto key : keys) {
      const auto& other = valid_.at(std::string(key));
      if (blame(other) > blame(place)) place = other;
    }
    diagnostics_.add(place, keys.front(), message);
  }
}

MachineSpec MachineReader::finish() {
  if (is_machine_ && !diagnostics_.full()) {
    fill_in_defaults();
    report_missing();
    report_contradictions();
  }
  diagnostics_.throw_if_any();
  return spec_;
}

}  // namespace kernbench
