// The folder, on a file system that all nodes share, by which a run and its tasks know of each other
// (adr/0039-clusters.md): experiment.json, and a folder for each array of tasks that was submitted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/experiments/cluster/experiment.hpp"
#include "benches/io/files/folder_lock.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// Tasks that were submitted together, one line of points each in its file tasks.jsonl.
struct TaskArray {
  std::filesystem::path folder;          ///< WORK/array-0001
  std::vector<std::vector<Json>> tasks;  ///< points
  std::string job;                       ///< its number in the cluster; empty where the submission was interrupted
};

/// Where a task's rows come to lie, and what it prints.
[[nodiscard]] std::filesystem::path rows_file(const std::filesystem::path& array, std::size_t index);
[[nodiscard]] std::filesystem::path output_file(const std::filesystem::path& array, std::size_t index);

/// The points of one task. Throws ConfigError where there is no such task.
[[nodiscard]] std::vector<Json> read_task(const std::filesystem::path& array, std::size_t index);

/// What a task has come to: rows of its points, all of them unless it was ended early, or the reason why it refused.
struct TaskAnswer {
  std::vector<Row> rows;
  std::string refusal;
};
/// The file is whole or not there.
void write_task_answer(const std::filesystem::path& file, const TaskAnswer& answer);
/// Nothing where there is no file. Throws ConfigError for one that is none of a task.
[[nodiscard]] std::optional<TaskAnswer> read_task_answer(const std::filesystem::path& file);

class WorkFolder {
 public:
  /// Makes and locks it. Throws ConfigError where it is another experiment's, or another run is using it; as
  /// disk::refuse does.
  WorkFolder(const std::filesystem::path& path, const Experiment& experiment);

  [[nodiscard]] const std::filesystem::path& path() const { return lock_.path(); }
  /// Arrays that were submitted, the oldest first.
  [[nodiscard]] std::vector<TaskArray> arrays() const;
  /// One more, not submitted yet.
  [[nodiscard]] TaskArray add(const std::vector<std::vector<Json>>& tasks) const;
  /// It was submitted.
  static void note_job(TaskArray& array, const std::string& job);
  /// It was not.
  static void forget(const TaskArray& array);
  /// Everything in it that is of this program goes, and the folder where nothing else is in it.
  void remove() const;

 private:
  FolderLock lock_;
};

}  // namespace kernbench
