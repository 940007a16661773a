// Fast mode: figures and tables from committed results, which say so when they are stale.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/sha256.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;
using kernbench::Json;

namespace {

const std::vector<std::string> kRun{"run", "--bench", "toy-steps", "--no-provenance"};
const std::vector<std::string> kFast{"run", "--bench", "toy-steps", "--fast"};

/// A workplace whose toy bench has committed results; later simulations would leave a log.
struct Committed : Workplace {
  Committed() {
    set("TOY_FOLDER=" + path().string());
    CHECK(run(kToy, kRun).exit_code == 0);
    fs::rename(path() / "out/toy-steps", path() / "results");
    set("TOY_LOG=" + (path() / "log").string());
  }
  [[nodiscard]] bool simulated() const { return fs::exists(path() / "log"); }
};

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.8 fast mode simulates nothing and copies the committed data, asked for by option or by environment") {
    Committed place;
    const auto check = [&place](const std::vector<std::string>& command) {
      const Ended ended = place.run(kToy, command);
      CHECK(ended.exit_code == 0);
      CHECK(ended.err == "not simulated: " + (place.path() / "results/results.json").string() + " is up to date\n");
      CHECK(ended.out.find("4          44.0    50.0 %   40.0  +10.0 %") != std::string::npos);
      CHECK_FALSE(place.simulated());
      for (const char* file : {"results.json", "results.csv", "theory.json", "theory.csv"}) {
        CHECK(kernbench::read_file(place.path() / "out/toy-steps" / file) ==
              kernbench::read_file(place.path() / "results" / file));
      }
      fs::remove_all(place.path() / "out");
    };
    check(kFast);
    place.set("MILESTONE_FAST=1");
    check({"run", "--bench", "toy-steps"});
    place.set("MILESTONE_FAST=0");
    CHECK(place.run(kToy, kRun).exit_code == 0);
    CHECK(place.simulated());
  }

  TEST_CASE("9.8 stale committed results are used and called stale, with what differs") {
    Committed place;
    std::vector<std::string> other_machine = kFast;
    other_machine.insert(other_machine.end(), {"--set", "pe.stream_depth=3"});
    const Ended ended = place.run(kToy, other_machine);
    CHECK(ended.exit_code == 0);
    CHECK(ended.err.find("warning: not simulated, and the committed results are STALE: pe.stream_depth (recorded as "
                         "in its file, now 3) and machine milestone-1h (recorded hash ") == 0);

    const fs::path file = place.path() / "results/results.json";
    for (const char* name : {"results/results.json", "results/theory.json"}) {
      auto results = kernbench::parse_results(kernbench::read_file(place.path() / name), name);
      results.source.bench = "0";
      kernbench::write_file(place.path() / name, format_results(results));
    }
    CHECK(place.run(kToy, kFast).err.find("STALE: bench version (recorded 0, now 1)") != std::string::npos);
    CHECK_FALSE(place.simulated());

    const Json list = Json::parse(place.run(kToy, {"list", "--json"}).out);
    CHECK(list[1]["committed"] == "stale");
    CHECK(list[1]["why"] == "bench version (recorded 0, now 1)");
    kernbench::write_file(file, "{");
    CHECK(Json::parse(place.run(kToy, {"list", "--json"}).out)[1]["committed"] == "unreadable");
    CHECK(place.run(kToy, kFast).exit_code == 2);
  }

  TEST_CASE("9.10 what fast mode reads is checked like what is taken in: all findings, exit code 2, nothing written") {
    Committed place;
    const fs::path file = place.path() / "results/results.json";
    const std::string good = kernbench::read_file(file);
    const auto complaint = [&](const auto& change, const char* name = "results/results.json") {
      const fs::path changed = place.path() / name;
      const std::string before = kernbench::read_file(changed);
      auto results = kernbench::parse_results(before, name);
      change(results);
      kernbench::write_file(changed, format_results(results));
      const Ended ended = place.run(kToy, kFast);
      CHECK(ended.exit_code == 2);
      CHECK(ended.out.empty());
      CHECK(ended.err.find("up to date") == std::string::npos);
      CHECK_FALSE(fs::exists(place.path() / "out/toy-steps/results.json"));
      CHECK(Json::parse(place.run(kToy, {"list", "--json"}).out)[1]["committed"] == "unreadable");
      kernbench::write_file(changed, before);
      return ended.err.substr(0, ended.err.find("these committed results"));
    };
    const std::string place_of_row = "error: " + file.string() + ": rows[1] {\"size\":2}: ";
    const auto with_time = [&](const Json& value) {
      return complaint([&value](auto& results) { results.rows[1].metrics.json()["time_ns"] = value; });
    };
    CHECK(with_time(-5) == place_of_row + "time_ns: expected a number from 0 to 9.22e+15, got -5.0\n");
    CHECK(with_time(1e300) == place_of_row + "time_ns: expected a number from 0 to 9.22e+15, got 1e+300\n");
    CHECK(with_time(0) == place_of_row + "time_ns: expected a number above 0, got 0\n");
    CHECK(with_time("22") == place_of_row + "time_ns: expected a number above 0, got \"22\"\n");
    CHECK(with_time(nullptr).find("time_ns: expected a number or a text, got null") != std::string::npos);
    CHECK(complaint([](auto& results) { results.rows[1].metrics.json().erase("time_ns"); }) ==
          place_of_row + "time_ns: expected a number above 0, got nothing\n");
    CHECK(complaint([](auto& results) { results.rows[1].metrics.json()["mac_util"] = 1.5; }) ==
          place_of_row + "mac_util: expected a number from 0 to 1, got 1.5\n");
    CHECK(complaint([](auto& results) { results.rows[1].metrics.json()["error"] = -1.5; }) ==
          place_of_row + "error: expected a number above -1, got -1.5\n");
    CHECK(complaint([](auto& results) { results.rows[1].windows["pe_ns"] = -1; }).find("pe_ns: ") != std::string::npos);
    CHECK(complaint([](auto& results) { results.rows[1].stages[0].wall_ns = -1; }).find("mac wall_ns: ") !=
          std::string::npos);
    CHECK(complaint([](auto& results) { results.rows[1].stages[0].bytes = -1; }).find("mac: ") != std::string::npos);

    const std::string rows = "error: " + file.string() + ": rows: ";
    CHECK(complaint([](auto& results) { results.rows.clear(); }) ==
          rows + "4 points of toy-steps are missing, the first: {\"size\":1}\n");
    CHECK(complaint([](auto& results) { results.rows.erase(results.rows.begin() + 3); }) ==
          rows + "1 point of toy-steps is missing: {\"size\":4}\n");
    CHECK(complaint([](auto& results) { results.rows.push_back(results.rows[2]); }) ==
          rows + "expected one row of {\"size\":3}, got 2\n");
    CHECK(complaint([](auto& results) {
            results.rows.push_back(results.rows[2]);
            results.rows.back().point["size"] = 9;
          }) == rows + "toy-steps has no point {\"size\":9}\n");
    CHECK(complaint([](auto& results) { results.bench = "toy-faults"; }) ==
          "error: " + file.string() + ": bench: expected \"toy-steps\", got \"toy-faults\"\n");
    CHECK(complaint([](auto& results) {
            results.source.kind = "gpu:NVIDIA H200";
          }).find("source.kind: expected \"sim\"") != std::string::npos);
    CHECK(complaint([](auto& results) { results.source.machine_sha256 = "0"; }, "results/theory.json")
              .find("is not of the same run as results.json: machine milestone-1h") != std::string::npos);
    CHECK(
        complaint([](auto& results) { results.rows.pop_back(); }, "results/theory.json").find("1 point of toy-steps") !=
        std::string::npos);
    CHECK(complaint([](auto& results) {
            for (auto& row : results.rows) {
              for (const char* name : {"a_ns", "b_ns", "c_ns"}) row.metrics.json()[name] = -1;
            }
          }).find("and 2 findings more\n") != std::string::npos);
    CHECK(place.run(kToy, kFast).exit_code == 0);
    CHECK_FALSE(place.simulated());
  }

  TEST_CASE("9.8 fast mode without committed results is refused with what to do") {
    Workplace place;
    place.set("TOY_FOLDER=" + place.path().string());
    const Ended ended = place.run(kToy, kFast);
    CHECK(ended.exit_code == 2);
    CHECK(ended.err == "error: --fast: toy-steps has no committed results in " + (place.path() / "results").string() +
                           ": run it without --fast first\n");
  }
}

TEST_SUITE("ADR-0011") {
  TEST_CASE(
      "11.23 the first figures of committed results are the committed ones, and node is not asked; nor for the next") {
    const Workplace place;
    const fs::path written = place.path() / "out/milestone-1h-gemm/figures";
    const auto figures = [&] {
      const Ended ended = place.run(kProgram, {"run", "milestone-1h-gemm", "--fast"}, {"PATH=/nonexistent"});
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      std::map<std::string, std::string> bytes;
      for (const auto& file : fs::directory_iterator(written)) {
        bytes[file.path().filename()] = kernbench::read_file(file.path());
      }
      return bytes;
    };
    const auto first = figures();
    CHECK(first.size() == 6 * 3 + 1);
    for (const auto& file :
         fs::directory_iterator(kernbench::source_dir() + "/benches/milestone_1h_gemm/results/figures")) {
      if (file.path().extension() != ".svg") continue;
      CHECK_MESSAGE(first.at(file.path().filename()) == kernbench::read_file(file.path()), file.path());
    }
    CHECK(figures() == first);

    const fs::path list = written / "drawings.txt";
    std::string broken = kernbench::read_file(list);
    broken[0] = broken[0] == '0' ? '1' : '0';
    kernbench::write_file(list, broken);
    CHECK(figures() == first);  // from the committed ones again
  }

  TEST_CASE("11.23 every committed figure is in the list beside it, with its bytes, as scripts/approve leaves them") {
    std::size_t figures = 0;
    for (const auto& bench : fs::directory_iterator(kernbench::source_dir() + "/benches")) {
      const fs::path folder = bench.path() / "results/figures";
      if (!fs::exists(folder)) continue;
      REQUIRE_MESSAGE(fs::exists(folder / "drawings.txt"), folder);
      const std::string list = kernbench::read_file(folder / "drawings.txt");
      std::ptrdiff_t svgs = 0;
      for (const auto& file : fs::directory_iterator(folder)) {
        if (file.path().extension() != ".svg") continue;
        ++svgs;
        const std::string sum = kernbench::sha256_hex(kernbench::read_file(file.path()));
        CHECK_MESSAGE(has(list, " " + sum + " " + file.path().filename().string() + "\n"), file.path());
      }
      CHECK_MESSAGE(std::count(list.begin(), list.end(), '\n') == svgs, folder);
      figures += static_cast<std::size_t>(svgs);
    }
    CHECK(figures > 50);
  }
}
