#include "benches/cli/children.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <utility>

#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/results_json.hpp"
#include "benches/harness/run/progress.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {

void ChildOptions::add_jobs(CLI::App& app) {
  app.add_option("--jobs,-j", jobs, "Simulations at a time; 0: one for each core")
      ->transform(whole_number(0, 4096))
      ->type_name("N")
      ->capture_default_str();
}

void ChildOptions::add_timeout(CLI::App& app) {
  app.add_option("--timeout", timeout_s, "Give up a simulation after so many seconds of real time; 0: never")
      ->transform(seconds_or_none())
      ->type_name("SECONDS")
      ->capture_default_str();
}

std::vector<Outcome> run_children(const std::string& title, const std::vector<Work>& works, const ChildOptions& options,
                                  const std::function<void()>& clean_up) {
  const auto shows = works.size() > 1 ? Progress::Shows::kBar : Progress::Shows::kNothing;
  Progress progress(title, works.size(), 0, static_cast<double>(works.size()), shows);
  IsolationOptions isolation;
  isolation.jobs = options.jobs;
  isolation.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
  isolation.on_done = [&progress](std::size_t, const Outcome& outcome) { progress.point_done("", 1, !outcome.ok); };
  isolation.on_tick = [&progress] { progress.draw(); };
  IsolationReport report = run_isolated(works, isolation);
  progress.clear();
  std::vector<Outcome> outcomes;
  for (std::optional<Outcome>& outcome : report.outcomes) {
    outcomes.push_back(outcome ? std::move(*outcome) : Outcome{false, "", "interrupted", ""});
  }
  if (clean_up && std::ranges::any_of(outcomes, [](const Outcome& outcome) { return !outcome.ok; })) clean_up();
  if (report.stopped_by != 0) std::raise(report.stopped_by);  // ends this process the way its user asked for
  return outcomes;
}

Work row_work(std::function<Row()> simulate) {
  return [simulate = std::move(simulate)] {
    try {
      const std::clock_t begin = std::clock();
      const Row row = simulate();
      const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      return Json{{"row", row_to_json(row)}, {"cpu_s", cpu_s}}.dump();
    } catch (const ConfigError& error) {
      return Json{{"wrong_input", error.what()}}.dump();
    }
  };
}

RowAnswer row_answer(const Outcome& outcome) {
  RowAnswer answer;
  if (!outcome.ok) {
    answer.row.status = "failed";
    answer.row.reason = outcome.reason;
    return answer;
  }
  const Json json = Json::parse(outcome.payload);
  if (json.contains("wrong_input")) throw ConfigError(json["wrong_input"].get<std::string>());
  answer.row = row_from_json(json["row"], "the simulation's result");
  answer.cpu_s = json["cpu_s"];
  return answer;
}

}  // namespace kernbench
