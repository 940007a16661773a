// What is said of a cause stands in two rows of code and in the tables of the decisions: that these agree, and that
// nothing of a cause is missing.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "benches/experiments/whatif/changes.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/base/text.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench::causes_test {
namespace {

using Cells = std::vector<std::string>;

std::string clause_of(const std::string& record, const std::string& clause) {
  const std::string text = read_file(source_dir() + "/adr/" + record);
  const std::size_t at = text.find("**" + clause + "**");
  REQUIRE(at != std::string::npos);
  return text.substr(at, text.find("\n**", at) - at);
}

/// The rows of a clause's table below its head.
std::vector<Cells> table_of(const std::string& record, const std::string& clause) {
  std::vector<Cells> rows;
  for (const std::string& line : split(clause_of(record, clause), "\n")) {
    if (!line.starts_with("|")) continue;
    Cells& cells = rows.emplace_back();
    for (const std::string& cell : split(line, "|")) cells.emplace_back(trimmed(cell));
    cells.erase(cells.begin());
    cells.pop_back();
  }
  REQUIRE(rows.size() > 2);
  rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

/// Keys of a machine file that a text has in backticks.
std::set<std::string> keys_in(const std::string& text) {
  std::set<std::string> keys;
  const std::vector<std::string> parts = split(text, "`");
  for (std::size_t i = 1; i < parts.size(); i += 2) {
    if (find_topology_key(parts[i])) keys.insert(parts[i]);
  }
  return keys;
}

std::set<std::string> keys_of(const CauseWords& words) {
  std::set<std::string> keys(words.keys.begin(), words.keys.end());
  keys.erase("");
  return keys;
}

/// "hbm, links": of those with this fact.
std::string those(bool CauseFacts::*fact) {
  std::vector<std::string_view> names;
  for (const CauseFacts& one : kCauseFacts) {
    if (one.*fact) names.push_back(one.name);
  }
  return joined(names);
}

/// "twice `a`, `b`; half `c`"
std::string written(const Changes& changes) {
  std::map<std::string, std::vector<std::string>> keys;
  for (const KeyChange& one : changes) keys[to_text(one.factor)].push_back("`" + std::string(one.key.path()) + "`");
  std::string text = "twice " + joined(keys.at("twice"));
  if (keys.contains("half")) text += "; half " + joined(keys.at("half"));
  return text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("ADR-0033") {
  TEST_CASE("33.3 every wait but what is untold has an interval in the table, and no other cause has one") {
    std::set<std::string> told;
    for (const Cells& row : table_of("0033-the-ledger.md", "33.3")) {
      for (const std::string& cause : split(row.at(0), ", ")) told.insert(cause);
    }
    for (const CauseFacts& facts : kCauseFacts) {
      const bool wait = !facts.array && facts.value != Cause::kUntold;
      CHECK_MESSAGE(told.erase(std::string(facts.name)) == (wait ? 1 : 0), facts.name);
    }
    CHECK(told.empty());
  }

  TEST_CASE("33.6 the clause has the causes in their order, and those of the memory and of the array") {
    const std::string clause = clause_of("0033-the-ledger.md", "33.6");
    CHECK(has(clause, joined(kCauses.all().first(kCauses.all().size() - 1)) + " |"));
    CHECK(has(clause, "worth of all but " + those(&CauseFacts::memory) + ","));
    CHECK(has(clause, "that of " + those(&CauseFacts::memory) + " with more"));
    CHECK(those(&CauseFacts::array) == "mac, array_fill");
  }

  TEST_CASE("33.7 of every cause a cure is told, by keys that there are; the clause has it, by no other keys") {
    std::map<std::string, std::string> cures;
    for (const Cells& row : table_of("0033-the-ledger.md", "33.7")) cures[row.at(0)] = row.at(1);
    const MachineSpec machine = milestone();
    for (const CauseWords& words : cause_words()) {
      const std::string cause(kCauses[words.cause]);
      const bool told = words.cause != Cause::kUntold;
      CHECK_MESSAGE(cures.contains(cause) == told, cause);
      CHECK_MESSAGE(words.cure({}, machine).empty() != told, cause);
      const std::set<std::string> keys = keys_of(words);
      for (const std::string& key : keys) {
        const auto found = find_topology_key(key);
        CHECK_MESSAGE((found && found->kind() == MachineKind::kPes), key);
      }
      for (const std::string& key : keys_in(cures[cause])) CHECK_MESSAGE(keys.contains(key), cause << ": " << key);
    }
  }
}

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.3 paths are those of the clause, and a cause that keys cure is on one that has such a key") {
    const std::vector<Cells> rows = table_of("0035-what-if.md", "35.3");
    const auto paths = coupled_keys(MachineKind::kPes);
    REQUIRE(rows.size() == paths.size());
    std::set<Cause> met;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      std::vector<std::string_view> causes;
      for (const Cause cause : paths[i].causes) {
        causes.push_back(kCauses[cause]);
        const std::set<std::string> keys = keys_of(words_of(cause));
        const auto cures = [&](const KeyChange& one) { return keys.contains(std::string(one.key.path())); };
        if (std::ranges::any_of(paths[i].better, cures)) met.insert(cause);
      }
      CHECK(rows[i] == Cells{std::string(paths[i].name), joined(causes), written(paths[i].better)});
    }
    for (const CauseWords& words : cause_words()) {
      CHECK_MESSAGE(met.contains(words.cause) == !keys_of(words).empty(), words.name);
    }
  }
}

}  // namespace kernbench::causes_test
