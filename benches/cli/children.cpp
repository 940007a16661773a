#include "benches/cli/children.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <ctime>
#include <optional>
#include <utility>

#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/results_json.hpp"
#include "benches/harness/run/progress.hpp"
#include "benches/harness/run/waiting_line.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/calendar.hpp"

namespace kernbench {
namespace {

IsolationOptions isolation_of(const ChildOptions& options, int works) {
  IsolationOptions isolation;
  isolation.jobs = std::clamp(options.jobs > 0 ? options.jobs : available_cores(), 1, std::max(works, 1));
  isolation.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.timeout_s * 1000));
  isolation.memory = options.memory.limit().bytes / isolation.jobs;
  return isolation;
}

}  // namespace

void ChildOptions::add_jobs(CommandSpec& command) {
  command.add_option("--jobs,-j", jobs, "Simulations at a time; 0: one for each core")
      .rule(whole_number(0, 4096))
      .type_name("N")
      .show_default();
}

void ChildOptions::add_limits(CommandSpec& command) {
  command.add_option("--timeout", timeout_s, "Give up planning, or a simulation, after so many seconds; 0: never")
      .rule(seconds_or_none())
      .type_name("SECONDS")
      .show_default();
  memory.add_to(command);
}

ChildOptions ChildOptions::fitted(const std::vector<MemoryNeed>& needs) const {
  ChildOptions fitted = *this;
  const int wanted = std::min(jobs > 0 ? jobs : available_cores(), std::max(static_cast<int>(needs.size()), 1));
  fitted.jobs = memory.limit().jobs_that_fit(needs, wanted);
  if (fitted.jobs < wanted)
    spdlog::info("{} at a time instead of {}: more would not fit --memory", fitted.jobs, wanted);
  return fitted;
}

std::string plan_in_child(const ChildOptions& options, const std::function<std::string()>& plan) {
  const Work work = [&plan] {
    try {
      return Json{{"planned", plan()}}.dump();
    } catch (const ConfigError& error) {
      return Json{{"wrong_input", error.what()}}.dump();
    }
  };
  WaitingLine line("planning");
  IsolationOptions isolation = isolation_of(options, 1);
  isolation.on_tick = [&line] { line.draw(); };
  IsolationReport report = run_isolated({work}, isolation);
  line.clear();
  if (report.stopped_by != 0) std::raise(report.stopped_by);  // ends this process the way its user asked for
  const Outcome outcome = report.outcomes.front().value_or(Outcome{false, "", "interrupted", ""});
  if (!outcome.ok) throw SimulationError("planning: " + outcome.reason);
  const Json json = Json::parse(outcome.payload);
  if (json.contains("wrong_input")) throw ConfigError(json["wrong_input"].get<std::string>());
  return json["planned"];
}

std::vector<Outcome> run_children(const std::string& title, const std::vector<Work>& works, const ChildOptions& options,
                                  const std::function<void()>& clean_up) {
  const auto shows = works.size() > 1 ? Progress::Shows::kBar : Progress::Shows::kNothing;
  Progress progress(title, works.size(), 0, static_cast<double>(works.size()), shows);
  IsolationOptions isolation = isolation_of(options, static_cast<int>(works.size()));
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
    } catch (const TimeLimitError& error) {
      return Json{{"over_time", error.what()}}.dump();
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
  if (json.contains("over_time")) {
    answer.over_time = true;
    answer.row.status = "failed";
    answer.row.reason = json["over_time"];
    return answer;
  }
  answer.row = row_from_json(json["row"], "the simulation's result");
  answer.cpu_s = json["cpu_s"];
  return answer;
}

}  // namespace kernbench
