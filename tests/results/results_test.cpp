// The results schema: what is written is read back, what is malformed is refused with its place, CSV agrees with JSON.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_csv.hpp"
#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "tests/support/temporary_folder.hpp"

using kernbench::ConfigError;
using kernbench::format_csv;
using kernbench::format_results;
using kernbench::Json;
using kernbench::parse_results;
using kernbench::Results;
using kernbench::Row;

namespace {

/// Any finite double, and the ones that are hard to print.
rc::Gen<double> number() {
  const auto finite = rc::gen::map(rc::gen::arbitrary<std::uint64_t>(), [](std::uint64_t bits) {
    double value = 0;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    return std::isfinite(value) ? value : 1.0 / 3.0;
  });
  return rc::gen::oneOf(finite, rc::gen::element(0.0, 0.1, 1765.0, 5e-324, 1.7976931348623157e308, 20.7));
}

rc::Gen<std::string> text() {
  return rc::gen::container<std::string>(
      rc::gen::oneOf(rc::gen::inRange('a', 'z'), rc::gen::element('"', ',', '\n', '\\', ' ')));
}

rc::Gen<Json> values() {
  return rc::gen::exec([] {
    Json object = Json::object();
    for (const char* name : {"m", "variant", "time_ns"}) {
      if (*rc::gen::arbitrary<bool>()) object[name] = *number();
      if (*rc::gen::arbitrary<bool>()) object[std::string(name) + "_count"] = *rc::gen::arbitrary<std::int64_t>();
      if (*rc::gen::arbitrary<bool>()) object[std::string(name) + "_text"] = *text();
    }
    return object;
  });
}

rc::Gen<Row> row() {
  return rc::gen::exec([] {
    Row row;
    row.point = *values();
    row.status = *rc::gen::element<std::string>("ok", "failed", "skipped");
    if (row.status != "ok") row.reason = *text();
    row.metrics.json() = *values();
    row.windows = *values();
    const int stages = *rc::gen::inRange(0, 4);
    for (int i = 0; i < stages; ++i) {
      const auto count = rc::gen::arbitrary<std::int64_t>();
      row.stages.push_back({*text(), *text(), *number(), *number(), *count, *count, *count});
    }
    row.flags = *rc::gen::container<std::vector<std::string>>(text());
    const int links = *rc::gen::inRange(0, 3);
    for (int i = 0; i < links; ++i) {
      const auto place = rc::gen::arbitrary<std::int64_t>();
      row.links.push_back({*text(), *place, *place, *place, *place, *place, *number()});
    }
    return row;
  });
}

Results whole_results() {
  Results results;
  results.bench = "toy";
  results.source = {"sim", "toy-machine", "0123456789abcdef", "1", "3"};
  Row first;
  first.point = {{"m", 32}, {"variant", "load_ref"}};
  first.metrics.json() = {{"time_ns", 20.7}, {"tiles", 48}};
  first.stages = {{"dma_in", "pe0.dma", 16.0, 32.5, 2, 8192, 0}, {"mac", "pe0.mac", 16.0, 16.0, 1, 0, 65536}};
  first.windows = {{"pe_ns", 20.7}};
  first.flags = {"under_tile", "other"};
  Row second;
  second.point = {{"m", 64}, {"variant", "ref_ref"}};
  second.status = "failed";
  second.reason = "timed out, \"again\"";
  results.rows = {first, second};
  return results;
}

/// The sample as its file; docs/results.md shows the same form.
constexpr const char* kSampleText = R"({
  "schema": "kernbench.results/1",
  "bench": "toy",
  "source": {"kind":"sim","machine":"toy-machine","machine_sha256":"0123456789abcdef","model":"1","bench":"3"},
  "provenance": {},
  "rows": [
    {"point": {"m":32,"variant":"load_ref"},
     "status": "ok",
     "metrics": {"time_ns":20.7,"tiles":48},
     "stages": [
       {"stage":"dma_in","engine":"pe0.dma","wall_ns":16.0,"busy_ns":32.5,"records":2,"bytes":8192,"macs":0},
       {"stage":"mac","engine":"pe0.mac","wall_ns":16.0,"busy_ns":16.0,"records":1,"bytes":0,"macs":65536}],
     "windows": {"pe_ns":20.7},
     "flags": ["under_tile","other"]},
    {"point": {"m":64,"variant":"ref_ref"},
     "status": "failed",
     "reason": "timed out, \"again\"",
     "metrics": {},
     "stages": [],
     "windows": {},
     "flags": []}
  ]
}
)";

std::string message_for(const std::string& text) {
  try {
    parse_results(text, "r.json");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// The sample's text with one piece replaced.
std::string sample_with(const std::string& what, const std::string& by) {
  std::string text = format_results(whole_results());
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.1 what is written is read back, to the last bit, and written again as the same bytes") {
    const bool held = rc::check([] {
      Results results = whole_results();
      results.rows = *rc::gen::container<std::vector<Row>>(row());
      const std::string written = format_results(results);
      const Results read = parse_results(written, "r.json");
      RC_ASSERT(format_results(read) == written);
      RC_ASSERT(read.rows.size() == results.rows.size());
      for (std::size_t i = 0; i < read.rows.size(); ++i) {
        const Row& a = results.rows[i];
        const Row& b = read.rows[i];
        RC_ASSERT(a.point == b.point);
        RC_ASSERT(a.metrics.json() == b.metrics.json());
        RC_ASSERT(a.windows == b.windows);
        RC_ASSERT(a.reason == b.reason);
        RC_ASSERT(a.flags == b.flags);
        RC_ASSERT(a.stages.size() == b.stages.size());
        for (std::size_t s = 0; s < a.stages.size(); ++s) RC_ASSERT(a.stages[s].busy_ns == b.stages[s].busy_ns);
      }
    });
    CHECK(held);
  }

  TEST_CASE("9.1 the file looks as documented") { CHECK(format_results(whole_results()) == kSampleText); }

  TEST_CASE("9.2 every difference in machine, bench or model makes results stale and is named") {
    const auto current = whole_results().source;
    CHECK(kernbench::staleness(current, current).empty());
    auto recorded = current;
    recorded.machine_sha256 = "fedcba9876543210";
    recorded.model = "0";
    CHECK(kernbench::joined_in_words(kernbench::staleness(recorded, current)) ==
          "machine toy-machine (recorded hash fedcba98..., now 01234567...) and model version (recorded 0, now 1)");
    recorded = current;
    recorded.bench = "2";
    CHECK(kernbench::joined_in_words(kernbench::staleness(recorded, current)) == "bench version (recorded 2, now 3)");
    recorded.machine = "other";
    CHECK(kernbench::staleness(recorded, current).size() == 2);
    recorded = current;
    recorded.kind = "gpu:h200";  // who measured is no question of age
    CHECK(kernbench::staleness(recorded, current).empty());
  }

  TEST_CASE("9.12 settings are written where there are any, read again, and named where they differ") {
    auto results = whole_results();
    CHECK(format_results(results).find("settings") == std::string::npos);
    results.source.settings = {{"pe.clock", "2 GHz"}, {"pe.stream_depth", "4"}};
    CHECK(parse_results(format_results(results), "r.json").source.settings == results.source.settings);
    auto other = results.source;
    other.machine_sha256 = "fedcba9876543210";
    other.settings = {{"pe.clock", "3 GHz"}, {"pe.stream_depth", "4"}, {"pe.output_depth", "1"}};
    const auto reasons = kernbench::staleness(results.source, other);
    REQUIRE(reasons.size() == 3);
    CHECK(reasons[0] == "pe.clock (recorded 2 GHz, now 3 GHz)");
    CHECK(reasons[1] == "pe.output_depth (recorded as in its file, now 1)");
  }

  TEST_CASE("9.4 a newer major version of the schema is refused with what to do; an unknown field is not") {
    CHECK(message_for(sample_with("results/1", "results/2")) ==
          "r.json: schema kernbench.results/2 is newer than this kernbench, which reads up to kernbench.results/1: "
          "update kernbench, or run the bench again with this one");
    CHECK(message_for(sample_with("results/1", "results/1.5")).find("r.json: schema: expected") == 0);
    CHECK(message_for(sample_with("kernbench.results/1", "other/1")).find("r.json: schema: expected") == 0);
    CHECK(message_for(sample_with("\"flags\": []", "\"flags\": [], \"added_later\": {\"x\": [1]}")) == "no error");
  }

  TEST_CASE("9.4 a malformed file is refused with the file, the path inside it and what was expected") {
    CHECK(message_for(sample_with("\"busy_ns\":32.5", "\"busy_ns\":\"fast\"")) ==
          "r.json: rows[0].stages[0].busy_ns: expected a number, got \"fast\"");
    CHECK(message_for(sample_with("\"records\":2,", "\"records\":2.5,")) ==
          "r.json: rows[0].stages[0].records: expected a whole number, got 2.5");
    CHECK(message_for(sample_with("\"records\":2,", "")) == "r.json: rows[0].stages[0].records: is missing");
    CHECK(message_for(sample_with("\"status\": \"failed\"", "\"status\": \"maybe\"")) ==
          "r.json: rows[1].status: expected \"ok\", \"failed\" or \"skipped\", got \"maybe\"");
    CHECK(message_for(sample_with("\"m\":64", "\"m\":[64]")) ==
          "r.json: rows[1].point.m: expected a number or a string, got [64]");
    CHECK(message_for(sample_with("\"flags\": []", "\"flags\": [7]")) ==
          "r.json: rows[1].flags[0]: expected a string, got 7");
    CHECK(message_for(sample_with("\"machine_sha256\":\"0123456789abcdef\",", "")) ==
          "r.json: source.machine_sha256: is missing");
    CHECK(message_for("[]") == "r.json: the file: expected an object, got []");
    CHECK(message_for(sample_with("\"rows\": [", "\"rows\": [,")).find("r.json:6:12: not valid JSON: ") == 0);
    CHECK_THROWS_WITH_AS(kernbench::read_results("/nowhere/r.json"),
                         "cannot read /nowhere/r.json: No such file or directory", ConfigError);
  }

  TEST_CASE("9.5 the CSV holds the values of the JSON, stages and flags flattened") {
    CHECK(format_csv(whole_results()) ==
          "m,variant,status,reason,time_ns,tiles,pe_ns,dma_in_engine,dma_in_wall_ns,dma_in_busy_ns,dma_in_records,"
          "dma_in_bytes,dma_in_macs,mac_engine,mac_wall_ns,mac_busy_ns,mac_records,mac_bytes,mac_macs,flags\n"
          "32,load_ref,ok,,20.7,48,20.7,pe0.dma,16.0,32.5,2,8192,0,pe0.mac,16.0,16.0,1,0,65536,under_tile;other\n"
          "64,ref_ref,failed,\"timed out, \"\"again\"\"\",,,,,,,,,,,,,,,,\n");
  }

  TEST_CASE("9.5 a stage on several engines has columns for each; a column that rows lack stays in its place") {
    Results results = whole_results();
    results.rows[1].stages = {{"mac", "pe0.mac", 1, 1, 1, 0, 1}, {"mac", "pe1.mac", 2, 2, 1, 0, 1}};
    const std::string header = format_csv(results).substr(0, format_csv(results).find('\n'));
    CHECK(header.find("mac@pe0.mac_wall_ns") < header.find("mac@pe1.mac_wall_ns"));
    CHECK(header.find("mac@pe1.mac_wall_ns") < header.find(",flags"));
    CHECK(header.find("dma_in_wall_ns") != std::string::npos);
  }

  TEST_CASE("9.5 two fields that would share a column are refused") {
    Results results = whole_results();
    results.rows[0].metrics.json()["m"] = 1;
    CHECK_THROWS_AS(format_csv(results), std::logic_error);
  }

  TEST_CASE("9.6 a number that is not finite is never written") {
    Results results = whole_results();
    results.rows[0].stages[1].wall_ns = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(format_results(results), "mac wall_ns is not a finite number");
    results = whole_results();
    results.rows[0].windows["pe_ns"] = std::nan("");
    CHECK_THROWS_WITH(format_results(results), "pe_ns is not a finite number");
  }

  TEST_CASE("9.1 JSON and CSV are written beside each other and the JSON is read back") {
    const TemporaryFolder folder;
    const auto files = kernbench::result_files(whole_results(), "results");
    REQUIRE(files.size() == 2);
    CHECK(files[0].name == "results.json");
    kernbench::write_file(folder.path() / "new" / "folder" / files[0].name, files[0].bytes);
    CHECK(format_results(kernbench::read_results(folder.path() / "new/folder/results.json")) ==
          format_results(whole_results()));
    CHECK(files[1].name == "results.csv");
    CHECK(files[1].bytes == format_csv(whole_results()));
  }
}
