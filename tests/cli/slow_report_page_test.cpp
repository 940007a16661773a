// `kernbench report`, opened by a browser: every figure is drawn, and nothing is asked for.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "benches/io/text/json.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/report_page.hpp"

namespace {

constexpr const char* kBrowser = "/usr/bin/chromium";

int times_in(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.21 a browser draws every figure of the report, under a policy that forbids requests") {
    if (!std::filesystem::exists(kBrowser)) {
      MESSAGE("skipped: there is no " << kBrowser << " (Debian's package chromium)");
      return;
    }
    const Workplace place;
    REQUIRE(place.run(kProgram, {"report", "--out", "all"}).exit_code == 0);
    const std::filesystem::path page = place.path() / "all/index.html";
    std::size_t figures = 0;
    const kernbench::Json data = page_data(page);
    for (const kernbench::Json& section : data.at("sections")) figures += section.at("figures").size();
    const Ended ended = place.run(
        kBrowser, {"--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                   "--user-data-dir=" + (place.path() / "profile").string(), "--host-resolver-rules=MAP * ~NOTFOUND",
                   "--virtual-time-budget=60000", "--dump-dom", "file://" + page.string()});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(figures > 15);
    // What the script itself says of both is in the page, too.
    const std::string text = kernbench::read_file(page);
    CHECK(times_in(ended.out, "<svg") - times_in(text, "<svg") == static_cast<int>(figures));
    CHECK(times_in(ended.out, "could not be drawn") == times_in(text, "could not be drawn"));
    CHECK_FALSE(has(ended.err, "CONSOLE"));  // the policy's refusals are said there
    CHECK(times_in(ended.out, "id=\"universal-gemm-toggles\"") == 1);
    CHECK(has(ended.out, ">stationary_b</button>"));
    for (const kernbench::Json& section : data.at("sections")) {
      const std::string id = section.at("id");
      CHECK(has(ended.out, "<a href=\"#" + id + "\">"));
      for (const kernbench::Json& figure : section.at("figures")) {
        CHECK(has(ended.out, "<details id=\"" + id + "-" + figure.at("name").get<std::string>() + "\" open"));
      }
    }
  }
}
