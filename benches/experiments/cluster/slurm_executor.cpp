#include "benches/experiments/cluster/slurm_executor.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <utility>

#include "benches/experiments/cluster/divide.hpp"
#include "benches/experiments/cluster/hindrances.hpp"
#include "benches/experiments/run/evaluate.hpp"
#include "benches/io/text/numbers.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kMostSubmissions = 4;  ///< of a point in one call
constexpr milliseconds kTick{200};
constexpr milliseconds kLeastPause{200};
constexpr milliseconds kMostPause{10'000};

/// A task whose rows have not come.
struct OpenTask {
  std::filesystem::path array;
  std::size_t index = 0;
  std::string job;
  std::vector<std::string> points = {};
  std::optional<Clock::time_point> gone_since = {};  ///< the first look at the queue that missed it
};

/// "printed at its end: " and the last line that a task printed.
std::string last_words(const OpenTask& task) {
  std::ifstream output(output_file(task.array, task.index));
  std::string last;
  for (std::string line; std::getline(output, line);) last = line.empty() ? last : line;
  return last.empty() ? "printed nothing" : "printed at its end: " + last.substr(0, 200);
}

/// One call of simulate().
class Waiting {
 public:
  Waiting(const Experiment& experiment, const ClusterOptions& options, WorkFolder& work,
          const std::vector<const Evaluation*>& evaluations, const ExecutorEvents& events)
      : experiment_(experiment), options_(options), work_(work), evaluations_(evaluations), events_(events) {
    for (std::size_t i = 0; i < evaluations.size(); ++i) missing_.emplace(evaluations[i]->point.dump(), i);
    submissions_.resize(evaluations.size());
  }

  int until_done() {
    take_over();
    submit_unasked();
    const auto begin = Clock::now();
    while (!missing_.empty() && StopSignals::caught() == 0) {
      pause(std::clamp(std::chrono::duration_cast<milliseconds>(Clock::now() - begin) / 20, kLeastPause, kMostPause));
      look();
    }
    if (StopSignals::caught() != 0 && !open_.empty()) {
      spdlog::warn("{} go on in the cluster; `scancel {}` ends them",
                   counted(static_cast<std::int64_t>(open_.size()), "task"), joined(jobs(), " "));
    }
    return missing_.empty() ? 0 : StopSignals::caught();
  }

 private:
  [[nodiscard]] std::vector<std::string> jobs() const {
    std::set<std::string> numbers;
    for (const OpenTask& task : open_) {
      if (!task.job.empty()) numbers.insert(task.job);
    }
    return {numbers.begin(), numbers.end()};
  }

  void pause(milliseconds time) {
    for (const auto end = Clock::now() + time; Clock::now() < end && StopSignals::caught() == 0;) {
      std::vector<pollfd> nothing;
      signals_.wait(nothing, std::min(kTick, std::chrono::ceil<milliseconds>(end - Clock::now())));
      events_.on_tick();
    }
  }

  /// Rows of points that still have none; failed ones only where they are of this call.
  void take(const std::vector<Row>& rows, bool failed_too) {
    for (const Row& row : rows) {
      const auto found = missing_.find(row.point.dump());
      if (found == missing_.end() || (row.status == "failed" && !failed_too)) continue;
      const std::size_t index = found->second;
      missing_.erase(found);
      events_.on_row(index, row, "");
    }
  }

  /// Of arrays that earlier calls submitted: rows that are there, and tasks that may still be under way.
  void take_over() {
    if (options_.fresh) return;
    for (const TaskArray& array : work_.arrays()) {
      std::size_t rows = missing_.size();
      for (std::size_t i = 0; i < array.tasks.size(); ++i) {
        if (const auto answer = answer_of(array.folder, i)) {
          take(answer->rows, false);
        } else {
          open(array, i);
        }
      }
      rows -= missing_.size();
      if (rows > 0) spdlog::info("{} rows are taken over from {}", rows, array.folder.string());
    }
    std::erase_if(open_, [this](const OpenTask& task) { return still_missing(task.points).empty(); });
    if (!open_.empty()) {
      spdlog::info("{} were submitted before, and are waited for",
                   counted(static_cast<std::int64_t>(open_.size()), "task"));
    }
  }

  /// Nothing where there is none yet, or what is there is none.
  static std::optional<TaskAnswer> answer_of(const std::filesystem::path& array, std::size_t index) {
    const std::filesystem::path file = rows_file(array, index);
    try {
      return read_task_answer(file);
    } catch (const ConfigError& error) {
      spdlog::warn("passed over: {}", error.what());
      return TaskAnswer{};
    }
  }

  void open(const TaskArray& array, std::size_t index) {
    OpenTask& task = open_.emplace_back(OpenTask{array.folder, index, array.job});
    for (const Json& point : array.tasks[index]) task.points.push_back(point.dump());
  }

  [[nodiscard]] std::vector<std::size_t> still_missing(const std::vector<std::string>& points) const {
    std::vector<std::size_t> indices;
    for (const std::string& point : points) {
      if (const auto found = missing_.find(point); found != missing_.end()) indices.push_back(found->second);
    }
    return indices;
  }

  /// What no task is at.
  void submit_unasked() {
    std::set<std::string> asked;
    for (const OpenTask& task : open_) asked.insert(task.points.begin(), task.points.end());
    std::vector<std::size_t> unasked;
    for (const auto& [point, index] : missing_) {
      if (!asked.contains(point)) unasked.push_back(index);
    }
    std::ranges::sort(unasked);
    submit(unasked, options_.tasks);
  }

  void submit(const std::vector<std::size_t>& indices, std::size_t tasks) {
    if (indices.empty() || StopSignals::caught() != 0) return;
    std::vector<double> costs;
    costs.reserve(indices.size());
    for (const std::size_t index : indices) costs.push_back(evaluations_[index]->cost);
    std::vector<std::vector<Json>> points;
    for (const std::vector<std::size_t>& share : divided(costs, tasks)) {
      std::vector<Json>& of_task = points.emplace_back();
      for (const std::size_t i : share) of_task.push_back(evaluations_[indices[i]]->point);
    }
    for (const std::size_t index : indices) ++submissions_[index];
    TaskArray array = work_.add(points);
    std::string job;
    try {
      job = submit_array(array, experiment_.jobs, options_.slurm, signals_);
    } catch (const ConfigError&) {
      WorkFolder::forget(array);  // or the next call would wait for it
      throw;
    }
    WorkFolder::note_job(array, job);
    spdlog::info("job {}: {} in {}", array.job, counted(static_cast<std::int64_t>(indices.size()), "point"),
                 counted(static_cast<std::int64_t>(points.size()), "task"));
    for (std::size_t i = 0; i < array.tasks.size(); ++i) open(array, i);
  }

  /// Takes what has come, and submits again what got lost. The queue is asked before the files are looked for, so that
  /// no task ends unseen in between.
  void look() {
    std::string why;
    const std::vector<std::string> asked = jobs();
    const auto queued = queued_tasks({asked.begin(), asked.end()}, signals_, why);
    if (StopSignals::caught() != 0) return;
    if (!queued && !queue_is_silent_) spdlog::warn("squeue does not answer, asking on: {}", why);
    queue_is_silent_ = !queued;
    if (queued) hindrances_.tell(*queued);
    std::erase_if(late_, [this](const OpenTask& task) { return collected(task); });
    std::vector<OpenTask> lost;
    std::set<QueuedTask> given_up;
    for (OpenTask& task : std::exchange(open_, {})) {
      if (collected(task)) {
        if (!still_missing(task.points).empty()) lost.push_back(task);
        continue;
      }
      if (queued) note_whether_gone(task, is_gone(*queued, task));
      const bool is_lost = task.gone_since && Clock::now() - *task.gone_since >= options_.patience;
      (is_lost ? lost : open_).push_back(task);
      if (!is_lost) continue;
      late_.push_back(task);
      if (queued && queued->contains({task.job, task.index})) given_up.emplace(task.job, task.index);
    }
    cancel_tasks(given_up, signals_);
    submit_again(lost);
  }

  /// Or as good as gone: nobody but a person would start it again.
  static bool is_gone(const QueuedTasks& queue, const OpenTask& task) {
    const auto found = queue.find({task.job, task.index});
    return found == queue.end() || hindrance_of(found->second) == Hindrance::kGivenUp;
  }

  static void note_whether_gone(OpenTask& task, bool gone) {
    if (!gone) {
      task.gone_since.reset();
    } else if (!task.gone_since) {
      task.gone_since = Clock::now();
    }
  }

  /// Whether its answer is here, and taken.
  bool collected(const OpenTask& task) {
    const auto answer = answer_of(task.array, task.index);
    if (!answer) return false;
    if (!answer->refusal.empty()) {
      throw ConfigError("task " + std::to_string(task.index) + " of job " + task.job + " refused: " + answer->refusal);
    }
    take(answer->rows, true);
    return true;
  }

  /// In twice as many tasks, for what was too much for one of them; a point that got lost too often has failed.
  void submit_again(const std::vector<OpenTask>& lost) {
    std::vector<std::size_t> again;
    for (const OpenTask& task : lost) {
      for (const std::size_t index : still_missing(task.points)) {
        if (submissions_[index] < kMostSubmissions) {
          again.push_back(index);
          continue;
        }
        Row row;
        row.point = evaluations_[index]->point;
        row.status = "failed";
        row.reason = "its task ended " + std::to_string(kMostSubmissions) +
                     " times without a row; the last one, task " + std::to_string(task.index) + " of job " + task.job +
                     ", " + last_words(task);
        take({row}, true);
      }
    }
    if (again.empty()) return;
    std::ranges::sort(again);
    spdlog::warn("{} ended without all of {} rows, {} are submitted again; the first {}",
                 counted(static_cast<std::int64_t>(lost.size()), "task"), lost.size() == 1 ? "its" : "their",
                 counted(static_cast<std::int64_t>(again.size()), "point"), last_words(lost.front()));
    submit(again, std::min(2 * lost.size(), options_.tasks));
  }

  const Experiment& experiment_;
  const ClusterOptions& options_;
  WorkFolder& work_;
  const std::vector<const Evaluation*>& evaluations_;
  const ExecutorEvents& events_;
  StopSignals signals_;
  std::map<std::string, std::size_t> missing_;  ///< points without a row: their evaluation
  std::vector<int> submissions_;                ///< of each evaluation, in this call
  std::vector<OpenTask> open_;
  std::vector<OpenTask> late_;  ///< given up, but should rows come all the same, they are taken
  bool queue_is_silent_ = false;
  Hindrances hindrances_;
};

}  // namespace

int SlurmExecutor::simulate(const std::vector<const Evaluation*>& evaluations, const ExecutorEvents& events) {
  Waiting waiting(experiment_, options_, work_, evaluations, events);
  return waiting.until_done();
}

}  // namespace kernbench
