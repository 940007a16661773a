#include "benches/results/figures/page.hpp"

#include <map>
#include <string_view>

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/page_table.hpp"

extern "C" const char kernbench_page_template[];
extern "C" const char kernbench_page_template_end[];

namespace kernbench {
namespace {

std::string_view page_template() {
  return {kernbench_page_template, static_cast<std::size_t>(kernbench_page_template_end - kernbench_page_template)};
}

std::string escape_html(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string html_items(const std::vector<std::string>& lines) {
  std::string items;
  for (const std::string& line : lines) items += "<li>" + escape_html(line) + "</li>";
  return items;
}

/// JSON that may stand inside a script element: in JSON a `<` occurs in strings only, and there \u003c says the same,
/// so neither `</script>` nor `<!--` can appear.
std::string script_json(const Json& json) {
  std::string escaped;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      escaped += "\\u003c";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

Json machine_json(const PageText& text) {
  Json facts = Json::array();
  for (const MachineFact& fact : text.machine) {
    facts.push_back({{"name", fact.name}, {"value", fact.value}, {"meaning", fact.meaning}});
  }
  return {{"facts", std::move(facts)}, {"beside", text.beside}, {"differences", text.differences}};
}

Json figures_json(const std::vector<Figure>& figures) {
  Json all = Json::array();
  for (const Figure& figure : figures) {
    all.push_back({{"name", figure.name}, {"title", figure.title}, {"spec", figure.spec}});
  }
  return all;
}

Json sections_json(const std::vector<PageSection>& sections) {
  Json all = Json::array();
  for (const PageSection& section : sections) {
    all.push_back({{"id", section.id},
                   {"title", section.title},
                   {"summary", section.summary},
                   {"headline", section.headline},
                   {"command", section.command},
                   {"source", section.source},
                   {"warnings", section.warnings},
                   {"figures", figures_json(section.figures)}});
    if (!section.toggles.empty()) all.back()["toggles"] = section.toggles;
  }
  return all;
}

/// Replaces each {{page:NAME}} of the template in one pass: what is put in is not searched again.
template <typename ValueOf>
std::string fill_template(std::string_view text, ValueOf value_of) {
  constexpr std::string_view kOpen = "{{page:";
  constexpr std::string_view kClose = "}}";
  std::string filled;
  for (;;) {
    const std::size_t open = text.find(kOpen);
    filled += text.substr(0, open);
    if (open == std::string_view::npos) return filled;
    const std::size_t close = text.find(kClose, open);
    filled += value_of(text.substr(open + kOpen.size(), close - open - kOpen.size()));
    text.remove_prefix(close + kClose.size());
  }
}

}  // namespace

std::string page_html(const PageText& text, const std::vector<Figure>& figures, const Results& sim,
                      const Results& theory) {
  return page_html(text, caption(sim), figures, page_tables(sim, theory, text.metrics));
}

std::string page_html(const PageText& text, const std::string& source, const std::vector<Figure>& figures,
                      Json tables) {
  Json data = {{"machine", machine_json(text)}, {"figures", figures_json(figures)}, {"tables", std::move(tables)}};
  if (!text.sections.empty()) data["sections"] = sections_json(text.sections);
  if (!text.toggles.empty()) data["toggles"] = text.toggles;
  const std::map<std::string_view, std::string> values{
      {"title", escape_html(text.title)},      {"headline", escape_html(text.headline)},
      {"command", escape_html(text.command)},  {"source", escape_html(source)},
      {"warnings", html_items(text.warnings)}, {"data", script_json(data)}};
  return fill_template(page_template(), [&values](std::string_view name) { return values.at(name); });
}

}  // namespace kernbench
