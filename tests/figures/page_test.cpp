// The interactive page: holds all data, loads nothing, and keeps the data from becoming markup.
#include "benches/results/figures/page.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <regex>

#include "benches/milestone_1h_ccl/figures.hpp"
#include "benches/milestone_1h_gemm/figures.hpp"
#include "benches/results/figures/column_words.hpp"
#include "benches/results/figures/page_table.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/sha256.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/load_machine.hpp"
#include "tests/figures/drawing.hpp"
#include "tests/figures/sample_results.hpp"
#include "tests/support/generated_part.hpp"

namespace {

using kernbench::Json;
using kernbench::Results;

using kernbench::sample::between;

const std::string kGemm = kernbench::sample::kSource + "/benches/milestone_1h_gemm/results/";
const std::string kCcl = kernbench::sample::kSource + "/benches/milestone_1h_ccl/results/";

const std::string kDataOpen = R"(<script type="application/json" id="data">)";

std::string data_text(const std::string& page) { return between(page, kDataOpen, "</script>"); }

/// The page without what its script, style and data elements hold and without comments: its markup.
std::string markup(const std::string& page) {
  std::string rest;
  std::size_t at = 0;
  while (at < page.size()) {
    std::size_t open = std::string::npos;
    std::string close;
    const std::array<std::pair<const char*, const char*>, 3> kinds{
        {{"<script", "</script>"}, {"<style", "</style>"}, {"<!--", "-->"}}};
    for (const auto& [begin, end] : kinds) {
      if (page.find(begin, at) < open) {
        open = page.find(begin, at);
        close = end;
      }
    }
    rest += page.substr(at, open - at);
    if (open == std::string::npos) break;
    at = page.find(close, open) + close.size();
  }
  return rest;
}

int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

std::string base64_of_hex(const std::string& hex) {
  const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bits;
  for (const char c : hex) {
    const int value = std::stoi(std::string(1, c), nullptr, 16);
    for (int bit = 3; bit >= 0; --bit) bits += (value >> bit & 1) != 0 ? '1' : '0';
  }
  while (bits.size() % 6 != 0) bits += '0';
  std::string text;
  for (std::size_t i = 0; i < bits.size(); i += 6) text += digits[std::stoi(bits.substr(i, 6), nullptr, 2)];
  while (text.size() % 4 != 0) text += '=';
  return text;
}

}  // namespace

TEST_SUITE("ADR-0011") {
  TEST_CASE("11.10 the page holds the figures' specifications and every row of both sources") {
    const auto [sim, theory] = kernbench::sample::results();
    const auto figures = kernbench::milestone_1h_gemm_figures(sim, theory);
    const Json data = Json::parse(data_text(kernbench::page_html({.title = "GEMM"}, figures, sim, theory)));
    REQUIRE(data.at("figures").size() == figures.size());
    for (std::size_t i = 0; i < figures.size(); ++i) CHECK(data["figures"][i]["spec"] == figures[i].spec);
    REQUIRE(data.at("tables").size() == 1);
    const Json& rows = data["tables"][0].at("rows");
    REQUIRE(rows.size() == 24);
    for (std::size_t i = 0; i < 24; ++i) {
      const kernbench::Row& row = sim.rows[i];
      const kernbench::Row& bound = theory.rows[i];
      Json expected = row.point;
      expected["status"] = "ok";
      expected.update(row.metrics.json());
      expected.update(row.windows);
      for (const Json& values : {bound.metrics.json(), bound.windows}) {
        for (const auto& [name, value] : values.items()) expected["bound:" + name] = value;
      }
      expected["above"] =
          row.metrics.json().at("time_ns").get<double>() / bound.metrics.json().at("time_ns").get<double>() - 1;
      if (!row.flags.empty()) expected["flags"] = "under_tile";
      CHECK(nlohmann::json(rows[i]) == nlohmann::json(expected));
    }
  }

  TEST_CASE("11.11 the page loads nothing: its policy forbids it and its markup names no address") {
    const auto [sim, theory] = kernbench::sample::results();
    const std::string page = kernbench::page_html({.title = "GEMM"}, {}, sim, theory);
    const std::string policy = between(page, R"(http-equiv="Content-Security-Policy" content=")", "\"");
    CHECK(policy.find("default-src 'none'") == 0);
    CHECK(policy.find("http") == std::string::npos);
    CHECK(policy.find("unsafe-eval") == std::string::npos);

    // The one script that the policy lets run is the one in the page.
    const std::string script = between(page, "</script>\n<script>", "</script>");
    CHECK(script.size() > 500'000);
    CHECK(policy.find("script-src 'sha256-" + base64_of_hex(kernbench::sha256_hex(script)) + "';") !=
          std::string::npos);

    const std::regex address(R"(\b(src|href|srcset|action|data|poster)\s*=|<(link|img|iframe|object|embed|base)\b)");
    CHECK(!std::regex_search(markup(page), address));
    const std::string style = between(page, "<style>", "</style>");
    CHECK(count(style, "url(") == 2);  // Roboto, regular and bold
    CHECK(count(style, "url(\"data:font/woff2;base64,") + count(style, "url(data:font/woff2;base64,") == 2);
    CHECK(style.find("@import") == std::string::npos);
  }

  TEST_CASE("11.12 no text of the results becomes markup, and all of it arrives unchanged") {
    const auto [sim, theory] = kernbench::sample::results();
    const std::string plain = kernbench::page_html({.title = "GEMM"}, {}, sim, theory);
    const auto hostile =
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("<>/!-&\"'\\{}:;= \nabscript")));
    CHECK(rc::check([&, &theory_rows = theory, &sim_rows = sim] {
      const std::string text = *rc::gen::oneOf(
          hostile, rc::gen::element<std::string>("</script><script>alert(1)</script>", "<!-- <script>", "]]>",
                                                 "{{page:data}}", "</title><img src=x>", "\xE2\x80\xA8"));
      Results sim_with_text = sim_rows;
      sim_with_text.rows[0].reason = "!" + text;
      sim_with_text.source.machine = text;
      const std::string page = kernbench::page_html(
          {.title = text, .headline = text, .command = text, .machine = {{text, text, text}}, .differences = {text}},
          {}, sim_with_text, theory_rows);
      RC_ASSERT(data_text(page).find('<') == std::string::npos);
      RC_ASSERT(Json::parse(data_text(page)).at("tables").at(0).at("rows").at(0).at("reason") == "!" + text);
      for (const char* tag : {"<script", "</script", "<!--", "<img", "</title"}) {
        RC_ASSERT(count(page, tag) == count(plain, tag));
      }
      RC_ASSERT(count(markup(page), "<") == count(markup(plain), "<"));
    }));
  }

  TEST_CASE("11.15 the machine is as its file has it: the array by rows and columns, the links that are there") {
    const auto fact_of = [](const kernbench::MachineSpec& machine, const std::string& name) {
      for (const kernbench::MachineFact& fact : kernbench::machine_facts(machine)) {
        if (fact.name == name) return fact.value;
      }
      return std::string("none");
    };
    const auto fact = [&](const std::vector<std::string>& keys, const std::string& name) {
      return fact_of(kernbench::sample::milestone(keys), name);
    };
    const auto systolic = kernbench::load_machine(kernbench::source_dir() + "/topology/tpu_v4_core.yaml").spec;
    CHECK(fact_of(systolic, "peak of a PE").find(": 65,536 MACs a cycle at ") != std::string::npos);
    CHECK(fact({}, "peak of a PE").ends_with(": 4,096 MACs a cycle at 1 GHz"));
    CHECK(fact({}, "links") == "router to router 256 GB/s; a die's side 4 × 128 GB/s; package to package 512 GB/s");
    const std::vector<std::string> die{"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=1"};
    CHECK(fact(die, "links") == "router to router 256 GB/s");
    std::vector<std::string> pe = die;
    pe.insert(pe.end(), {"die.routers.rows=1", "die.routers.columns=1"});
    CHECK(fact(pe, "links") == "none");
  }

  TEST_CASE("11.15 the page begins with what came out, the command, and the machine with what differs in it") {
    const auto [sim, theory] = kernbench::sample::results();
    const auto milestone = kernbench::sample::milestone();
    const auto faster = kernbench::sample::milestone({"die.hbm.bandwidth=512 GB/s", "pe.tcm.capacity=8 MiB"});
    CHECK(kernbench::machine_differences(milestone, milestone).empty());
    const std::vector<std::string> differences = kernbench::machine_differences(faster, milestone);
    CHECK(differences == std::vector<std::string>{"die.hbm.bandwidth: 512 GB/s, there 256 GB/s",
                                                  "pe.tcm.capacity: 8 MiB, there 16 MiB"});
    const std::string page = kernbench::page_html({.title = "GEMM",
                                                   .headline = "It is bound by HBM.",
                                                   .command = "kernbench run --bench b",
                                                   .machine = kernbench::machine_facts(faster),
                                                   .beside = "m.yaml",
                                                   .differences = differences},
                                                  {}, sim, theory);
    CHECK(page.find("<p id=\"headline\">It is bound by HBM.</p>") < page.find("<main>"));
    CHECK(page.find("<code>kernbench run --bench b</code>") < page.find("<main>"));
    const Json machine = Json::parse(data_text(page)).at("machine");
    CHECK(machine.at("beside") == "m.yaml");
    CHECK(machine.at("differences") == Json(differences));
    const auto fact = [&machine](const std::string& name) {
      for (const Json& each : machine.at("facts")) {
        if (each.at("name") == name) return each.at("value").get<std::string>();
      }
      return std::string("no such fact");
    };
    CHECK(fact("size") == "2 packages × 16 dies × 8 PEs = 256 PEs");
    CHECK(fact("peak of a PE") == "8.192 TFLOPS: 4,096 MACs a cycle at 1 GHz");
    CHECK(fact("HBM of a PE") == "512 GB/s, 1 GiB");
    CHECK(fact("ridge point of the HBM") == "16 FLOP/byte");
    CHECK(fact("ridge point of the TCM") == "16 FLOP/byte");
    CHECK(fact("fetch from TCM") == "512 GB/s of 8 MiB");
  }

  TEST_CASE("11.15 the GEMM milestone says of its largest shape what limits the slowest and the fastest variant") {
    const auto sim = kernbench::read_results(kGemm + "results.json");
    const auto theory = kernbench::read_results(kGemm + "theory.json");
    CHECK(kernbench::milestone_1h_gemm_headline(sim, theory) ==
          "At 512³ ref_ref takes 68.05 µs, limited by the HBM bandwidth (51.8 % of the time), 1.1 % above its "
          "bound; blocked is 2.05 times as fast: 33.25 µs, limited by the MAC array (98.6 % of the time), "
          "0.2 % above its bound.");
    Results other = sim;
    for (kernbench::Row& row : other.rows) {
      row.metrics.json()["limited_by"] = "credits";
      if (row.point.at("variant") != "load_load") row.status = "failed";
    }
    CHECK(kernbench::milestone_1h_gemm_headline(other, {}) ==
          "At 512³ load_load takes 36.96 µs, limited by the DMA credits (88.7 % of the time).");
    for (kernbench::Row& row : other.rows) row.metrics.json().erase("limited_by");
    CHECK(kernbench::milestone_1h_gemm_headline(other, {}) == "At 512³ load_load takes 36.96 µs.");
    Results failed = sim;
    for (kernbench::Row& row : failed.rows) row.status = "failed";
    CHECK(kernbench::milestone_1h_gemm_headline(failed, theory).empty());
  }

  TEST_CASE("11.15 the collectives say which all_reduce is fastest, the smallest and the largest, at each scale") {
    const auto sim = kernbench::read_results(kCcl + "results.json");
    CHECK(kernbench::milestone_1h_ccl_headline(sim, {}) ==
          "The fastest all_reduce: on a die recursive_doubling at 16 B (53.41 ns) and bidirectional_ring at 16 MiB "
          "(363.9 µs); on a package halving_doubling at 16 B (492.4 ns) and hierarchical at 1 MiB (15.1 µs); on six "
          "packages halving_doubling at 16 B (1.49 µs) and hierarchical at 96 KiB (3.727 µs).");
    CHECK(kernbench::milestone_1h_ccl_headline({}, {}).empty());
  }

  TEST_CASE("11.16 a point's bound stands beside what was simulated, and a column that differs from it is shown") {
    auto [sim, theory] = kernbench::sample::results();
    sim.rows[3].status = "skipped";
    sim.rows[3].reason = "too small";
    theory.rows.erase(theory.rows.begin() + 5);
    kernbench::Row derived;
    derived.point = {{"m", 32}, {"derived", "best"}};
    derived.metrics.json() = {{"next", "ref_ref"}};
    sim.rows.push_back(derived);
    const Json tables = kernbench::page_tables(sim, theory, {"mac_util"});
    REQUIRE(tables.size() == 2);
    std::vector<std::string> shown;
    for (const Json& column : tables[0].at("columns")) {
      if (column.at("shown").get<bool>()) shown.push_back(column.at("key"));
    }
    CHECK(shown == std::vector<std::string>{"m", "k", "n", "variant", "time_ns", "bound:time_ns", "above", "mac_util",
                                            "bound:bottleneck", "flags", "status", "reason"});
    CHECK(tables[0]["rows"].size() == 24);
    CHECK(!tables[0]["rows"][5].contains("above"));
    CHECK(tables[0]["rows"][3].at("reason") == "too small");
    CHECK(!tables[0]["rows"][3].contains("above"));
    CHECK(tables[1]["title"] == "The fastest algorithm of each size");
    CHECK(nlohmann::json(tables[1]["rows"]) == nlohmann::json::array({{{"m", 32}, {"next", "ref_ref"}}}));
  }

  TEST_CASE("11.19 a row of a table says which row of the results it is") {
    auto [sim, theory] = kernbench::sample::results();
    kernbench::Row derived;
    derived.point = {{"m", 32}, {"derived", "best"}};
    sim.rows.insert(sim.rows.begin() + 2, derived);
    const Json tables = kernbench::page_tables(sim, theory, {});
    REQUIRE(tables.size() == 2);
    CHECK(tables[1].at("places") == Json{2});
    REQUIRE(tables[0].at("places").size() == tables[0].at("rows").size());
    for (std::size_t i = 0; i < tables[0]["rows"].size(); ++i) {
      const kernbench::Row& row = sim.rows.at(tables[0]["places"][i].get<std::size_t>());
      CHECK(tables[0]["rows"][i].at("time_ns") == row.metrics.json().at("time_ns"));
      CHECK(tables[0]["rows"][i].at("variant") == row.point.at("variant"));
    }
  }

  TEST_CASE("11.16 the columns of the ledger are not shown at first") {
    const auto sim = kernbench::read_results(kGemm + "results.json");
    int folded = 0;
    const Json tables = kernbench::page_tables(sim, {}, {"mac_util"});
    for (const Json& column : tables.at(0).at("columns")) {
      const auto key = column.at("key").get<std::string>();
      if (!key.starts_with("ledger_") && !key.starts_with("limited_by")) continue;
      CHECK_MESSAGE(!column.at("shown").get<bool>(), key);
      ++folded;
    }
    CHECK(folded > 6);
  }

  TEST_CASE("11.17 the ledger's columns name each cause as figures and tables do") {
    for (const kernbench::CauseWords& words : kernbench::cause_words()) {
      const auto* const column = kernbench::find_column_words(kernbench::ledger_metric(words.cause).name);
      REQUIRE_MESSAGE(column != nullptr, words.cause);
      CHECK(column->heading == "time: " + std::string(words.name));
      CHECK(column->unit == "ns");
    }
  }

  TEST_CASE("11.17 every column of the milestones' tables has its words, and the glossary has all of them") {
    for (const std::string& folder : {kGemm, kCcl}) {
      const Json tables = kernbench::page_tables(kernbench::read_results(folder + "results.json"),
                                                 kernbench::read_results(folder + "theory.json"), {});
      int columns = 0;
      for (const Json& table : tables) {
        for (const Json& column : table.at("columns")) {
          CHECK_MESSAGE(!column.at("meaning").get<std::string>().empty(), column.at("key").get<std::string>());
          ++columns;
        }
      }
      CHECK(columns > 20);
    }
    for (const kernbench::ColumnWords& words : kernbench::column_words()) {
      CHECK_MESSAGE(kernbench::find_column_words(words.key) == &words, words.key);  // said once
    }
    kernbench::check_generated(kernbench::sample::kSource + "/docs/glossary.md", "columns",
                               kernbench::column_reference());
  }
}
