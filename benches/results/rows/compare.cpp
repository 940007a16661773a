#include "benches/results/rows/compare.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/store.hpp"

namespace kernbench {
namespace {

using NamedValues = std::vector<std::pair<std::string, Json>>;

/// All values of a row, those that people look at first in front.
NamedValues values_of(const Row& row) {
  NamedValues values{{"status", row.status}};
  const Json json = row_to_json(row);
  const auto add = [&values](const std::string& prefix, const Json& object, const std::vector<std::string>& identity) {
    for (const auto& [name, value] : object.items()) {
      if (std::find(identity.begin(), identity.end(), name) == identity.end())
        values.emplace_back(prefix + name, value);
    }
  };
  add("", row.metrics.json(), {});
  add("", row.windows, {});
  if (!row.flags.empty()) values.emplace_back("flags", row.flags);
  for (const Json& stage : json["stages"]) {
    add(stage["stage"].get<std::string>() + "@" + stage["engine"].get<std::string>() + " ", stage, {"stage", "engine"});
  }
  if (!json.contains("links")) return values;
  for (const Json& link : json["links"]) add(link["name"].get<std::string>() + " ", link, {"name"});
  return values;
}

std::vector<MovedValue> moved_values(const Row& before, const Row& after) {
  const NamedValues was = values_of(before);
  const NamedValues now = values_of(after);
  const std::map<std::string, Json> then(was.begin(), was.end());
  std::map<std::string, Json> today(now.begin(), now.end());
  std::vector<MovedValue> moved;
  for (const auto& [name, value] : was) {
    const auto other = today.find(name);
    if (other == today.end()) {
      moved.push_back({name, value, nullptr});
    } else if (other->second != value) {
      moved.push_back({name, value, other->second});
    }
  }
  for (const auto& [name, value] : now) {
    if (!then.contains(name)) moved.push_back({name, nullptr, value});
  }
  return moved;
}

std::optional<std::int64_t> as_number(const std::string& version) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
  if (error != std::errc() || end != version.data() + version.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<double> MovedValue::percent() const {
  if (!was.is_number() || !now.is_number()) return std::nullopt;
  const auto from = was.get<double>();
  if (from == 0) return std::nullopt;
  return (now.get<double>() - from) / std::abs(from) * 100;
}

std::size_t ResultsComparison::moved() const {
  std::size_t count = 0;
  for (const MovedRow& row : rows) {
    if (!row.now) ++count;
    count += static_cast<std::size_t>(std::count_if(row.values.begin(), row.values.end(),
                                                    [](const MovedValue& value) { return !value.was.is_null(); }));
  }
  return count;
}

std::size_t ResultsComparison::added() const {
  std::size_t count = 0;
  for (const MovedRow& row : rows) {
    if (!row.was) ++count;
    count += static_cast<std::size_t>(std::count_if(row.values.begin(), row.values.end(),
                                                    [](const MovedValue& value) { return value.was.is_null(); }));
  }
  return count;
}

ResultsComparison compare_results(const Results& before, const Results& after) {
  ResultsComparison comparison;
  comparison.sources = staleness(before.source, after.source);
  const auto was = as_number(before.source.model);
  const auto now = as_number(after.source.model);
  comparison.model_lowered = was && now && *now < *was;

  // Rows of one point follow each other where a bench has several.
  std::map<std::string, std::vector<const Row*>> today;
  for (const Row& row : after.rows) today[row.point.dump()].push_back(&row);
  std::map<std::string, std::size_t> taken;
  for (const Row& row : before.rows) {
    const std::string point = row.point.dump();
    const auto found = today.find(point);
    std::size_t& next = taken[point];
    if (found == today.end() || next == found->second.size()) {
      comparison.rows.push_back({row.point, true, false, {}});
      continue;
    }
    std::vector<MovedValue> values = moved_values(row, *found->second[next++]);
    if (!values.empty()) comparison.rows.push_back({row.point, true, true, std::move(values)});
  }
  std::map<std::string, std::size_t> seen;
  for (const Row& row : after.rows) {
    const std::string point = row.point.dump();
    if (seen[point]++ >= taken[point]) comparison.rows.push_back({row.point, false, true, {}});
  }
  return comparison;
}

std::string approval_refused(const ResultsComparison& comparison) {
  if (comparison.model_lowered) return "the model version went back";
  if (comparison.moved() == 0 || !comparison.sources.empty()) return "";
  return "values moved, but machine, bench and model have the versions of the committed results; where the model "
         "changed, raise kModelVersion (sim/system/model_version.hpp); where the bench did, its version";
}

}  // namespace kernbench
