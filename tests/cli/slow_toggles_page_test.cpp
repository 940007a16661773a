// The page of universal-gemm in a browser: its buttons are pressed, and bars come and go.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "benches/io/text/json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"
#include "tests/cli/report_page.hpp"

namespace {

using kernbench::Json;

constexpr const char* kChromium = "/usr/bin/chromium";

/// Bars of all groups' figures, by the data in the page: of these methods, unless empty, and these replications.
int bars_of(const Json& page, const std::string& group, const std::string& method) {
  int bars = 0;
  for (const Json& figure : page.at("figures")) {
    if (figure.at("name") != "group_" + group) continue;
    for (const Json& record : figure.at("spec").at("data").at("values")) {
      const bool is_shown = record.at("replication") == 1 && (method.empty() || record.at("method") != method);
      if (is_shown && record.at("status") == "ok") ++bars;
    }
  }
  return bars;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.22 pressing a button in a browser takes bars out of every figure and brings them back") {
    if (!std::filesystem::exists(kChromium)) {
      MESSAGE("skipped: there is no " << kChromium << " (Debian's package chromium)");
      return;
    }
    const Workplace place;
    REQUIRE(
        place.run(kProgram, {"run", "universal-gemm", "--fast", "--show", "replication=1", "--out", "out"}).exit_code ==
        0);
    const std::filesystem::path path = place.path() / "out/universal-gemm/index.html";
    const Json page = page_data(path);
    const Ended ended =
        place.run("/usr/bin/env", {"node", kernbench::source_dir() + "/tests/cli/toggle_page.mjs", kChromium,
                                   (place.path() / "profile").string(), "file://" + path.string()});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json views = kernbench::parse_json(ended.out, "toggle_page.mjs");
    for (const std::string group : {"gpt3_expansion", "square"}) {
      const std::string figure = "group_" + group;
      const int all = bars_of(page, group, "");
      const int fewer = bars_of(page, group, "stationary_c");
      CHECK(fewer > 0);
      CHECK(fewer < all);
      CHECK(views.at("first").at("bars").at(figure) == all);
      CHECK(views.at("hidden").at("bars").at(figure) == fewer);
      CHECK(views.at("back").at("bars").at(figure) == all);
    }
    CHECK(views.at("first").at("bars") == views.at("back").at("bars"));
    CHECK_FALSE(views.at("none").at("bars").contains("group_square"));
    CHECK(views.at("none").at("bars").contains("group_gpt3_expansion"));
    CHECK(views.at("linked") == views.at("none"));  // the address leads to the same view
    CHECK(has(views.at("unknown").at("status").get<std::string>(), "method=nobody"));
    for (const auto& named : views.items()) CHECK_MESSAGE(named.value().at("wrong") == false, named.key());
  }
}
