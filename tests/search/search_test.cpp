// What a search finds, against every choice of the space.
#include "benches/experiments/search/search.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <set>

#include "benches/workloads/selection.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/support/toy_bench.hpp"

using namespace kernbench;

namespace {

const Bench kBench = toy_bench();
const std::vector<LabelledPoint> kPoints = select_points(kBench, "");
const MachineSpec kMachine = milestone();

/// Three keys with 10, 9 and 8 values.
Space space_of(const std::vector<std::string>& where = {}) {
  std::vector<Condition> conditions;
  for (const std::string& text : where) conditions.emplace_back("--where", text);
  return {kMachine, kBench,
          kPoints,  {"pe.stream_depth=1..10", "pe.output_depth=1..9", "pe.mac.operand_registers=1..8"},
          {},       std::move(conditions)};
}

/// Time and price of a choice: a pipeline as slow as its slowest stage, where each stage has a price.
EvaluateChoices pipeline(std::size_t& runs) {
  return [&runs](const std::vector<Choice>& choices) {
    std::vector<Row> rows;
    for (const Choice& choice : choices) {
      ++runs;
      const auto a = static_cast<double>(choice[0] + 1);
      const auto b = static_cast<double>(choice[1] + 1);
      const auto c = static_cast<double>(choice[2] + 1);
      Row row;
      row.metrics.json()["time_ns"] = std::max({40 / a, 30 / b, 20 / c}) + 0.1 / (a * b * c);
      row.metrics.json()["price"] = 3 * a + 2 * b + c;
      rows.push_back(row);
    }
    return rows;
  };
}

Question question_of(const std::vector<std::string>& least, const std::vector<std::string>& targets, std::size_t budget,
                     std::uint32_t seed = 1) {
  Question question;
  for (const std::string& text : least) question.goals.push_back(goal_of("--minimise", text, false));
  for (const std::string& text : targets) question.targets.emplace_back("--target", text);
  question.budget = budget;
  question.seed = seed;
  return question;
}

Found found_for(const std::vector<std::string>& least, const std::vector<std::string>& targets, std::size_t budget,
                std::uint32_t seed = 1, const std::vector<std::string>& where = {}) {
  std::size_t runs = 0;
  const Space space = space_of(where);
  const Question question = question_of(least, targets, budget, seed);
  return search(space, question, pipeline(runs));
}

double best_value(const Found& found) { return found.tried.at(found.best.value()).values.front(); }

bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

}  // namespace

TEST_SUITE("ADR-0038") {
  TEST_CASE("38.6 what was drawn at random and is better is the answer") {
    std::size_t runs = 0;
    const Space space = space_of();
    const Question one = question_of({"time_ns"}, {}, 500);
    const Found few = random_search(space, question_of({"time_ns"}, {}, 500, 7), pipeline(runs), 3);
    const Found many = random_search(space, one, pipeline(runs), 300);
    REQUIRE(best_value(many) < best_value(few));
    Found found = few;
    count_in(found, many, one);
    CHECK(best_value(found) == best_value(many));
    CHECK(found.tried.size() == 4);
    Found best = many;
    count_in(best, few, one);
    CHECK(best.best == many.best);
    CHECK(best.tried.size() == many.tried.size());

    const Question two = question_of({"time_ns", "price"}, {}, 500);
    Found front = random_search(space, question_of({"time_ns", "price"}, {}, 500, 7), pipeline(runs), 20);
    const Found drawn = random_search(space, two, pipeline(runs), 300);
    count_in(front, drawn, two);
    for (const std::size_t i : front.front) {
      for (const Candidate& other : drawn.tried) CHECK_FALSE(beats(other.values, front.tried[i].values));
    }
  }

  TEST_CASE("38.5 with a budget for all of them every choice is tried, and the best is the best") {
    const Found found = found_for({"price"}, {"time_ns <= 10"}, 720);
    CHECK(found.all);
    CHECK(found.tried.size() == 720);
    // 40/a <= 10 less a little: a = 5, b = 4, c = 3.
    CHECK(found.tried.at(found.best.value()).choice == Choice{4, 3, 2});
    CHECK(best_value(found) == 3 * 5 + 2 * 4 + 3);
  }

  TEST_CASE("38.5 a tenth of the grid finds the known best, for every seed") {
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
      const Found found = found_for({"price"}, {"time_ns <= 10"}, 72, seed);
      CHECK_FALSE(found.all);
      CHECK(found.tried.size() <= 72);
      CHECK(best_value(found) == 26);
    }
  }

  TEST_CASE("38.5 no choice is simulated twice, none beyond the budget, and the seed decides all") {
    CHECK(rc::check([] {
      const auto budget = static_cast<std::size_t>(*rc::gen::inRange(1, 300));
      const auto seed = static_cast<std::uint32_t>(*rc::gen::inRange(0, 1'000'000));
      std::size_t runs = 0;
      const Space space = space_of({"pe.stream_depth + pe.output_depth > 3"});
      const Question question = question_of({"time_ns*price"}, {}, budget, seed);
      const Found found = search(space, question, pipeline(runs));
      RC_ASSERT(runs == found.tried.size());
      RC_ASSERT(runs <= budget);
      std::set<Choice> different;
      for (const Candidate& one : found.tried) {
        different.insert(one.choice);
        RC_ASSERT(space.allows(one.choice));
        RC_ASSERT(one.values.front() >= best_value(found));
      }
      RC_ASSERT(different.size() == runs);
      const Found again = search(space, question, pipeline(runs));
      RC_ASSERT(again.tried.size() == found.tried.size());
      for (std::size_t i = 0; i < found.tried.size(); ++i) RC_ASSERT(again.tried[i].choice == found.tried[i].choice);
    }));
  }

  TEST_CASE("38.5 the best is no worse than its neighbours where that is said") {
    const Found found = found_for({"time_ns + price/10"}, {}, 150);
    REQUIRE(found.no_neighbour_is_better);
    const Choice best = found.tried.at(found.best.value()).choice;
    std::size_t beside = 0;
    for (const Candidate& one : found.tried) {
      std::size_t steps = 0;
      for (std::size_t i = 0; i < best.size(); ++i) {
        steps += std::max(best[i], one.choice[i]) - std::min(best[i], one.choice[i]);
      }
      if (steps != 1) continue;
      ++beside;
      CHECK(one.values.front() >= best_value(found));
    }
    CHECK(beside >= 3);
    CHECK_FALSE(found_for({"time_ns + price/10"}, {}, 3).no_neighbour_is_better);
  }

  TEST_CASE("38.4 a goal has the name that it is given, else its text") {
    const Row row;
    const Goal named = goal_of("--minimise", "size = pe.tcm.capacity / 1 MiB", false);
    CHECK(named.name == "size");
    CHECK(named.expression.value(milestone({"pe.tcm.capacity=8 MiB"}), &row) == 8);
    CHECK(goal_of("--minimise", "time_ns", false).name == "time_ns");
    CHECK(goal_of("--minimise", "pe.tcm.capacity*die.routers + die.sram.capacity", false).name ==
          "pe.tcm.capacity*die.rout…");
    CHECK(::error_of([] { static_cast<void>(goal_of("--minimise", "size = ", false)); }).find("--minimise : ") == 0);
    CHECK(::error_of([] {
            static_cast<void>(goal_of("--minimise", "pe.clock = price", false));
          }).find("expected a name that no key of the machine has") != std::string::npos);
    CHECK(::error_of([] { static_cast<void>(found_for({"time_ns = price"}, {}, 10)); }) ==
          "a goal is called time_ns: expected a name that no metric has");
  }

  TEST_CASE("38.4 targets come before the goal; where none can be met there is no best") {
    const Found none = found_for({"price"}, {"time_ns <= 1"}, 100);
    CHECK_FALSE(none.best);
    CHECK_FALSE(none.tried.empty());
    const Found most = found_for({"0 - price"}, {"time_ns > 20"}, 720);
    const Candidate& best = most.tried.at(most.best.value());
    CHECK(best.row.metrics.json().at("time_ns").get<double>() > 20);
    CHECK(best.values.front() == -(3 * 10 + 2 * 9 + 1));  // only c is small
  }

  TEST_CASE("38.4 with two goals the front has every choice that no other beats, and no other") {
    const Found found = found_for({"time_ns", "price"}, {}, 720);
    REQUIRE(found.all);
    std::set<std::size_t> front(found.front.begin(), found.front.end());
    for (std::size_t i = 0; i < found.tried.size(); ++i) {
      bool beaten = false;
      for (const Candidate& other : found.tried) beaten = beaten || beats(other.values, found.tried[i].values);
      CHECK(front.contains(i) != beaten);
    }
    for (std::size_t i = 1; i < found.front.size(); ++i) {
      CHECK(found.tried[found.front[i - 1]].values.front() <= found.tried[found.front[i]].values.front());
    }
  }

  TEST_CASE("38.5 two fifths of the grid find the front, but for one choice in ten") {
    const Found all = found_for({"time_ns", "price"}, {}, 720);
    std::set<std::vector<double>> exact;
    for (const std::size_t i : all.front) exact.insert(all.tried[i].values);
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
      const Found some = found_for({"time_ns", "price"}, {}, 288, seed);
      std::size_t both = 0;
      for (const std::size_t i : some.front) both += exact.count(some.tried[i].values);
      CHECK(both * 10 >= exact.size() * 9);
    }
  }

  TEST_CASE("38.1 a space without a machine is refused, and so is a goal that no row has") {
    std::size_t runs = 0;
    const Space space = space_of({"pe.stream_depth > 100"});
    const Question question = question_of({"price"}, {}, 10);
    CHECK(::error_of([&] { static_cast<void>(search(space, question, pipeline(runs))); }) ==
          "no choice of --vary is a machine that meets every --where; pe.stream_depth=8, pe.output_depth=2, "
          "pe.mac.operand_registers=2: not pe.stream_depth > 100");
    CHECK(runs == 0);
    CHECK(::error_of([] { static_cast<void>(found_for({"prise"}, {}, 10)); }).find("did you mean 'price'?") !=
          std::string::npos);
  }

  TEST_CASE("38.6 chance tries as many choices, each once") {
    std::size_t runs = 0;
    const Space space = space_of();
    const Question question = question_of({"price"}, {"time_ns <= 10"}, 72);
    const Found found = random_search(space, question, pipeline(runs), 72);
    CHECK(runs == 72);
    std::set<Choice> different;
    for (const Candidate& one : found.tried) different.insert(one.choice);
    CHECK(different.size() == 72);
    CHECK(random_search(space_of({"pe.stream_depth < 2", "pe.output_depth < 2"}), question, pipeline(runs), 72)
              .tried.size() <= 8);
  }
}
