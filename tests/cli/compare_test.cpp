// `kernbench compare`: what it prints, and what approval of committed results makes of its exit code.
#include <doctest/doctest.h>

#include <filesystem>
#include <sstream>
#include <string>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/table.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using kernbench::Json;

namespace {

/// Two equal results of the toy bench, in the folders `before` and `after`.
struct TwoResults : Workplace {
  TwoResults() {
    for (const char* name : {"before", "after"}) {
      CHECK(run(kToy, {"run", "--bench", "toy-steps", "--no-provenance", "--no-figures"}).exit_code == 0);
      fs::rename(path() / "out/toy-steps", path() / name);
    }
  }

  template <class Change>
  void change(const std::string& file, Change change) const {
    auto results = kernbench::parse_results(kernbench::read_file(path() / file), file);
    change(results);
    kernbench::write_file(path() / file, format_results(results));
  }

  [[nodiscard]] Ended compare(const std::vector<std::string>& options = {}) const {
    std::vector<std::string> command{"compare", "before", "after"};
    command.insert(command.end(), options.begin(), options.end());
    return run(kToy, command);
  }
};

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.11 compare says that nothing differs, of both files of a folder") {
    const TwoResults place;
    const Ended ended = place.compare();
    CHECK(ended.exit_code == 0);
    CHECK(ended.out == "results.json: no value differs\ntheory.json: no value differs\n");
  }

  TEST_CASE("9.11 a table of rows is refused with what is expected") {
    const Workplace place;
    const std::string table = kernbench::source_dir() + "/benches/transfer/results/results.csv";
    const Ended ended = place.run(kProgram, {"compare", table, table});
    CHECK(ended.exit_code == 2);
    CHECK_MESSAGE(has(ended.err, "results.csv: expected results.json"), ended.err);
  }

  TEST_CASE("9.11 compare says row by row what moved and by how much") {
    const TwoResults place;
    place.change("after/results.json", [](auto& results) {
      results.rows[1].metrics.json()["time_ns"] = 33.0;
      results.rows[3].metrics.json()["time_ns"] = 43.99999;
      results.rows[3].metrics.json()["alpha_ns"] = 1;
    });
    const Ended ended = place.compare();
    CHECK(ended.exit_code == 1);
    CHECK(ended.out ==
          "results.json: 2 rows with differences, 2 values moved or gone, 1 added\n"
          "  0.8165 times as fast in the geometric mean of 2 rows whose time moved, 0.6667 to 1\n"
          "  time_ns in 2 rows: -2.3e-05 % to +50.00 %\n"
          "\n"
          "  value                                         was            now     change\n"
          "size=2\n"
          "  time_ns                                        22             33   +50.00 %\n"
          "size=4\n"
          "  time_ns                                        44       43.99999 -2.3e-05 %\n"
          "  alpha_ns                                        -              1\n"
          "theory.json: no value differs\n");
  }

  TEST_CASE("9.11 what is longer than its column stays apart, and the mean is of points, not of what is derived") {
    const TwoResults place;
    for (const char* folder : {"before", "after"}) {
      place.change(std::string(folder) + "/results.json", [&folder](auto& results) {
        const double faster = std::string(folder) == "after" ? 2 : 1;
        results.rows[1].metrics.json()["time_ns"] = 22 / faster;
        results.rows[1].metrics.json()["mapping"] =
            std::string(faster > 1 ? "sums=fp32 tile=64" : "sums=bf16 tile=128x64");
        results.rows[3].point["derived"] = "total";
        results.rows[3].metrics.json()["time_ns"] = 44 / faster / faster;
      });
    }
    const std::string out = place.compare().out;
    CHECK_MESSAGE(has(out, "2 times as fast in the geometric mean of 1 row whose time moved"), out);
    CHECK_MESSAGE(has(out, "sums=bf16 tile=128x64 sums=fp32 tile=64"), out);
  }

  TEST_CASE("9.11 compare is short unless everything is asked for, and fits 80 columns") {
    const TwoResults place;
    place.change("after/theory.json", [](auto& results) {
      for (auto& row : results.rows) {
        for (int i = 0; i < 9; ++i) row.metrics.json()["extra_" + std::to_string(i)] = i / 7.0;
      }
      for (int i = 0; i < 9; ++i) {
        results.rows.push_back(results.rows[0]);
        results.rows.back().point = {{"size", 100 + i}};
      }
    });
    const std::string text = place.compare().out;
    CHECK(text.find("  and 3 more values\n") != std::string::npos);
    CHECK(text.find("and 3 more rows (--all shows everything)\n") != std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK(kernbench::display_width(line) <= 80);
    const std::string everything = place.compare({"--all"}).out;
    CHECK(everything.find("more") == std::string::npos);
    CHECK(everything.find("size=108: a new row\n") != std::string::npos);
  }

  TEST_CASE(
      "9.11 approval refuses a changed number of one file under the same versions, and takes it under a raised one") {
    const TwoResults place;
    place.change("after/theory.json", [](auto& results) { results.rows[0].metrics.json()["time_ns"] = 10.5; });
    const Ended refused = place.compare({"--approve"});
    CHECK(refused.exit_code == 1);
    CHECK(
        refused.err.starts_with("theory.json: not approved: values moved, but machine, bench and model have the "
                                "versions of the committed results; where the model changed, raise kModelVersion"));
    CHECK(refused.out.find("+5.00 %") != std::string::npos);

    place.change("before/theory.json", [](auto& results) { results.source.model = "1"; });
    const Ended taken = place.compare({"--approve"});
    CHECK(taken.exit_code == 0);
    CHECK(taken.out.find("theory.json: the sources differ: model version (recorded 1, now ") != std::string::npos);
    CHECK(place.compare().exit_code == 1);
  }

  TEST_CASE("9.11 approval takes added values") {
    const TwoResults place;
    place.change("after/results.json", [](auto& results) { results.rows[0].metrics.json()["alpha_ns"] = 1; });
    CHECK(place.compare({"--approve"}).exit_code == 0);
    CHECK(place.compare().exit_code == 1);
  }

  TEST_CASE("9.11 what cannot be compared is wrong input") {
    const TwoResults place;
    CHECK(place.run(kToy, {"compare", "before", "after/results.json"}).exit_code == 2);
    CHECK(place.run(kToy, {"compare", "before", "nowhere"}).exit_code == 2);
    place.change("after/results.json", [](auto& results) { results.bench = "other"; });
    CHECK(place.compare().exit_code == 2);
  }
}
