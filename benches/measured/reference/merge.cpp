// Rows by point, then provenance by kind of entry.
#include "benches/measured/reference/merge.hpp"

#include <algorithm>
#include <map>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/plain_text.hpp"
#include "benches/measured/reference/checked_row.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

using RowsByPoint = std::map<nlohmann::json, const Row*>;  // nlohmann::json: whatever the order of a point's fields

RowsByPoint by_point(const std::vector<Row>& rows) {
  RowsByPoint found;
  for (const Row& row : rows) found.emplace(nlohmann::json(row.point), &row);
  return found;
}

/// Equal but for the order of names.
bool equal(const Row& a, const Row& b) { return nlohmann::json(row_to_json(a)) == nlohmann::json(row_to_json(b)); }

Json member(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

/// "driver is 570.1 there and 580.2 here" for each version that both name and that differs.
std::vector<std::string> version_differences(const Results& there, const Results& fresh) {
  std::vector<std::string> differences;
  if (there.source.bench != fresh.source.bench) {
    differences.push_back("the bench's version is " + there.source.bench + " there and " + fresh.source.bench +
                          " here");
  }
  const Json known = member(there.provenance, "environment");
  const Json now = member(fresh.provenance, "environment");
  if (!known.is_object() || !now.is_object()) return differences;
  for (const auto& [name, value] : now.items()) {
    const auto old = known.find(name);
    if (old == known.end() || *old == value) continue;
    differences.push_back(name + " is " + plain_text(*old) + " there and " + plain_text(value) + " here");
  }
  return differences;
}

/// What there is to say of the rows that differ; "" where none does.
std::string conflict(const RowsByPoint& there, const std::vector<Row>& fresh) {
  std::size_t count = 0;
  std::string first;
  for (const Row& row : fresh) {
    const auto old = there.find(nlohmann::json(row.point));
    if (old == there.end() || equal(*old->second, row)) continue;
    if (count++ == 0) first = point_in_words(row.point);
  }
  if (count == 0) return "";
  return counted(static_cast<std::int64_t>(count), "row") + (count == 1 ? " is" : " are") +
         " there already with other values (" + (count == 1 ? "" : "the first: ") + first +
         "): --replace takes the new ones";
}

/// A list of what both have, each once; texts and objects alike.
Json joined_list(const Json& a, const Json& b) {
  Json list = Json::array();
  for (const Json* part : {&a, &b}) {
    for (const Json& entry : part->is_array() ? *part : Json::array({*part})) {
      if (!entry.is_null() && std::find(list.begin(), list.end(), entry) == list.end()) list.push_back(entry);
    }
  }
  return list;
}

/// Members of both; one with two values becomes a list of them.
Json united(const Json& a, const Json& b) {
  Json all = a.is_object() ? a : Json::object();
  if (!b.is_object()) return all;
  for (const auto& [name, value] : b.items()) {
    if (!all.contains(name)) {
      all[name] = value;
    } else if (all[name] != value) {
      all[name] = joined_list(all[name], value);
    }
  }
  return all;
}

/// The later time, the larger number of GPUs, the sum of wall times, everything else of both.
Json merged_provenance(const Json& there, const Json& fresh) {
  Json merged = united(there, fresh);
  const auto larger = [&](const char* name) {
    if (there.contains(name) && fresh.contains(name)) merged[name] = std::max(there[name], fresh[name]);
  };
  larger("created_at");
  larger("gpus");
  if (member(there, "wall_s").is_number() && member(fresh, "wall_s").is_number()) {
    merged["wall_s"] = there["wall_s"].get<double>() + fresh["wall_s"].get<double>();
  }
  for (const char* name : {"environment", "settings"}) {
    if (merged.contains(name)) merged[name] = united(member(there, name), member(fresh, name));
  }
  return merged;
}

}  // namespace

Results canonical_reference(Results fresh) {
  const ReferenceBench* bench = find_reference_bench(fresh.bench);
  if (bench == nullptr) refuse_name("bench", fresh.bench, reference_bench_names());
  sort_rows(fresh.rows, *bench);
  return fresh;
}

Merged merge_reference(const Results& there, const Results& fresh, bool replace, const std::string& file) {
  Merged merged;
  const RowsByPoint old = by_point(there.rows);
  const RowsByPoint now = by_point(fresh.rows);
  const std::vector<std::string> versions = version_differences(there, fresh);
  if (!replace) {
    for (const std::string& difference : versions) {
      merged.findings.push_back(file + ": provenance.environment: " + difference +
                                ": one file is of one environment; --replace takes the new file, and drops the rows "
                                "there that it does not have");
    }
    if (const std::string rows = conflict(old, fresh.rows); !rows.empty() && versions.empty()) {
      merged.findings.push_back(file + ": rows: " + rows);
    }
    if (!merged.findings.empty()) return merged;
  }
  for (const Row& row : fresh.rows) {
    const auto found = old.find(nlohmann::json(row.point));
    if (found == old.end()) {
      ++merged.added;
    } else {
      ++(equal(*found->second, row) ? merged.unchanged : merged.replaced);
    }
  }
  if (versions.empty() && merged.unchanged == fresh.rows.size()) {
    merged.results = canonical_reference(there);
    return merged;
  }
  merged.results = fresh;
  const std::size_t kept = there.rows.size() - merged.replaced - merged.unchanged;
  if (!versions.empty()) {
    merged.dropped = kept;
  } else if (kept > 0) {
    for (const Row& row : there.rows) {
      if (!now.contains(nlohmann::json(row.point))) merged.results.rows.push_back(row);
    }
    merged.results.provenance = merged_provenance(there.provenance, fresh.provenance);
  }
  merged.results = canonical_reference(std::move(merged.results));
  return merged;
}

}  // namespace kernbench
