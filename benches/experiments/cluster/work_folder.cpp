#include "benches/experiments/cluster/work_folder.hpp"

#include <algorithm>
#include <sstream>

#include "benches/io/files/disk.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kExperimentFile = "experiment.json";
constexpr const char* kTasksFile = "tasks.jsonl";
constexpr const char* kJobFile = "job";
constexpr const char* kArrayPrefix = "array-";
constexpr const char* kAnswerSchema = "kernbench.task/1";

std::vector<Json> points_of_line(const std::string& line, const fs::path& file) {
  const Json points = parse_json(line, file.string());
  if (!points.is_array()) throw ConfigError(file.string() + ": expected an array of points in each line");
  return {points.begin(), points.end()};
}

std::vector<fs::path> array_folders(const fs::path& work) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry& entry : fs::directory_iterator(work)) {
    if (entry.path().filename().string().starts_with(kArrayPrefix)) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

fs::path rows_file(const fs::path& array, std::size_t index) {
  return array / ("rows-" + std::to_string(index) + ".jsonl");
}

fs::path output_file(const fs::path& array, std::size_t index) {
  return array / ("output-" + std::to_string(index) + ".txt");
}

std::vector<Json> read_task(const fs::path& array, std::size_t index) {
  const fs::path file = array / kTasksFile;
  std::istringstream lines(read_file(file));
  std::string line;
  for (std::size_t i = 0; std::getline(lines, line); ++i) {
    if (i == index) return points_of_line(line, file);
  }
  throw ConfigError(file.string() + " has no task " + std::to_string(index) + ": tasks are counted from 0");
}

void write_task_answer(const fs::path& file, const TaskAnswer& answer) {
  Json header{{"schema", kAnswerSchema}};
  if (!answer.refusal.empty()) header["refusal"] = answer.refusal;
  std::string text = header.dump() + "\n";
  for (const Row& row : answer.rows) text += row_to_json(row).dump() + "\n";
  write_file(file, text);
}

std::optional<TaskAnswer> read_task_answer(const fs::path& file) {
  if (!fs::exists(file)) return std::nullopt;
  std::istringstream lines(read_file(file));
  std::string line;
  std::getline(lines, line);
  const Json header = parse_json(line, file.string());
  if (!header.is_object() || header.value("schema", Json()) != kAnswerSchema) {
    throw ConfigError(file.string() + ": expected rows of a task, " + kAnswerSchema);
  }
  TaskAnswer answer;
  answer.refusal = header.value("refusal", "");
  while (std::getline(lines, line)) {
    answer.rows.push_back(row_from_json(parse_json(line, file.string()), file.string()));
  }
  return answer;
}

WorkFolder::WorkFolder(const fs::path& path, const Experiment& experiment)
    : lock_(path, "another run", "wait for it, or choose another --work") {
  const fs::path file = path / kExperimentFile;
  const Json here = experiment_to_json(experiment);
  if (fs::exists(file)) {
    const auto differences = experiment_differences(parse_json(read_file(file), file.string()), here);
    if (!differences.empty()) {
      throw ConfigError(file.string() + " is of another experiment: " + joined_in_words(differences) +
                        ": expected --work with a folder of its own for this one; or remove that one, once its tasks "
                        "have ended");
    }
  }
  write_file(file, here.dump(2) + "\n");
}

std::vector<TaskArray> WorkFolder::arrays() const {
  std::vector<TaskArray> arrays;
  for (const fs::path& folder : array_folders(path())) {
    const fs::path file = folder / kTasksFile;
    if (!fs::exists(file)) continue;  // killed before it had tasks
    TaskArray& array = arrays.emplace_back();
    array.folder = folder;
    std::istringstream lines(read_file(file));
    for (std::string line; std::getline(lines, line);) array.tasks.push_back(points_of_line(line, file));
    if (fs::exists(folder / kJobFile)) {
      const std::string text = read_file(folder / kJobFile);
      array.job = text.substr(0, text.find('\n'));
    }
  }
  return arrays;
}

TaskArray WorkFolder::add(const std::vector<std::vector<Json>>& tasks) const {
  const std::vector<fs::path> folders = array_folders(path());
  const std::string last = folders.empty() ? "0" : folders.back().filename().string().substr(6);
  TaskArray array{fs::absolute(path()) / (kArrayPrefix + formatted("%04.0f", std::stod(last) + 1)), tasks, ""};
  std::string text;
  for (const std::vector<Json>& points : tasks) text += Json(points).dump() + "\n";
  write_file(array.folder / kTasksFile, text);
  return array;
}

void WorkFolder::note_job(TaskArray& array, const std::string& job) {
  array.job = job;
  write_file(array.folder / kJobFile, job + "\n");
}

void WorkFolder::forget(const TaskArray& array) { fs::remove_all(array.folder); }

void WorkFolder::remove() const {
  for (const fs::path& folder : array_folders(path())) fs::remove_all(folder);
  disk::remove(path() / kExperimentFile);
  std::error_code not_empty;
  fs::remove(path(), not_empty);
}

}  // namespace kernbench
