#include "benches/measured/reference/trace_folder.hpp"

#include <algorithm>
#include <system_error>

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// Without "." and a slash at its end; empty where it is no path to something below.
fs::path path_below(const std::string& name) {
  fs::path path = fs::path(name).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  const bool below = path.is_relative() && !path.empty() && path != "." && *path.begin() != "..";
  return below && name.find('\0') == std::string::npos ? path : fs::path();
}

fs::file_status status_of(const fs::path& path) {
  std::error_code error;  // a name that is too long is the name of nothing
  return fs::symlink_status(path, error);
}

std::string kind_of(const fs::path& path) {
  switch (status_of(path).type()) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::symlink:
      return "a link";
    case fs::file_type::regular:
      return "a file";
    case fs::file_type::not_found:
    case fs::file_type::none:
      return "not there";
    default:
      return "a device or pipe";
  }
}

/// The first part of `name` that is no folder of its own below `base`; empty: all are.
fs::path first_that_is_no_folder(const fs::path& base, const fs::path& name) {
  fs::path path = base;
  for (const fs::path& part : name) {
    path /= part;
    if (status_of(path).type() != fs::file_type::directory) return path;
  }
  return {};
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    entries.push_back(entry->path());
  }
  std::ranges::sort(entries);
  return entries;
}

}  // namespace

CheckedTraceFolder check_trace_folder(const fs::path& base, const std::string& name) {
  CheckedTraceFolder checked;
  checked.folder.name = path_below(name);
  const std::string expected = "trace: expected a folder beside the file, got \"" + name + "\"";
  if (checked.folder.name.empty()) {
    checked.finding = expected;
    return checked;
  }
  if (const fs::path other = first_that_is_no_folder(base, checked.folder.name); !other.empty()) {
    checked.finding = expected + ": " + other.string() + " is " + kind_of(other);
    return checked;
  }
  for (const fs::path& file : entries_of(base / checked.folder.name)) {
    if (status_of(file).type() != fs::file_type::regular) {
      checked.finding = "trace: expected plain files in the folder \"" + name +
                        "\", and nothing else: " + file.string() + " is " + kind_of(file);
      return checked;
    }
    checked.folder.files.push_back(file.filename());
  }
  return checked;
}

std::string objection_to_replacing(const fs::path& place) {
  const fs::file_type type = status_of(place).type();
  if (type == fs::file_type::not_found || type == fs::file_type::none) return "";
  if (type != fs::file_type::directory) return place.string() + " is " + kind_of(place);
  for (const fs::path& entry : entries_of(place)) {
    if (status_of(entry).type() != fs::file_type::regular) {
      return place.string() + " is not a trace's folder alone: " + entry.string() + " is " + kind_of(entry);
    }
  }
  return "";
}

}  // namespace kernbench
