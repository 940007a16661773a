// Reading against the schema. A misspelt key is reported and then read as the one it is nearest to, so that neither its
// absence nor the keys below it hide or multiply errors.
#include "sim/machine/machine_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/contradictions.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/missed_key.hpp"
#include "sim/machine/optional_sections.hpp"

namespace kernbench {
namespace {

/// Files of which each is the base of the one before it.
constexpr std::size_t kMostFiles = 16;

/// Of a value that is shown because it is wrong.
constexpr std::size_t kLongestShown = 80;

/// Where a default comes from: no line.
const Place kDefault{0, 0, 0, {}, 0};

/// Which of several places to show for a contradiction: an override before the file before a default.
int blame(const Place& place) { return place.override_number != 0 ? 2 : (place.line != 0 ? 1 : 0); }

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

/// True for a key of `section` that stands among these, and for none.
bool is_given_in(const std::map<std::string, Place>& names, const std::string& section, const std::string& path) {
  return path.empty() || names.contains(section.empty() ? path : path.substr(section.size() + 1));
}

std::string normal(const std::string& path) { return std::filesystem::path(path).lexically_normal().string(); }

}  // namespace

MachineReader::MachineReader(std::string_view file_name, OpenBase open_base)
    : diagnostics_(file_name), open_base_(std::move(open_base)), files_{std::string(file_name)} {}

Place MachineReader::place_of(const YAML::Mark& mark) const {
  return mark.is_null() ? Place{1, 1, 0, {}, file_} : Place{mark.line + 1, mark.column + 1, 0, {}, file_};
}

void MachineReader::read_file(std::string_view yaml_text) { is_machine_ = read_text(yaml_text); }

bool MachineReader::read_text(std::string_view yaml_text) {
  try {
    const auto document = parse_yaml_document(std::string(yaml_text));
    for (const auto& refusal : document.refused) diagnostics_.add(place_of(refusal.mark), "", refused(refusal));
    if (!document.refused.empty()) return false;
    const auto& root = document.root;
    if (!root.IsMap()) {
      diagnostics_.add(place_of(YAML::Mark::null_mark()), "",
                       "expected a machine with the keys " + names_in("") + ", got " + kind_of(root));
      return false;
    }
    const bool on_machine = read_base(root);  // before the file: what it gives replaces the base's
    sections_[""] = place_of(root);
    read_section(root, "");
    if (!document.following) return on_machine;
    diagnostics_.add(place_of(*document.following), "", "expected one machine in a file, got a second YAML document");
  } catch (const YAML::Exception& error) {
    diagnostics_.add(place_of(error.mark), "", "not valid YAML: " + error.msg);
  }
  return false;
}

bool MachineReader::read_base(const YAML::Node& root) {
  const YAML::Node base = root[kBaseKey];
  if (!base.IsDefined()) return true;
  const Place place = place_of(base);
  const auto refuse = [&](const std::string& message) {
    diagnostics_.add(place, kBaseKey, message);
    return false;
  };
  if (!base.IsScalar() || base.Scalar().empty()) {
    return refuse("expected the path of another machine file, relative to this one, got " + kind_of(base));
  }
  if (!open_base_) return refuse("expected a machine that is whole, as this text is in no folder of others");
  if (files_.size() == kMostFiles) {
    return refuse("expected at most " + std::to_string(kMostFiles) + " files of which each is the base of another");
  }
  BaseFile file;
  try {
    file = open_base_(base.Scalar(), files_.back());
  } catch (const ConfigError& error) {
    return refuse(error.what());
  }
  const auto same = [&file](const std::string& name) { return normal(name) == normal(file.name); };
  if (std::ranges::any_of(files_, same)) {
    return refuse("a file cannot be its own base: expected another than " + joined(files_, ", ") + ", got " +
                  file.name);
  }
  files_.push_back(file.name);
  const std::size_t own = std::exchange(file_, diagnostics_.add_file(file.name));
  const bool on_machine = read_text(file.text);
  if (on_machine && !attempted_.contains("schema")) {
    diagnostics_.add(sections_.at(""), "schema", "missing; expected " + expected_value(machine_key("schema")));
  }
  file_ = own;
  for (const char* key : {"schema", "name"}) {  // of the file, and not inherited
    attempted_.erase(key);
    valid_.erase(key);
  }
  return on_machine;
}

void MachineReader::read_section(const YAML::Node& node, const std::string& section) {
  const auto seen = first_places(node, [this](const YAML::Node& key) { return place_of(key); });
  for (const auto& entry : node) {
    if (diagnostics_.full()) return;
    const auto place = place_of(entry.first);
    if (!entry.first.IsScalar()) {
      diagnostics_.add(place, section, "expected a key, one of " + names_in(section) + ", got " + kind_of(entry.first));
      continue;
    }
    const auto& name = entry.first.Scalar();
    auto path = join_path(section, name);
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
    if (path == kBaseKey) continue;  // read_base has read it
    if (name.empty() || (find_machine_key(path) == nullptr && !is_section(path))) {
      const auto sibling = nearest_sibling(section, name);
      refuse_unknown(place, path, sibling);
      if (is_given_in(seen, section, sibling)) continue;
      path = sibling;
    }
    if (path == kBaseKey) {
      unread_base_ = true;
      continue;
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
  const Place place{0, 0, ++overrides_, assignment, 0};
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
  if (path == kBaseKey) {
    diagnostics_.add(place, path, "expected in a machine file, not as --set, which replaces one value");
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
  const std::string_view instead = instead_of_key(path);
  if (!instead.empty()) return diagnostics_.add(place, path, "unknown key; " + std::string(instead));
  const auto nearest = suggestion.empty() ? nearest_elsewhere(path) : suggestion;
  const auto section = section_of(path);
  const bool section_known = section.empty() || is_section(section);
  diagnostics_.add(place, path,
                   !nearest.empty() ? "unknown key; did you mean '" + nearest + "'?"
                                    : "unknown key; expected one of " + names_in(section_known ? section : ""));
}

std::string MachineReader::outermost_missing(const std::string& path) const {
  auto missing = path;
  while (!is_given(section_of(missing))) missing = section_of(missing);
  return missing;
}

bool MachineReader::is_given(const std::string& section) const {
  return sections_.contains(section) ||
         std::ranges::any_of(attempted_, [&](const auto& key) { return is_below(key.first, section); });
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
  }
}

void MachineReader::find_absent() {
  for (const auto& section : optional_sections()) {
    if (is_given(std::string(section.path))) continue;
    spec_.absent.emplace_back(section.path);
    const std::string companion(section.companion);
    if (!companion.empty() && !attempted_.contains(companion)) spec_.absent.push_back(companion);
  }
}

void MachineReader::name_defaults() {
  const auto holds_absent = [this](const std::string& section) {
    return std::ranges::any_of(spec_.absent, [&](const std::string& absent) { return is_below(absent, section); });
  };
  for (const auto& key : machine_keys()) {
    const std::string path(key.path);
    if (attempted_.contains(path) || key.default_value.empty()) continue;
    if (!absent_part(spec_, path).empty()) continue;
    if (key.at_default == AtDefault::kNotTold) continue;
    std::string missing = outermost_missing(path);
    if (holds_absent(missing)) missing = path.substr(0, path.find('.', missing.size() + 1));
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
    diagnostics_.add(place_around(missing), missing, missing_text(key, missing, spec_));
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
  if (is_machine_ && !unread_base_ && !diagnostics_.full()) {
    fill_in_defaults();
    find_absent();
    name_defaults();
    report_missing();
    report_contradictions();
  }
  diagnostics_.throw_if_any();
  return spec_;
}

}  // namespace kernbench
