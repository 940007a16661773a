// Walks the YAML of a machine file and its overrides against the schema, gathering errors instead of stopping.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/diagnostics.hpp"
#include "sim/machine/machine_spec.hpp"
#include "sim/machine/schema.hpp"
#include "sim/machine/yaml_document.hpp"

namespace kernbench {

/// A machine file that another one names as its base.
struct BaseFile {
  std::string name;  ///< its path, as messages call it
  std::string text;
};
/// The file at `base` as the file `from` names it. Throws ConfigError where it cannot be read.
using OpenBase = std::function<BaseFile(const std::string& base, const std::string& from)>;

/// Used once: read_file, then read_override any number of times, then finish.
class MachineReader {
 public:
  /// Without `open_base` a base is refused.
  explicit MachineReader(std::string_view file_name, OpenBase open_base = {});

  void read_file(std::string_view yaml_text);
  void read_override(const std::string& assignment);

  /// Fills in defaults, looks for missing keys and contradictions, and returns the machine.
  /// Throws ConfigError with every error found since the beginning.
  MachineSpec finish();

  /// After finish: LoadedMachine::left_out.
  [[nodiscard]] const std::vector<std::string>& left_out() const { return left_out_; }
  /// LoadedMachine::bases.
  [[nodiscard]] std::vector<std::string> bases() const { return {files_.begin() + 1, files_.end()}; }

 private:
  [[nodiscard]] Place place_of(const YAML::Mark& mark) const;
  [[nodiscard]] Place place_of(const YAML::Node& node) const { return place_of(node.Mark()); }
  /// Whether the text is a machine, so that missing keys are worth reporting; the same of its base.
  bool read_text(std::string_view yaml_text);
  bool read_base(const YAML::Node& root);
  void read_section(const YAML::Node& node, const std::string& section);
  void read_entry(const YAML::Node& node, const std::string& path, const Place& place);
  void read_key(const MachineKey& key, const YAML::Node& node, const Place& place);
  void refuse_unknown(const Place& place, const std::string& path, const std::string& suggestion);
  /// The outermost section of which neither file nor overrides say anything stands for everything in it.
  [[nodiscard]] std::string outermost_missing(const std::string& path) const;
  /// Whether a file or an override says anything of the section.
  [[nodiscard]] bool is_given(const std::string& section) const;
  /// Of the innermost section around the path that the file has.
  [[nodiscard]] const Place& place_around(const std::string& path) const;
  void fill_in_defaults();
  void find_absent();
  void name_defaults();
  void report_missing();
  void report_contradictions();

  Diagnostics diagnostics_;
  MachineSpec spec_;
  OpenBase open_base_;
  std::vector<std::string> files_;  ///< the file, its base, the base's and so on
  std::size_t file_ = 0;            ///< the one that is read
  bool is_machine_ = false;         ///< every file is a map: missing keys are worth reporting
  int overrides_ = 0;
  bool unread_base_ = false;                ///< its key is misspelt
  std::map<std::string, Place> sections_;   ///< sections met, "" the whole file
  std::map<std::string, Place> attempted_;  ///< keys given, validly or not
  std::map<std::string, Place> valid_;      ///< keys whose value is in spec_, and where that came from
  std::vector<std::string> left_out_;
  std::map<std::string, std::string> override_text_;  ///< by key, to refuse a second one
};

}  // namespace kernbench
