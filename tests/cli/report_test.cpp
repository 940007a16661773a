// `kernbench report`: one document of all benches.
#include <doctest/doctest.h>

#include <filesystem>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/json.hpp"
#include "sim/base/read_file.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/report_page.hpp"

using kernbench::Json;
using kernbench::read_file;

namespace {

namespace fs = std::filesystem;

/// The part of that id. Throws where there is none.
Json part(const Json& data, const std::string& id) {
  for (const Json& section : data.at("sections")) {
    if (section.at("id") == id) return section;
  }
  throw std::runtime_error("no part " + id);
}

/// Whether the figures are those in the folder that a run wrote, all of them.
void check_figures(const Json& section, const fs::path& folder) {
  std::size_t specs = 0;
  for (const auto& file : fs::directory_iterator(folder)) specs += file.path().extension() == ".json" ? 1 : 0;
  CHECK(section.at("figures").size() == specs);
  for (const Json& figure : section.at("figures")) {
    const fs::path file = folder / (figure.at("name").get<std::string>() + ".vl.json");
    REQUIRE_MESSAGE(fs::exists(file), file);
    CHECK(figure.at("spec") == kernbench::parse_json(read_file(file), file.string()));
  }
}

/// A run whose figures nobody looks at.
std::vector<std::string> small_run(const std::string& out) {
  return {"run", "milestone-1h-gemm", "--only", "shape=32x64x32", "--out", out, "--no-figures"};
}

void replace_in(const fs::path& file, const std::string& what, const std::string& by) {
  std::string text = read_file(file);
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  kernbench::write_file(file, text.replace(at, what.size(), by));
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.21 the committed results: a part a bench, with the figures that a run draws of them") {
    const Workplace place;
    const Ended ended = place.run(kProgram, {"report", "--out", "all"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json data = page_data(place.path() / "all/index.html");
    const Json list = kernbench::parse_json(place.run(kProgram, {"list", "--json"}).out, "list");
    std::vector<std::string> with_results;
    for (const Json& bench : list) {
      if (bench.at("committed") != "none") with_results.push_back(bench.at("name"));
    }
    REQUIRE(data.at("sections").size() == with_results.size());
    std::size_t figures = 0;
    for (std::size_t i = 0; i < with_results.size(); ++i) {
      const Json& section = data.at("sections").at(i);
      CHECK(section.at("id") == with_results[i]);
      CHECK(section.at("command") == "kernbench run --bench " + with_results[i]);
      CHECK(has(section.at("source"), "bench " + with_results[i] + " (version "));
      figures += section.at("figures").size();
    }
    CHECK(has(ended.out, std::to_string(figures) + " figures of " + std::to_string(with_results.size()) + " benches"));
    for (const char* bench : {"milestone-1h-gemm", "gemm", "overlap-sweep"}) {
      REQUIRE(place.run(kProgram, {"run", bench, "--fast", "--out", "out"}).exit_code == 0);
      check_figures(part(data, bench), place.path() / "out" / bench / "figures");
    }
    CHECK(has(part(data, "milestone-1h-gemm").at("headline"), "At 512³"));
    CHECK(has(read_file(place.path() / "all/index.html"), "content=\"default-src 'none'; script-src 'sha256-"));
  }

  TEST_CASE("11.21 --from: what runs wrote, stale or not; sweeps and other answers are named") {
    const Workplace place;
    const std::string less = "pe.dma.outstanding_bursts=8";
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"run", "gemm", "--set", less, "--only", "m=64,k=64,n=64", "--out", "out", "--no-figures"},
             {"run", "gemm", "--only", "m=64,k=64,n=64", "--sweep", "pe.dma.outstanding_bursts=8,16", "--out", "out",
              "--no-figures"},
             {"run", "milestone-1h-gemm", "--only", "shape=32x64x32", "--out", "out"}}) {
      const Ended ended = place.run(kProgram, command);
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    }
    const auto report = [&place] {
      const Ended ended = place.run(kProgram, {"report", "--from", "out", "--out", "all"});
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      return page_data(place.path() / "all/index.html");
    };
    const Json fresh = report();
    REQUIRE(fresh.at("sections").size() == 2);
    CHECK(part(fresh, "milestone-1h-gemm").at("warnings").empty());  // not all points: no reason
    check_figures(part(fresh, "milestone-1h-gemm"), place.path() / "out/milestone-1h-gemm/figures");
    const Json gemm = part(fresh, "gemm");
    CHECK(gemm.at("command") == "kernbench run --bench gemm --set " + less + " --only m=64,k=64,n=64");
    // Another machine is no reason.
    CHECK(gemm.at("warnings") == Json{"Of a sweep, or of points of one's own: a run's own page has such figures."});
    CHECK(gemm.at("figures").empty());
    CHECK(has(read_file(place.path() / "all/index.html"), "out/gemm-sweep: results of gemm-sweep, which is no bench"));

    replace_in(place.path() / "out/milestone-1h-gemm/results.json", R"("model":")", R"("model":"0)");
    const Json stale = part(report(), "milestone-1h-gemm").at("warnings");
    REQUIRE(stale.size() == 1);
    CHECK(has(stale.at(0), "Stale: model version (recorded 0"));
    CHECK(has(read_file(place.path() / "all/index.html"), "of 2 benches; 1 is stale."));
  }

  TEST_CASE(
      "11.24 a page that would come out the same stays; what it follows from, or a damaged page, writes it anew") {
    const Workplace place;
    REQUIRE(place.run(kProgram, {"run", "milestone-1h-gemm", "--only", "shape=32x64x32", "--out", "out"}).exit_code ==
            0);
    const fs::path page = place.path() / "all/index.html";
    const auto report = [&place] {
      const Ended ended = place.run(kProgram, {"report", "--from", "out", "--out", "all"});
      REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
      return ended.out + ended.err;
    };
    const auto written = [&page] { return fs::last_write_time(page); };
    const std::string said = report();
    const std::string first = read_file(page);
    const auto when = written();
    CHECK(report() == said);
    CHECK(written() == when);

    replace_in(page, "</body>", "<!-- mine --></body>");
    CHECK(report() == said);
    CHECK(read_file(page) == first);
    const std::string summary = read_file(place.path() / "all/report.json");
    replace_in(place.path() / "all/report.json", R"("source": ")", R"("source": "my )");
    CHECK(report() == said);
    CHECK(read_file(place.path() / "all/report.json") == summary);

    replace_in(place.path() / "out/milestone-1h-gemm/results.json", R"("model":")", R"("model":"0)");
    CHECK(has(report(), "1 is stale"));
    CHECK(read_file(page) != first);
    CHECK(has(place.run(kProgram, {"report", "--out", "all"}).err, "another question"));
  }

  TEST_CASE("11.21 results twice have a part each; text out of results is text") {
    const Workplace place;
    REQUIRE(place.run(kProgram, small_run("a")).exit_code == 0);
    fs::copy(place.path() / "a", place.path() / "b", fs::copy_options::recursive);
    replace_in(place.path() / "a/milestone-1h-gemm/results.json", R"("command":")",
               R"("command":"</script><script>alert(1)</script>)");
    const Ended ended = place.run(kProgram, {"report", "--from", "a", "--from", "b/milestone-1h-gemm", "--out", "all"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json data = page_data(place.path() / "all/index.html");
    CHECK(has(part(data, "milestone-1h-gemm").at("command"), "</script><script>alert(1)"));
    CHECK(has(part(data, "milestone-1h-gemm-2").at("source"), "b/milestone-1h-gemm"));
    CHECK_FALSE(has(read_file(place.path() / "all/index.html"), "<script>alert"));
  }

  TEST_CASE("11.21 bad folders and bad results are refused, and nothing is written") {
    const Workplace place;
    const auto refused = [&place](const std::string& from, const std::string& why) {
      const Ended ended = place.run(kProgram, {"report", "--from", from, "--out", "all"});
      CHECK(ended.exit_code == 2);
      CHECK_MESSAGE(has(ended.err, why), ended.err);
      CHECK_FALSE(fs::exists(place.path() / "all/index.html"));
    };
    refused("nowhere", "--from nowhere: expected results.json in it or in a folder in it");
    fs::create_directories(place.path() / "bad");
    kernbench::write_file(place.path() / "bad/results.json", "{");
    refused("bad", "bad/results.json");
    REQUIRE(place
                .run(kProgram,
                     {"sim", "gemm", "--m", "32", "--k", "64", "--n", "32", "--variant", "ref_ref", "--out", "answer"})
                .exit_code == 0);
    refused("answer", "answer: results of sim-gemm, which is no bench");
    REQUIRE(place.run(kProgram, small_run("run")).exit_code == 0);
    replace_in(place.path() / "run/milestone-1h-gemm/results.json", R"("variant":)", R"("variety":)");
    refused("run", "milestone-1h-gemm/results.json: expected rows as bench milestone-1h-gemm makes them");
  }
}
