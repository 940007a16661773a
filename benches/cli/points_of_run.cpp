#include "benches/cli/points_of_run.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "benches/cli/machine_options.hpp"
#include "benches/experiments/search/sample.hpp"
#include "benches/experiments/whatif/bench_axes.hpp"
#include "benches/experiments/whatif/key_axes.hpp"
#include "benches/experiments/whatif/points_file.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "benches/io/program/option_values.hpp"
#include "benches/io/text/lists.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/shell.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::vector<std::string> terms_of(const std::string& only) {
  return only.empty() ? std::vector<std::string>{} : list_items("--only", only);
}

/// "m" of "m=16,32".
std::string axis_in(const std::string& text) { return std::string(trimmed(text.substr(0, text.find('=')))); }

/// The bench with what is injected into all of its points, as the value of its axis `inject`.
Bench with_injections(Bench bench, const std::vector<std::string>& injections) {
  if (injections.empty()) return bench;
  const auto axis = std::ranges::find(bench.axes, "inject", &Axis::name);
  if (axis == bench.axes.end()) {
    throw ConfigError("--inject: expected a bench that something can be injected into, as overlap-sweep; " +
                      bench.name + " has no axis inject");
  }
  axis->values = {read_value(*axis, "--inject", joined(injections, "; "))};
  return bench;
}

bool has_axis(const Bench& bench, const std::string& name) {
  return std::ranges::count(bench.axes, name, &Axis::name) > 0;
}

/// Points of a file are added up: not those of several values that nobody has asked for.
void require_one_work(const Bench& bench, const std::vector<std::string>& sweeps) {
  for (const Axis& axis : bench.axes) {
    const auto is_of_axis = [&axis](const std::string& sweep) { return sweep.starts_with(axis.name + "="); };
    if (!axis.open || axis.values.size() == 1 || is_machine_axis(axis) || std::ranges::any_of(sweeps, is_of_axis)) {
      continue;
    }
    throw ConfigError("--points: bench " + bench.name + " has " + std::to_string(axis.values.size()) + " values of " +
                      axis.name + ": expected --only " + axis.name + "=VALUE, or a column of that name");
  }
}

/// A count beside others that the file gives is a part of the work: not what the bench has for whoever names none.
void require_counts(const Bench& registered, const Bench& of_file, const PointsOfRun& asked) {
  const std::set<std::string> named = asked.named_axes();
  std::string column;
  std::string missing;
  for (const Axis& axis : registered.axes) {
    if (!axis.open || axis.open->dimension != Dimension::kCount) continue;
    if (axis.values.front().fields == Json::object()) continue;  // quiet: it is no part of most work
    if (!has_axis(of_file, axis.name)) {
      if (column.empty()) column = axis.name;
    } else if (missing.empty() && !named.contains(axis.name)) {
      missing = axis.name;
    }
  }
  if (column.empty() || missing.empty()) return;
  throw ConfigError("--points " + asked.points + ": it has a column " + column + " and none " + missing +
                    ": expected one, --only " + missing + "=VALUE or --sweep " + missing + "=VALUES");
}

/// Why the machine cannot do the point; empty where it can.
std::string refusal_of(const Bench& bench, const MachineSpec& machine, const Point& point) {
  try {
    if (bench.check) bench.check(machine, point);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

std::set<std::string> PointsOfRun::named_axes() const {
  std::vector<std::string> texts = sweeps;
  for (const std::string& term : terms_of(only)) texts.push_back(term);
  std::set<std::string> names;
  for (const std::string& text : texts) names.insert(axis_in(text));
  return names;
}

std::vector<std::string> PointsOfRun::check(const Bench& bench, const MachineSpec& machine,
                                            std::vector<LabelledPoint>& all) const {
  const std::set<std::string> named = named_axes();
  const auto asked_of = [&](const LabelledPoint& point) {
    std::vector<std::string> asked;
    for (std::size_t i = 0; i < bench.axes.size(); ++i) {
      if (named.contains(bench.axes[i].name)) asked.push_back(point.labels[i]);
    }
    return asked;
  };
  std::vector<std::string> refusals;
  std::set<std::vector<std::string>> possible;
  for (const LabelledPoint& point : all) {
    refusals.push_back(refusal_of(bench, machine, point.point));
    if (refusals.back().empty()) possible.insert(asked_of(point));
  }
  std::vector<LabelledPoint> left;
  std::map<std::string, std::vector<std::string>> refused;  // by reason, the points' names
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (refusals[i].empty()) {
      left.push_back(std::move(all[i]));
      continue;
    }
    if (!points.empty()) throw ConfigError("--points: " + all[i].name + ": " + refusals[i]);
    if (!possible.contains(asked_of(all[i]))) throw ConfigError(refusals[i]);
    refused[refusals[i]].push_back(all[i].name);
  }
  all = std::move(left);
  std::vector<std::string> why;
  for (const auto& [reason, names] : refused) {
    why.push_back(counted(std::ssize(names), "point") + " left out, such as " + names.front() + ", since " +
                  machine.name + " cannot do it: " + reason);
  }
  return why;
}

void PointsOfRun::add_to(CommandSpec& command) {
  command
      .add_option(
          "--points", points,
          "A CSV file of points: columns are axes of the bench, `name`, and `count`, how often each is run; the "
          "sum of all is told")
      .type_name("FILE")
      .reads();
  command
      .add_option("--sweep", sweeps,
                  "A key of the machine, or an axis of the bench, over values: 16,32,64 or 128..1024*2 'GB/s' or "
                  "4..16+4, or rows by columns: die.routers=2x4,4x4; several make a grid")
      .type_name("KEY=VALUES")
      .one_value_each();
  command.add_option("--link", links, "Another key gets the value of a swept one")
      .type_name("KEY=SWEPT")
      .one_value_each();
  command.add_option("--where", conditions, "Only machines of the sweep of which this holds, as of search")
      .type_name("CONDITION")
      .one_value_each();
  const Option& of_sample =
      command
          .add_option("--sample", sample,
                      "Not all of the grid but so many machines of it: sobol:64 (a Sobol sequence) or lhs:64 (a Latin "
                      "hypercube)")
          .type_name("KIND:COUNT");
  command.add_option("--seed", seed, "Of --sample: the same seed, the same machines")
      .rule(whole_number(0, 4'000'000'000))
      .type_name("N")
      .show_default()
      .needs(of_sample);
  command.add_option("--only", only, "Only points with these values; rows of the others are kept")
      .type_name("AXIS=VALUE,...");
  command
      .add_option("--inject", injections,
                  "Disturb a training run on purpose (overlap-sweep): rank=2,steps=3..5,clock=0.9, or delay=200us, or "
                  "gemm=layer1.wgrad,extra=50us; may be given several times")
      .type_name("INJECTION")
      .one_value_each();
}

std::string PointsOfRun::given() const {
  std::string line;
  if (!points.empty()) line += " --points " + quoted_for_shell(points);
  for (const std::string& sweep : sweeps) line += " --sweep " + quoted_for_shell(sweep);
  for (const std::string& link : links) line += " --link " + quoted_for_shell(link);
  for (const std::string& condition : conditions) line += " --where " + quoted_for_shell(condition);
  if (!sample.empty()) line += " --sample " + sample + " --seed " + std::to_string(seed);
  if (!only.empty()) line += " --only " + quoted_for_shell(only);
  for (const std::string& injection : injections) line += " --inject " + quoted_for_shell(injection);
  return line;
}

Bench PointsOfRun::swept_bench(const Bench& registered, const MachineSpec& machine) const {
  const auto [bench, keys] = with_own_axes(with_injections(registered, injections), "--sweep", sweeps, only);
  if (!keys.empty()) require_any_machine(bench, "--sweep " + keys.front());
  const std::vector<Axis> axes = key_axes("--sweep", keys, links, machine);
  if (axes.empty()) {
    const char* const expected = ": expected a --sweep of a key of the machine, of whose machines it ";
    if (!conditions.empty()) throw ConfigError("--where" + std::string(expected) + "selects");
    if (!sample.empty()) throw ConfigError("--sample" + std::string(expected) + "takes some");
    require_listable(bench);
    return with_figures(bench);
  }
  const std::vector<Condition> wanted = machine_conditions(conditions);
  for (const Condition& condition : wanted) condition.require_known(machine);
  if (sample.empty()) return with_conditions(swept(bench, axes), axes, wanted, machine);
  const Axis sampled = sampled_axis(axes, sample, static_cast<std::uint32_t>(seed), wanted, machine);
  Bench sweep = swept(bench, {sampled});
  sweep.figures = [sweep, sampled](const Results& simulated, const Results&) {
    return std::vector<Figure>{sample_figure(sweep, sampled, simulated)};
  };
  return sweep;
}

Bench PointsOfRun::bench_of(const Bench& registered, const MachineSpec& machine, bool fast) const {
  if (fast && !(sweeps.empty() && points.empty())) {
    throw ConfigError(std::string(sweeps.empty() ? "--points" : "--sweep") +
                      ": expected no --fast beside it: there are no committed results");
  }
  if (points.empty()) return swept_bench(registered, machine);
  const Bench of_file = with_points(registered, points);
  for (const std::string& term : terms_of(only)) {
    const std::string axis = axis_in(term);
    if (!has_axis(registered, axis) || has_axis(of_file, axis)) continue;
    throw ConfigError("--only " + term + ": " + axis + " is a column of " + points +
                      ", of whose lines --only point=NAME takes some");
  }
  Bench bench = with_totals(swept_bench(of_file, machine), of_file);
  require_one_work(bench, sweeps);
  require_counts(registered, of_file, *this);
  return bench;
}

}  // namespace kernbench
