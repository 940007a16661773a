#include "benches/cli/search_report.hpp"

#include <algorithm>
#include <cmath>

#include "benches/experiments/search/search_figures.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

constexpr std::size_t kMostOfFront = 24;  ///< rows of its table

std::string label_at(const Axis& axis, std::size_t value) { return axis.values[value].label; }

/// Why the choice is none, or how its goal compares with the best's.
TableCell compared(const SearchReport& report, const Choice& choice) {
  const Candidate& best = report.found.tried[*report.found.best];
  const auto found = std::ranges::find(report.found.tried, choice, &Candidate::choice);
  if (found == report.found.tried.end()) return report.space->allows(choice) ? "not tried" : "no machine";
  if (found->values.empty()) return {found->row.status, Style::kRed};
  if (found->missed > 0) return {"misses", Style::kYellow};
  const double from = best.values.front();
  const double change = (found->values.front() - from) / (from == 0 ? 1 : std::abs(from));
  return change == 0 ? "=" : (change > 0 ? "+" : "") + percent(change);
}

TableCell beside(const SearchReport& report, std::size_t axis, int step) {
  Choice choice = report.found.tried[*report.found.best].choice;
  if (step < 0 ? choice[axis] == 0 : choice[axis] + 1 == report.space->axes()[axis].values.size()) return "";
  choice[axis] += static_cast<std::size_t>(step);
  TableCell cell = compared(report, choice);
  cell.text = label_at(report.space->axes()[axis], choice[axis]) + ": " + cell.text;
  return cell;
}

std::string format_best(const SearchReport& report, const Terminal& terminal) {
  const Candidate& best = report.found.tried[*report.found.best];
  Table table({{"key"},
               {"as it is", Align::kRight},
               {"best", Align::kRight},
               {"one value less", Align::kRight, 1},
               {"one value more", Align::kRight, 1}});
  for (std::size_t i = 0; i < report.space->axes().size(); ++i) {
    const Axis& axis = report.space->axes()[i];
    table.add_row({axis.name,
                   report.space->own_value(i),
                   {label_at(axis, best.choice[i]), Style::kGreen},
                   beside(report, i, -1),
                   beside(report, i, 1)});
  }
  return table.format(terminal);
}

/// "12.3, and meets every target", "misses mac_util >= 0.8", or why it does not run.
std::string outcome_of(const Question& question, const MachineSpec& machine, const Candidate& candidate) {
  if (candidate.values.empty()) return candidate.row.status + ": " + candidate.row.reason;
  std::vector<std::string> missed;
  for (const Condition& target : question.targets) {
    if (!target.holds(machine, &candidate.row)) missed.push_back(target.text());
  }
  std::string text = short_number(candidate.values.front());
  if (!missed.empty()) text += ", misses " + joined(missed, ", ");
  return text;
}

std::string limit_line(const Candidate& candidate) {
  const std::string limit = limit_text(candidate.row);
  return limit.empty() ? "" : "; limited by " + limit;
}

std::string best_facts(const SearchReport& report, const Terminal& terminal) {
  const Question& question = *report.question;
  const Candidate& best = report.found.tried[*report.found.best];
  std::string text = fact("best", short_number(best.values.front()) + limit_line(best), terminal);
  if (report.base) {
    text += fact("as it is", outcome_of(question, *report.machine, *report.base) + limit_line(*report.base), terminal);
  }
  text += fact("settings", joined(report.space->settings(best.choice), ", "), terminal);
  if (!report.confirmed.empty()) text += fact("confirmed", report.confirmed, terminal);
  if (report.random) {
    std::string random = "as many machines drawn at random: none meets the targets";
    if (report.random->best) {
      const double value = report.random->tried[*report.random->best].values.front();
      const double from = best.values.front();
      const double gap = std::abs(value - from) / (from == 0 ? 1 : std::abs(from));
      random = "the best of as many machines drawn at random is " + short_number(value) +
               (value == best.values.front()
                    ? ", the same"
                    : ", " + percent(gap) +
                          ((value > best.values.front()) != question.goals.front().maximise ? " worse" : " better"));
    }
    text += fact("at random", random, terminal);
  }
  return text;
}

/// Why no machine meets the targets: the one that misses them least.
std::string nothing_found(const SearchReport& report, const Terminal& terminal) {
  const Candidate* nearest = nullptr;
  for (const Candidate& one : report.found.tried) {
    if (!one.values.empty() && (nearest == nullptr || one.missed < nearest->missed)) nearest = &one;
  }
  if (nearest == nullptr) {
    return styled("No machine that was tried has the goal: ", Style::kYellow, terminal.colours) +
           report.found.tried.front().row.reason + "\n";
  }
  const std::string text =
      styled("No machine that was tried meets the targets.", Style::kYellow, terminal.colours) + "\n";
  return text +
         fact("nearest", outcome_of(*report.question, report.space->machine(nearest->choice), *nearest), terminal) +
         fact("settings", joined(report.space->settings(nearest->choice), ", "), terminal);
}

std::string format_front(const SearchReport& report, const Terminal& terminal) {
  std::vector<TableColumn> columns;
  for (const std::string& goal : goal_texts(report.question->goals)) columns.push_back({goal, Align::kRight});
  for (const Axis& axis : report.space->axes()) columns.push_back({axis.name, Align::kRight, 1});
  columns.push_back({"limited by", Align::kLeft, 2});
  Table table(columns);
  const std::size_t count = report.found.front.size();
  const std::size_t every = (count + kMostOfFront - 1) / kMostOfFront;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % every != 0 && i + 1 != count) continue;
    const Candidate& one = report.found.tried[report.found.front[i]];
    std::vector<TableCell> cells;
    for (const double value : one.values) cells.emplace_back(short_number(value));
    for (std::size_t axis = 0; axis < one.choice.size(); ++axis) {
      cells.emplace_back(label_at(report.space->axes()[axis], one.choice[axis]));
    }
    cells.emplace_back(limit_text(one.row));
    table.add_row(std::move(cells));
  }
  std::string text = "No other machine that was tried is better in one of these without being worse in another:\n\n";
  text += table.format(terminal);
  if (every > 1) {
    text += "(" + std::to_string(count) + " of them; one of " + std::to_string(every) + " is shown, --json has all)\n";
  }
  return text;
}

std::string share_text(const Share& share) {
  if (share.least == share.most) return formatted("%.2f", share.value);
  return formatted("%.2f", share.value) + formatted(" (%.2f", share.least) + formatted(" to %.2f)", share.most);
}

std::string format_influence(const SearchReport& report, const Terminal& terminal) {
  const Sensitivity& influence = *report.influence;
  std::string text = fact("metric", report.influence_of, terminal);
  text +=
      fact("over",
           "mean " + short_number(influence.mean) + ", standard deviation " + short_number(influence.deviation) + "; " +
               counted(static_cast<std::int64_t>(influence.samples), influence.is_exact ? "choice" : "sample"),
           terminal);
  if (influence.left_out > 0) {
    text += fact("left out",
                 counted(static_cast<std::int64_t>(influence.left_out), "sample") +
                     " of which a machine does not exist, does not run or has no finite value",
                 terminal);
  }
  if (influence.axes.empty()) {
    return text + (influence.samples == 0 ? "No sample is left.\n" : "It does not vary over these machines.\n");
  }
  Table table({{"share of the variance"}, {"alone", Align::kRight}, {"with others", Align::kRight}});
  for (const std::size_t i : by_influence(influence)) {
    table.add_row(
        {report.space->axes()[i].name, share_text(influence.axes[i].first), share_text(influence.axes[i].total)});
  }
  return text + "\n" + table.format(terminal) +
         (influence.is_exact ? "(exact: of every choice)\n" : "(in brackets: 95 % confidence)\n");
}

/// A row a key.
std::vector<Row> influence_rows(const SearchReport& report) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < report.influence->axes.size(); ++i) {
    const AxisInfluence& axis = report.influence->axes[i];
    Row& row = rows.emplace_back();
    row.point = {{"sensitivity_of", report.influence_of}, {"key", report.space->axes()[i].name}};
    for (const auto& [name, share] :
         {std::pair("share_alone", axis.first), std::pair("share_with_others", axis.total)}) {
      row.metrics.json()[name] = share.value;
      row.metrics.json()[std::string(name) + ".least"] = share.least;
      row.metrics.json()[std::string(name) + ".most"] = share.most;
    }
  }
  return rows;
}

/// Of those that were tried.
std::vector<std::size_t> answers_of(const Found& found) {
  std::vector<std::size_t> answers = found.front;
  if (found.best) answers.push_back(*found.best);
  return answers;
}

/// The answers, then the others in the order in which they were tried.
std::vector<std::size_t> order_of(const Found& found) {
  std::vector<std::size_t> order = answers_of(found);
  std::vector<bool> is_answer(found.tried.size(), false);
  for (const std::size_t answer : order) is_answer[answer] = true;
  for (std::size_t i = 0; i < found.tried.size(); ++i) {
    if (!is_answer[i]) order.push_back(i);
  }
  return order;
}

}  // namespace

std::string format_search(const SearchReport& report, const Terminal& terminal) {
  const Question& question = *report.question;
  std::string text = styled(report.title, Style::kBold, terminal.colours) + "\n";
  if (!question.goals.empty()) text += fact("goal", joined(goal_texts(question.goals), ", "), terminal);
  for (const Condition& target : question.targets) text += fact("with", target.text(), terminal);
  text += fact("among",
               short_number(report.space->size()) + " choices of " +
                   counted(static_cast<std::int64_t>(report.space->axes().size()), "key"),
               terminal) +
          "\n";
  if (report.influence) text += format_influence(report, terminal) + "\n";
  if (question.goals.empty()) return text;
  if (question.goals.size() > 1) {
    text += report.found.front.empty() ? nothing_found(report, terminal) : format_front(report, terminal);
  } else if (!report.found.best) {
    text += nothing_found(report, terminal);
  } else {
    text += format_best(report, terminal) + "\n" + best_facts(report, terminal);
  }
  std::string runs = counted(static_cast<std::int64_t>(report.found.tried.size()), "machine") + " simulated";
  if (report.found.all) {
    runs += ": every one that there is";
  } else if (report.found.no_neighbour_is_better) {
    runs += "; none beside the best, one value less or more of one key, is better";
  }
  if (report.known > 0) runs += "; " + counted(static_cast<std::int64_t>(report.known), "run") + " known from before";
  return text + fact("runs", runs, terminal);
}

std::vector<Row> rows_of(const SearchReport& report) {
  const std::vector<Candidate>& tried = report.found.tried;
  const std::size_t answers = answers_of(report.found).size();
  std::vector<Row> rows = report.influence ? influence_rows(report) : std::vector<Row>{};
  const std::vector<std::string> goals = goal_texts(report.question->goals);
  const std::vector<std::size_t> order = order_of(report.found);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const Candidate& one = tried[order[place]];
    Row row = one.row;
    row.point = Json::object();
    for (const std::string& setting : report.space->settings(one.choice)) {
      const std::size_t equals = setting.find('=');
      row.point[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
    for (std::size_t goal = 0; goal < one.values.size(); ++goal) row.metrics.json()[goals[goal]] = one.values[goal];
    if (!one.values.empty() && one.missed > 0) row.flags.emplace_back("misses_target");
    if (place < answers) row.flags.emplace_back(report.found.best ? "best" : "front");
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<std::size_t> places_of_tried(const SearchReport& report) {
  const std::size_t before = report.influence ? report.influence->axes.size() : 0;
  const std::vector<std::size_t> order = order_of(report.found);
  std::vector<std::size_t> places(order.size());
  for (std::size_t place = 0; place < order.size(); ++place) places[order[place]] = before + place;
  return places;
}

}  // namespace kernbench
