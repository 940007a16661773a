// The interactive page: holds all data, loads nothing, and keeps the data from becoming markup.
#include "benches/harness/figures/page.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <regex>

#include "benches/milestone_1h_gemm/figures.hpp"
#include "sim/base/sha256.hpp"
#include "tests/figures/sample_results.hpp"

namespace {

using kernbench::Json;
using kernbench::Results;

std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return "";
  const std::size_t end = text.find(after, begin + before.size());
  return end == std::string::npos ? "" : text.substr(begin + before.size(), end - begin - before.size());
}

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
    const Json data = Json::parse(data_text(kernbench::page_html("GEMM", figures, sim, theory)));
    REQUIRE(data.at("figures").size() == figures.size());
    for (std::size_t i = 0; i < figures.size(); ++i) CHECK(data["figures"][i]["spec"] == figures[i].spec);
    REQUIRE(data.at("rows").size() == 48);
    for (std::size_t i = 0; i < 48; ++i) {
      const kernbench::Row& row = i < 24 ? sim.rows[i] : theory.rows[i - 24];
      Json expected = row.point;
      expected["source"] = i < 24 ? "sim" : "theory";
      expected["status"] = "ok";
      expected.update(row.metrics);
      expected.update(row.windows);
      if (!row.flags.empty()) expected["flags"] = "under_tile";
      CHECK(data["rows"][i] == expected);
    }
  }

  TEST_CASE("11.11 the page loads nothing: its policy forbids it and its markup names no address") {
    const auto [sim, theory] = kernbench::sample::results();
    const std::string page = kernbench::page_html("GEMM", {}, sim, theory);
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
    const std::string plain = kernbench::page_html("GEMM", {}, sim, theory);
    const auto hostile =
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("<>/!-&\"'\\{}:;= \nabscript")));
    CHECK(rc::check([&, &theory_rows = theory, &sim_rows = sim] {
      const std::string text = *rc::gen::oneOf(
          hostile, rc::gen::element<std::string>("</script><script>alert(1)</script>", "<!-- <script>", "]]>",
                                                 "{{page:data}}", "</title><img src=x>", "\xE2\x80\xA8"));
      Results sim_with_text = sim_rows;
      sim_with_text.rows[0].reason = "!" + text;
      sim_with_text.source.machine = text;
      const std::string page = kernbench::page_html(text, {}, sim_with_text, theory_rows);
      RC_ASSERT(data_text(page).find('<') == std::string::npos);
      RC_ASSERT(Json::parse(data_text(page)).at("rows").at(0).at("reason") == "!" + text);
      for (const char* tag : {"<script", "</script", "<!--", "<img", "</title"}) {
        RC_ASSERT(count(page, tag) == count(plain, tag));
      }
      RC_ASSERT(count(markup(page), "<") == count(markup(plain), "<"));
    }));
  }
}
