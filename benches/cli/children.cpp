#include "benches/cli/children.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "benches/experiments/run/waiting_line.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/json.hpp"
#include "benches/io/text/progress.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {

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

IsolationOptions ChildOptions::isolation(int works) const {
  IsolationOptions isolation;
  isolation.jobs = std::clamp(jobs > 0 ? jobs : available_cores(), 1, std::max(works, 1));
  isolation.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_s * 1000));
  isolation.memory = memory.limit().bytes / isolation.jobs;
  return isolation;
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
  IsolationOptions isolation = options.isolation(1);
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
  IsolationOptions isolation = options.isolation(static_cast<int>(works.size()));
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

}  // namespace kernbench
