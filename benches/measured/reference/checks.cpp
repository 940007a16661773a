// The file as a whole, then row after row.
#include "benches/measured/reference/checks.hpp"

#include <map>

#include "benches/io/text/plain_text.hpp"
#include "benches/io/text/utc_time.hpp"
#include "benches/measured/reference/checked_row.hpp"
#include "sim/base/unknown_name.hpp"

namespace kernbench {
namespace {

struct FileUnderTest {
  const Results& results;
  const Device* device;
  std::string file;
  std::vector<std::string> findings;

  void finding(const std::string& path, const std::string& text) {
    findings.push_back(file + ": " + path + ": " + text);
  }
  /// An unknown kind is held to what a measured file must say.
  [[nodiscard]] bool measured() const { return !results.source.kind.starts_with("published:"); }
};

void check_source(FileUnderTest& under) {
  const Source& source = under.results.source;
  const bool published = !under.measured();
  if (!published && !source.kind.starts_with("gpu:")) {
    under.finding("source.kind", "expected \"gpu:DEVICE\" or \"published:WHERE\", got \"" + source.kind +
                                     "\": results of kind sim and theory come from kernbench run");
    return;
  }
  const std::string name = source.kind.substr(source.kind.find(':') + 1);
  if (device_slug(name).empty()) {
    under.finding("source.kind", "expected a name after the colon, got \"" + source.kind + "\"");
    return;
  }
  if (published) return;
  if (source.machine != device_slug(name)) {
    under.finding("source.machine",
                  "expected \"" + device_slug(name) + "\", which source.kind gives, got \"" + source.machine + "\"");
  }
  if (under.device == nullptr) {
    under.finding("source.kind", "there is no card of " + name + ": give its device.json with --device FILE");
  } else if (under.device->name != name) {
    under.finding("source.kind",
                  "expected \"gpu:" + under.device->name + "\", whose card it is, got \"" + source.kind + "\"");
  }
}

/// A text of the environment that must be there.
void check_environment(FileUnderTest& under, const std::string& name) {
  const Json& provenance = under.results.provenance;
  const auto environment = provenance.find("environment");
  if (environment != provenance.end() && environment->is_object()) {
    const auto value = environment->find(name);
    if (value != environment->end() && value->is_string() && !value->get<std::string>().empty()) return;
  }
  under.finding("provenance.environment." + name, "is missing: a measured number is one of a version");
}

void check_provenance(FileUnderTest& under) {
  const Json& provenance = under.results.provenance;
  const auto created = provenance.find("created_at");
  if (created == provenance.end()) {
    under.finding("provenance.created_at", "is missing: the UTC time of the run, like 2026-01-31T12:00:00Z");
  } else if (!created->is_string() || !is_utc_time(created->get<std::string>())) {
    under.finding("provenance.created_at", "expected a UTC time like 2026-01-31T12:00:00Z, got " + created->dump());
  }
  if (!under.measured()) return;
  check_environment(under, "driver");
  check_environment(under, "cuda_runtime");
  if (provenance.contains("host")) {
    under.finding("provenance.host", "names a computer, and the file is for everybody: leave it out");
  }
}

bool says_nvls_off(const Json& provenance) {
  const auto settings = provenance.find("settings");
  if (settings == provenance.end() || !settings->is_object()) return false;
  const auto value = settings->find("NCCL_NVLS_ENABLE");
  return value != settings->end() && plain_text(*value) == "0";
}

void check_rows(FileUnderTest& under, const ReferenceBench& bench) {
  const bool nvls_off = says_nvls_off(under.results.provenance);
  std::map<nlohmann::json, std::size_t> seen;  // by point, whatever the order of its fields
  for (std::size_t i = 0; i < under.results.rows.size(); ++i) {
    const Row& row = under.results.rows[i];
    const std::string index = "rows[" + std::to_string(i) + "]";
    const std::string place = under.file + ": " + index + " (" + point_in_words(row.point) + ")";
    const CheckedRow checked(row, bench, under.measured(), place, under.findings);
    check_point(checked);
    if (const auto [first, added] = seen.emplace(nlohmann::json(row.point), i); !added) {
      checked.finding("point", "is that of rows[" + std::to_string(first->second) + "] too: one row a point");
    }
    check_units(checked);
    check_values(checked);
    check_derived(checked, under.device);
    if (under.measured() && under.device != nullptr) check_limits(checked, *under.device, nvls_off);
    check_noise(checked);
  }
}

}  // namespace

std::vector<std::string> check_reference(const Results& results, const Device* device, const std::string& file) {
  FileUnderTest under{results, device, file, {}};
  check_source(under);
  check_provenance(under);
  const ReferenceBench* bench = find_reference_bench(results.bench);
  if (bench == nullptr) {
    under.finding("bench", unknown_name("bench", results.bench, reference_bench_names()));
    return under.findings;
  }
  if (bench->published_only && under.measured()) {
    under.finding("bench", results.bench + " is for published numbers: nobody measures them");
  }
  check_rows(under, *bench);
  return under.findings;
}

}  // namespace kernbench
