// `kernbench trace report` and `compare`: what is in the folder.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/json.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/report_page.hpp"

using kernbench::Json;
using kernbench::read_file;

namespace {

namespace fs = std::filesystem;

const std::string kTraceSweep = kernbench::source_dir() + "/benches/reference/nvidia-h200/traces/overlap";

Json document(const fs::path& file) { return kernbench::parse_json(read_file(file), file.string()); }

/// A trace of one GEMM by name, `name`, and a copy that was not launched in it: a warning.
std::string trace_of(const std::string& name) {
  return R"({"traceEvents":[{"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},)"
         R"({"ph":"X","cat":"kernel","name":)" +
         Json(name).dump() +
         R"(,"pid":0,"tid":7,"ts":5,"dur":10,"args":{"correlation":1}},{"ph":"X","cat":"gpu_memcpy","name":"copy","pid":0,"tid":7,"ts":1,"dur":2,"args":{}}]})";
}

}  // namespace

TEST_CASE("a trace that --csv would take for its file is not written over") {
  const Workplace place;
  kernbench::write_file(place.path() / "rank0.json", trace_of("gemm"));
  kernbench::write_file(place.path() / "rank1.json", trace_of("gemm"));
  for (const char* option : {"--csv", "--json"}) {
    const Ended ended = place.run(kProgram, {"trace", "gemms", option, "rank0.json", "rank1.json"});
    CHECK(ended.exit_code == 2);
    CHECK(has(ended.err, "rank0.json: expected a new file, or an earlier one"));
  }
  CHECK(read_file(place.path() / "rank0.json") == trace_of("gemm"));
}

TEST_CASE("an axis called as a column is refused, and so is a folder with somebody's page") {
  const Workplace place;
  fs::create_directories(place.path() / "a");
  kernbench::write_file(place.path() / "a/rank0.json", trace_of("gemm"));
  const Ended axis = place.run(kProgram, {"trace", "gemms", "a", "--layout", "{op}/rank{rank}.json"});
  CHECK(axis.exit_code == 2);
  CHECK(has(axis.err, "--layout: {op}: table gemms has a column of that name"));
  fs::create_directories(place.path() / "mine");
  kernbench::write_file(place.path() / "mine/index.html", "hi");
  const Ended report = place.run(kProgram, {"trace", "report", "a", "--out", "mine"});
  CHECK(report.exit_code == 2);
  CHECK(read_file(place.path() / "mine/index.html") == "hi");
}

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.46 a report has tables, figures and a page; the tables are those of the commands") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"trace", "report", kTraceSweep + "/28ch_256threads", "--out", "report"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(has(ended.out, "Over 4 traces the GPUs compute "));
    CHECK(has(ended.out, " files written to report\nopen report/index.html\n"));
    const fs::path folder = place.path() / "report";
    for (const char* name : {"timeline", "gemms"}) {
      for (const char* kind : {"csv", "json"}) {
        const std::string file = std::string(name) + "." + kind;
        CAPTURE(file);
        REQUIRE(place.run(kProgram, {"trace", name, kTraceSweep + "/28ch_256threads", std::string("--") + kind, file})
                    .exit_code == 0);
        CHECK(read_file(folder / "tables" / file) == read_file(place.path() / file));
      }
    }
    const Json report = document(folder / "report.json");
    CHECK(report.at("command") == "kernbench trace report " + kTraceSweep + "/28ch_256threads");
    REQUIRE(report.at("files").size() > 12);
    for (const Json& file : report.at("files")) CHECK(fs::file_size(folder / file.get<std::string>()) > 0);
    const std::string page = read_file(folder / "index.html");
    CHECK(has(page, "Over 4 traces the GPUs compute "));
    CHECK(has(page, "<ul id=\"warnings\" aria-label=\"Warnings\"></ul>"));
  }

  TEST_CASE("40.54 a table without rows is a sentence; a document of it has its head, and the sentence is a warning") {
    const Workplace place;
    kernbench::write_file(place.path() / "rank0.json", trace_of("relu"));
    for (const char* table : {"gemms", "top", "causes", "collectives"}) {
      CAPTURE(table);
      const Ended shown = place.run(kProgram, {"trace", table, "rank0.json"});
      CHECK(shown.exit_code == 0);
      CHECK(shown.out.starts_with(std::string(table) + ": no rows: among the GPU events that count there is no "));
      const Ended document = place.run(kProgram, {"trace", table, "rank0.json", "--csv"});
      CHECK(std::ranges::count(document.out, '\n') == 1);
      CHECK(has(document.err, std::string(table) + ": no rows: "));
    }
  }

  TEST_CASE("40.40 the calls of each row of gemms, in its order") {
    const Workplace place;
    REQUIRE(place.run(kProgram, {"trace", "report", kTraceSweep + "/28ch_256threads", "--out", "report"}).exit_code ==
            0);
    const Json rows = document(place.path() / "report/tables/gemms.json").at("rows");
    const Json calls = document(place.path() / "report/tables/gemm_calls.json").at("rows");
    std::size_t next = 0;
    for (const Json& row : rows) {
      double sum = 0;
      double longest = 0;
      double kernels = 0;
      for (int number = 0; number < row.at("count"); ++number, ++next) {
        const Json& call = calls.at(next);
        CHECK(call.at("call") == number);
        for (const char* same : {"rank", "op", "M", "N", "K", "layout"}) CHECK(call.at(same) == row.at(same));
        sum += call.at("time_us").get<double>();
        kernels += call.at("kernel_us").get<double>();
        longest = std::max(longest, call.at("time_us").get<double>());
      }
      CHECK(sum == doctest::Approx(row.at("sum_us").get<double>()).epsilon(1e-12));
      CHECK(kernels == doctest::Approx(row.at("kernel_sum_us").get<double>()).epsilon(1e-12));
      CHECK(longest == row.at("max_us"));
    }
    CHECK(next == calls.size());
  }

  TEST_CASE("40.47 40.48 40.49 40.52 the figures of a real run have the numbers of its tables") {
    const Workplace place;
    REQUIRE(place.run(kProgram, {"trace", "report", kTraceSweep + "/70ch_512threads", "--out", "report"}).exit_code ==
            0);
    const fs::path folder = place.path() / "report";
    const auto rows = [&folder](const char* table) {
      return document(folder / "tables" / (std::string(table) + ".json")).at("rows");
    };
    const auto panels = [&folder](const char* figure) {
      return document(folder / "figures" / (std::string(figure) + ".vl.json")).at("concat");
    };
    std::size_t fits = 0;
    std::size_t dots = 0;
    const Json beside = panels("gemm_times_beside_communication");
    for (const Json& fit : rows("slowdowns")) {
      if (fit.at("contention_slope").is_null()) continue;
      const auto is_of_fit = [&fit](const Json& panel) {
        return panel.at("title").at("subtitle").at(0) == fit.at("kernel") &&
               has(panel.at("title").at("text"), " " + fit.at("layout").get<std::string>() + " ");
      };
      const auto panel = std::ranges::find_if(beside, is_of_fit);
      REQUIRE(panel != beside.end());
      const Json& layers = panel->at("layer");
      ++fits;
      const Json& line = layers.at(1).at("data").at("values").at(0);
      for (const auto& [field, column] : {std::pair{"base", "base_us"}, std::pair{"slope", "contention_slope"},
                                          std::pair{"samples", "contention_samples"}}) {
        CHECK(line.at(field).get<double>() == doctest::Approx(fit.at(column).get<double>()).epsilon(1e-9));
      }
      const Json& shown = layers.at(0).at("data").at("values");
      std::size_t next = 0;
      for (const Json& call : rows("gemm_calls")) {
        if (call.at("kernel") != fit.at("kernel") || call.at("layout") != fit.at("layout")) continue;
        CHECK(shown.at(next).at("time") == call.at("kernel_us"));
        CHECK(shown.at(next++).at("share").get<double>() ==
              doctest::Approx(call.at("share_pct").get<double>()).epsilon(1e-9));
      }
      CHECK(next == shown.size());
      dots += next;
    }
    CHECK(fits == beside.size());
    CHECK(fits == 2);
    CHECK(dots > 80);
    const Json collectives = rows("collectives");
    const Json cells = panels("collective_waits").at(0).at("data").at("values");
    const Json busbw = panels("collective_busbw").at(0).at("layer").at(0).at("data").at("values");
    REQUIRE(collectives.size() == 12);
    REQUIRE(cells.size() == 48);
    REQUIRE(busbw.size() == 12);
    for (std::size_t i = 0; i < 12; ++i) {
      for (std::size_t rank = 0; rank < 4; ++rank) {
        CHECK(cells[4 * i + rank].at("wait") == collectives[i].at("wait_rank" + std::to_string(rank) + "_us"));
      }
      CHECK(busbw[i].at("busbw").get<double>() ==
            doctest::Approx(collectives[i].at("busbw_gbs").get<double>()).epsilon(1e-9));
      CHECK(busbw[i].at("alone") == collectives[i].at("alone_us"));
    }
    const Json around = rows("around_longest");
    const Json bars = document(folder / "figures/around_longest_call.vl.json").at("data").at("values");
    REQUIRE(bars.size() == around.size());
    for (std::size_t i = 0; i < bars.size(); ++i) CHECK(bars[i].at("start") == around[i].at("start_us"));
    const Json top = rows("top").at(0);
    const auto is_call = [](const Json& bar) { return bar.at("longest_call") == "yes"; };
    CHECK(std::ranges::find_if(bars, is_call)->at("duration") == top.at("max_kernel_us"));
  }

  TEST_CASE("40.53 every column of a report's and a comparison's tables says what it means") {
    const Workplace place;
    const std::string one = kTraceSweep + "/28ch_256threads";
    const std::string other = kTraceSweep + "/28ch_512threads";
    REQUIRE(place.run(kProgram, {"trace", "report", one, other, "--out", "report"}).exit_code == 0);
    REQUIRE(place.run(kProgram, {"trace", "compare", one, other, "--out", "compare"}).exit_code == 0);
    std::size_t columns = 0;
    for (const char* folder : {"report", "compare"}) {
      const Json data = page_data(place.path() / folder / "index.html");
      for (const Json& table : data.at("tables")) {
        CHECK(table.at("meaning").get<std::string>().find("All of it") > 5);
        for (const Json& column : table.at("columns")) {
          CHECK_MESSAGE(!column.at("meaning").get<std::string>().empty(), column.at("key").get<std::string>());
          ++columns;
        }
      }
    }
    CHECK(columns > 200);
    for (const char* figure : {"gemm_times_beside_communication", "collective_waits", "collective_busbw"}) {
      CHECK(fs::exists(place.path() / "compare/figures" / (std::string(figure) + ".svg")));  // 40.52
    }
    CHECK_FALSE(fs::exists(place.path() / "compare/figures/around_longest_call.svg"));
  }

  TEST_CASE("40.46 the folder of another answer is refused, in both directions; of the same it is replaced") {
    const Workplace place;
    kernbench::write_file(place.path() / "rank0.json", trace_of("gemm"));
    REQUIRE(place.run(kProgram, {"trace", "report", "rank0.json", "--out", "report"}).exit_code == 0);
    CHECK(has(read_file(place.path() / "report/index.html"),
              "rank0.json: 1 GPU event of 2.000 µs have no launch"));  // a warning
    kernbench::write_file(place.path() / "report/tables/old.csv", "of an earlier version");
    kernbench::write_file(place.path() / "report/tables/own.csv", "the user's own");
    Json listed = document(place.path() / "report/report.json");
    listed["files"].push_back("tables/old.csv");
    kernbench::write_file(place.path() / "report/report.json", listed.dump());
    CHECK(place.run(kProgram, {"trace", "report", "rank0.json", "--out", "report"}).exit_code == 0);
    CHECK_FALSE(fs::exists(place.path() / "report/tables/old.csv"));
    CHECK(read_file(place.path() / "report/tables/own.csv") == "the user's own");
    const Ended other = place.run(kProgram, {"trace", "report", "rank0.json", "--unlinked", "--out", "report"});
    CHECK(other.exit_code == 2);
    CHECK(has(other.err, "it has results of another question"));
    const std::vector<std::string> sim{"sim", "gemm", "--m",       "32",      "--k",  "64",
                                       "--n", "32",   "--variant", "ref_ref", "--out"};
    std::vector<std::string> command = sim;
    command.emplace_back("report");
    const Ended into_report = place.run(kProgram, command);
    CHECK(into_report.exit_code == 2);
    CHECK(has(into_report.err, "it has results of trace-report"));
    command.back() = "gemm";
    REQUIRE(place.run(kProgram, command).exit_code == 0);
    const Ended into_gemm = place.run(kProgram, {"trace", "report", "rank0.json", "--out", "gemm"});
    CHECK(into_gemm.exit_code == 2);
    CHECK(has(into_gemm.err, "it has results of sim-gemm"));
  }

  TEST_CASE("40.46 a kernel's name is text, whatever it holds") {
    const std::string name = "gemm<script>alert(1)</script>&\"'] {{page:title}}";
    const Workplace place;
    kernbench::write_file(place.path() / "rank0.json", trace_of(name));
    const Ended ended = place.run(kProgram, {"trace", "report", "rank0.json", "--out", "report"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const fs::path folder = place.path() / "report";
    CHECK_FALSE(has(read_file(folder / "index.html"), "<script>alert"));
    CHECK(has(read_file(folder / "index.html"), "gemm\\u003cscript>alert"));
    CHECK_FALSE(has(read_file(folder / "figures/gemm_times.svg"), "<script"));
    CHECK(has(read_file(folder / "figures/gemm_times.svg"), "gemm&lt;script&gt;alert(1)"));
    CHECK(document(folder / "tables/gemms.json").at("rows").at(0).at("kernel") == name);
  }

  TEST_CASE("40.46 bad traces leave nothing behind") {
    const Workplace place;
    kernbench::write_file(place.path() / "rank0.json", "{}");
    CHECK(place.run(kProgram, {"trace", "report", "rank0.json", "--out", "report"}).exit_code == 2);
    CHECK_FALSE(fs::exists(place.path() / "report/report.json"));
    CHECK_FALSE(fs::exists(place.path() / "report/index.html"));
  }

  TEST_CASE("40.45 two points of a sweep compared: their tables have the axis run, labels are checked") {
    const std::vector<std::string> points{kTraceSweep + "/28ch_256threads/rank0.json.gz",
                                          kTraceSweep + "/70ch_512threads/rank0.json.gz"};
    const auto compare = [&points](const Workplace& place, const std::vector<std::string>& more) {
      std::vector<std::string> arguments{"trace", "compare", points[0], points[1], "--out", "compare"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      return place.run(kProgram, arguments);
    };
    const Workplace place;
    for (const char* labels : {"few", "few,", "a,a", "a,b,c"}) {
      const Ended refused = compare(place, {"--labels", labels});
      CHECK(refused.exit_code == 2);
      CHECK(has(refused.err, "--labels"));
    }
    const Ended ended = compare(place, {"--labels", "few,many"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json differences = document(place.path() / "compare/tables/differences.json").at("rows");
    REQUIRE(differences.size() == 8);  // five of the timeline, three GEMMs
    const Json timeline = document(place.path() / "compare/tables/timeline.json").at("rows");
    CHECK(timeline.at(0).at("run") == "few");
    CHECK(timeline.at(1).at("run") == "many");
    CHECK(differences.at(0).at("metric") == "total_us");
    CHECK(differences.at(0).at("base_us").get<double>() ==
          doctest::Approx(timeline.at(0).at("total_us").get<double>()));
    CHECK(differences.at(0).at("difference_us").get<double>() ==
          doctest::Approx(timeline.at(1).at("total_us").get<double>() - timeline.at(0).at("total_us").get<double>()));
    CHECK(differences.at(0).at("beyond_spread") == "");  // of one rank
  }
}
