#include "benches/harness/figures/page.hpp"

#include <string_view>

#include "benches/harness/figures/caption.hpp"
#include "sim/base/text.hpp"

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

/// One line of the table: the point's axes, who says so, metrics and windows as they are stored.
void append_table_rows(const Results& results, Json& rows) {
  for (const Row& row : results.rows) {
    Json line = row.point;
    line["source"] = results.source.kind;
    line["status"] = row.status;
    for (const auto& [name, value] : row.metrics.items()) line[name] = value;
    for (const auto& [name, value] : row.windows.items()) line[name] = value;
    if (!row.flags.empty()) line["flags"] = joined(row.flags);
    if (!row.reason.empty()) line["reason"] = row.reason;
    rows.push_back(std::move(line));
  }
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

std::string page_html(const std::string& title, const std::vector<Figure>& figures, const Results& sim,
                      const Results& theory) {
  Json data = {{"source", caption(sim)}, {"figures", Json::array()}, {"rows", Json::array()}};
  for (const Figure& figure : figures) {
    data["figures"].push_back({{"name", figure.name}, {"title", figure.title}, {"spec", figure.spec}});
  }
  append_table_rows(sim, data["rows"]);
  append_table_rows(theory, data["rows"]);
  const std::string json = script_json(data);
  const std::string heading = escape_html(title);
  return fill_template(page_template(), [&](std::string_view name) { return name == "data" ? json : heading; });
}

}  // namespace kernbench
