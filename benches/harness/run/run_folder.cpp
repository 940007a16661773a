#include "benches/harness/run/run_folder.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "benches/harness/figures/drawings.hpp"
#include "benches/harness/files/own_file.hpp"
#include "benches/harness/files/temporary.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

/// Folders in which files with these endings are a run's.
struct OutputFolder {
  const char* name;
  std::vector<const char*> extensions;
};

constexpr const char* kTraces = "traces";

/// What runs write, whatever the run, beside the folders `figures`, `tables` and `traces`, which are theirs.
constexpr std::array kOutputs{"results.json", "results.csv", "theory.json", "theory.csv",
                              "report.json",  "index.html",  kDrawingsFile};
/// One of these is in every folder that a run wrote to.
constexpr std::array kMarked{"results.json", "report.json"};

const std::array<OutputFolder, 2>& output_folders() {
  static const std::array<OutputFolder, 2> folders{
      {{"figures", {".svg", ".png", ".vl.json", kDrawingsFile}}, {"tables", {".csv", ".json"}}}};
  return folders;
}

void add_outputs(std::vector<fs::path>& names, const fs::path& folder, const OutputFolder& in) {
  std::error_code error;
  for (fs::directory_iterator entry(folder / in.name, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto ends_so = [&name](const char* extension) { return name.ends_with(extension); };
    if (std::ranges::any_of(in.extensions, ends_so)) names.push_back(fs::path(in.name) / name);
  }
}

/// Those that have lost their files: whoever reads the folder would take them for points.
void remove_empty_folders(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> folders{folder};
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (entry->is_directory(ignored)) folders.push_back(entry->path());
  }
  std::ranges::sort(folders, std::ranges::greater());  // what is inside first
  for (const fs::path& each : folders) {
    if (fs::is_empty(each, ignored) && !ignored) fs::remove(each, ignored);
  }
}

}  // namespace

std::vector<fs::path> run_outputs_in(const fs::path& folder) {
  std::vector<fs::path> names;
  std::error_code error;
  for (const char* name : kOutputs) {
    if (fs::exists(fs::symlink_status(folder / name, error))) names.emplace_back(name);
  }
  for (const OutputFolder& in : output_folders()) add_outputs(names, folder, in);
  for (fs::recursive_directory_iterator entry(folder / kTraces, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_regular_file(error)) names.push_back(fs::relative(entry->path(), folder, error));
  }
  std::ranges::sort(names);
  return names;
}

void require_own_outputs(const fs::path& folder) {
  const std::vector<fs::path> outputs = run_outputs_in(folder);
  const auto is_ours = [&folder](const char* name) { return is_own_document(folder / name); };
  if (outputs.empty() || std::ranges::any_of(kMarked, is_ours)) return;
  throw ConfigError(
      folder.string() + " has " + outputs.front().string() +
      " and no results of kernbench: what is there would be replaced; expected a new folder, or one of an "
      "earlier run");
}

RunFolder::RunFolder(const fs::path& path) : lock_(path, "another run", "wait for it, or choose another --out") {
  finish_replacement(lock_);
  require_own_outputs(path);
  remove_stale_temporaries(path);
  for (const OutputFolder& in : output_folders()) remove_stale_temporaries(path / in.name);
}

PartialRows& RunFolder::open_partial_rows(const Json& header, const std::function<bool(const Json& point)>& wanted) {
  return partial_.emplace(lock_, header, wanted);
}

std::vector<fs::path> RunFolder::replace_outputs(const std::vector<NewFile>& files) {
  replace_files(lock_, files, run_outputs_in(path()));
  remove_empty_folders(path() / kTraces);
  std::vector<fs::path> paths;
  paths.reserve(files.size());
  for (const NewFile& file : files) paths.push_back(path() / file.name);
  return paths;
}

void RunFolder::discard_partial_rows(const std::vector<Json>& points) {
  if (partial_) partial_->discard(points);
}

}  // namespace kernbench
