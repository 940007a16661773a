#include "benches/io/program/distinct_files.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>

#include "benches/io/files/run_outputs.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// A path that an option names.
struct NamedPath {
  const Option& option;
  fs::path path;
};

/// Where links lead, there or not.
fs::path place_of(const fs::path& path) {
  std::error_code error;
  // Absolute first: of a relative name that is not there, "./x" stays what it is.
  const fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
  return place.has_filename() ? place : place.parent_path();  // "folder/"
}

bool is_one_place(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return place_of(a) == place_of(b) || fs::equivalent(a, b, error);
}

bool lies_below(const fs::path& path, const fs::path& folder) {
  const fs::path inner = place_of(path);
  const fs::path outer = place_of(folder);
  return inner != outer && std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// What commands look for in a folder that they read.
bool is_read_from_folders(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz");
}

void require_distinct_file(const NamedPath& written, const NamedPath& other) {
  const std::string both = written.option.shown_name() + " and " + other.option.shown_name();
  if (is_one_place(written.path, other.path)) {
    throw ConfigError(both + ": expected two files, got " + written.path.string() + " for both");
  }
  if (other.option.files() == Option::Files::kRead && lies_below(written.path, other.path) &&
      is_read_from_folders(written.path)) {
    std::error_code error;
    const bool is_there = fs::exists(written.path, error);
    throw ConfigError(both + ": expected " + (is_there ? "a new file, or one elsewhere; " : "a file elsewhere; ") +
                      written.path.string() +
                      (is_there ? " is in the folder that is read" : " would be read with the folder the next time"));
  }
  if (other.option.files() == Option::Files::kFolderWritten && lies_below(written.path, other.path) &&
      is_run_output(place_of(written.path).lexically_relative(place_of(other.path)))) {
    throw ConfigError(both + ": expected a file elsewhere; the results of " + other.path.string() +
                      " are written to that place");
  }
}

/// `outputs`: what a run would take out of the folder that is written.
void require_distinct_folder(const NamedPath& written, const std::vector<fs::path>& outputs, const NamedPath& read) {
  for (const fs::path& name : outputs) {
    const fs::path output = written.path / name;
    const bool holds_it = lies_below(read.path, written.path) && lies_below(output, read.path);
    if (!holds_it && !is_one_place(output, read.path)) continue;
    throw ConfigError(written.option.shown_name() + " and " + read.option.shown_name() +
                      ": expected another folder to write to; " + output.string() +
                      " is read, and would be written over");
  }
}

void require_distinct(const NamedPath& written, const Option& other) {
  const bool clears = written.option.files() == Option::Files::kFolderWritten && other.files() == Option::Files::kRead;
  const std::vector<fs::path> outputs = clears ? run_outputs_in(written.path) : std::vector<fs::path>{};
  for (const std::string& value : other.values()) {
    if (written.option.files() == Option::Files::kWritten) {
      require_distinct_file(written, {other, value});
    } else if (clears) {
      require_distinct_folder(written, outputs, {other, value});
    }
  }
}

bool is_written(const Option& option) {
  return option.files() == Option::Files::kWritten || option.files() == Option::Files::kFolderWritten;
}

}  // namespace

void require_distinct_files(const CommandSpec& command) {
  for (const auto& written : command.options()) {
    if (!is_written(*written)) continue;
    for (const std::string& value : written->values()) {
      for (const auto& other : command.options()) {
        if (other != written && other->files() != Option::Files::kNone) require_distinct({*written, value}, *other);
      }
    }
  }
}

}  // namespace kernbench
