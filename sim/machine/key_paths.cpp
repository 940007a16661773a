// From the table of keys.
#include "sim/machine/key_paths.hpp"

#include <algorithm>
#include <vector>

#include "sim/base/nearest.hpp"

namespace kernbench {
namespace {

/// Full paths of the keys and sections directly in `section`.
std::vector<std::string> children_of(const std::string& section) {
  std::vector<std::string> children;
  for (const auto& key : machine_keys()) {
    if (!is_below(key.path, section)) continue;
    const auto begin = section.empty() ? 0 : section.size() + 1;
    const std::string child(key.path.substr(0, key.path.find('.', begin)));
    if (children.empty() || children.back() != child) children.push_back(child);
  }
  if (section.empty()) children.insert(std::ranges::find(children, "name") + 1, kBaseKey);
  return children;
}

std::string names_of(const std::string& section, const std::vector<std::string>& children) {
  std::string names;
  for (const auto& child : children) {
    names += (names.empty() ? "" : ", ") + child.substr(section.empty() ? 0 : section.size() + 1);
  }
  return names;
}

/// Without what has defaults.
std::string needed_names_in(const std::string& section, const MachineSpec& spec) {
  std::vector<std::string> children = children_of(section);
  std::erase_if(children, [&spec](const std::string& child) {
    return std::ranges::none_of(machine_keys(), [&](const MachineKey& key) {
      return (key.path == child || is_below(key.path, child)) && is_needed(key, spec);
    });
  });
  return names_of(section, children);
}

}  // namespace

std::string join_path(const std::string& section, std::string_view name) {
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

std::string names_in(const std::string& section) { return names_of(section, children_of(section)); }

bool is_needed(const MachineKey& key, const MachineSpec& spec) {
  return key.default_value.empty() || !needed_for(key, spec).empty();
}

std::string missing_text(const MachineKey& key, const std::string& missing, const MachineSpec& spec) {
  std::string text = missing == key.path ? "missing; expected " + expected_value(key)
                                         : "missing section; expected the keys " + needed_names_in(missing, spec);
  if (const std::string_view why = needed_for(key, spec); !why.empty()) text += ", as there are " + std::string(why);
  return text;
}

std::string nearest_sibling(const std::string& section, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& child : children_of(section))
    names.push_back(child.substr(section.empty() ? 0 : section.size() + 1));
  const auto nearest = nearest_name(name, names);
  return nearest.empty() ? "" : join_path(section, nearest);
}

std::string nearest_elsewhere(const std::string& path) {
  const auto name = path.substr(path.rfind('.') + 1);
  std::vector<std::string> paths;
  for (const auto& key : machine_keys()) {
    if (key.path.ends_with("." + path)) return std::string(key.path);
  }
  for (const auto& key : machine_keys()) {
    std::string key_path(key.path);
    if (key_path.substr(key_path.rfind('.') + 1) == name) return key_path;
    if (section_of(key_path) != section_of(path)) paths.push_back(key_path);
  }
  return nearest_name(path, paths);
}

}  // namespace kernbench
