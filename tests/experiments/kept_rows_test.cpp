// `--only` beside what is there: rows of other points are kept where they may stand beside the new ones.
#include "benches/experiments/run/kept_rows.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "benches/experiments/run/run_bench.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/store.hpp"
#include "benches/workloads/selection.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/toy_machine.hpp"

namespace fs = std::filesystem;
using kernbench::Bench;
using kernbench::BenchRun;
using kernbench::format_results;
using kernbench::Json;
using kernbench::LoadedMachine;
using kernbench::MachineSpec;
using kernbench::Point;
using kernbench::PointSettings;
using kernbench::Row;
using kernbench::RunFolder;
using kernbench::RunOptions;

namespace {

Row row_of_time(double time_ns) {
  Row row;
  row.metrics.json()["time_ns"] = time_ns;
  return row;
}

/// Four points; the second fails, its theory is good.
Bench toy() {
  Bench bench;
  bench.name = "toy";
  bench.version = "1";
  bench.axes = {{"size", {1, 2, 3, 4}}};
  bench.simulate = [](const MachineSpec&, const Point& point, const PointSettings&) {
    if (point["size"] == 2) throw std::runtime_error("broken");
    return row_of_time(point["size"].get<int>() * 11.0);
  };
  bench.theory = [](const MachineSpec&, const Point& point) { return row_of_time(point["size"].get<int>() * 10.0); };
  bench.derive = [](const kernbench::Results& simulated) {
    Row sum = row_of_time(static_cast<double>(simulated.rows.size()));
    sum.point = {{"derived", "count"}};
    return std::vector<Row>{sum};
  };
  return bench;
}

/// Runs, and writes what a command would.
BenchRun run(const fs::path& folder, const std::string& only, const std::string& sha256 = "0123456789abcdef",
             bool provenance = true) {
  RunFolder locked(folder);
  RunOptions options;
  options.provenance = provenance;
  BenchRun run = run_bench(toy(), select_points(toy(), only), toy_machine(sha256), locked, options);
  locked.replace_outputs(result_files(run.simulated, "results"));
  return run;
}

std::vector<int> sizes_in(const kernbench::Results& results) {
  std::vector<int> sizes;
  for (const Row& row : results.rows) {
    if (row.point.contains("size")) sizes.push_back(row.point["size"].get<int>());
  }
  return sizes;
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.11 rows of other points in finished results are kept, in the order of the points") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    const BenchRun all = run(place.path(), "");
    CHECK(all.attempted == 8);
    CHECK(all.failed == 1);
    const BenchRun one = run(place.path(), "size=3");
    CHECK(one.kept == 3);
    CHECK(one.attempted == 2);
    CHECK(one.failed == 0);  // the failed row is kept, and none of this run's
    CHECK(sizes_in(one.simulated) == std::vector<int>{1, 2, 3, 4});
    CHECK(sizes_in(one.theory) == std::vector<int>{1, 2, 3, 4});
    CHECK(one.simulated.rows.back().metrics.json()["time_ns"] == 4.0);  // derived anew, of all
    BenchRun same = run(place.path(), "size=3");
    same.simulated.provenance = all.simulated.provenance;
    CHECK(format_results(same.simulated) == format_results(all.simulated));
  }

  TEST_CASE("10.11 one point after the other gives what all at once do") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    BenchRun last = run(place.path() / "one", "size=4");
    for (const char* only : {"size=2", "size=1", "size=3"}) last = run(place.path() / "one", only);
    BenchRun all = run(place.path() / "all", "");
    all.simulated.provenance = last.simulated.provenance;
    CHECK(format_results(last.simulated) == format_results(all.simulated));
    CHECK(sizes_in(last.theory) == sizes_in(all.theory));
  }

  TEST_CASE(
      "10.11 rows of another machine, version, build or of none that is named are not mixed in, with the reason") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    const fs::path file = place.path() / "results.json";
    const auto why = [&](const auto& change) {
      run(place.path(), "");
      auto there = kernbench::read_results(file);
      const auto source = there.source;
      change(there);
      kernbench::write_file(file, format_results(there));
      const auto kept = kernbench::kept_rows(file, toy(), source, select_points(toy(), "size=3"));
      CHECK(kept.rows.empty());
      CHECK(kept.dropped == 3);
      return kept.why;
    };
    CHECK(why([](auto& there) { there.source.machine_sha256 = "fedcba98"; }).find("machine toy-machine") == 0);
    CHECK(why([](auto& there) { there.source.model = "0"; }).find("model version") == 0);
    CHECK(why([](auto& there) { there.source.bench = "0"; }).find("bench version") == 0);
    CHECK(why([](auto& there) { there.source.kind = "theory"; }) == "they are of source theory");
    CHECK(why([](auto& there) { there.bench = "other"; }) == "they are of bench other");
    CHECK(why([](auto& there) { there.provenance["program"] = "1 byte"; }) == "another build of kernbench");
    CHECK(why([](auto& there) { there.provenance = Json::object(); }).find("provenance does not say") !=
          std::string::npos);
    kernbench::write_file(file, "1");
    CHECK(run(place.path(), "size=3").kept == 0);
    CHECK(run(place.path(), "size=4", "fedcba98").kept == 0);
    CHECK(sizes_in(kernbench::read_results(file)) == std::vector<int>{4});
  }

  TEST_CASE("10.6 what is no row in partial.jsonl is passed over and counted") {
    const TemporaryFolder place(TemporaryFolder::fast_parent());
    run(place.path(), "");
    const fs::path partial = place.path() / "partial.jsonl";  // size 2 failed, so it is there
    const std::string text = kernbench::read_file(partial);
    const std::size_t line = text.find('\n') + 1;
    const auto reused = [&](const std::string& damaged) {
      kernbench::write_file(partial, damaged);
      return run(place.path(), "").reused;
    };
    CHECK(reused(text) == 3);
    for (const char* junk : {"1\n", "null\n", "{\"point\": 3}\n", "\n", "[[[\n", "\"\xff\"\n"}) {
      CHECK(reused(text.substr(0, line) + junk + text.substr(line)) == 3);
    }
    CHECK(reused(text.substr(0, line) +
                 R"({"point":{"size":9},"status":"ok","metrics":{},"stages":[],"windows":{},"flags":[]})" + "\n" +
                 text.substr(line)) == 3);
    CHECK(kernbench::read_file(partial).find("\"size\":9") == std::string::npos);  // no point of the bench
    CHECK(reused("") == 0);
    CHECK(reused(R"({"schema":"kernbench.partial/0"})"
                 "\n1\n") == 0);  // an older one's
  }
}
