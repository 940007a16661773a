#include "benches/results/figures/theme.hpp"

#include <algorithm>
#include <cmath>

namespace kernbench {

// The neutral colours here are those that scripts/web/page.js turns into the page's own, light or dark.
Json figure_config() {
  return Json::parse(R"json({
    "background": "#ffffff",
    "padding": 12,
    "font": "Roboto, sans-serif",
    "title": {"anchor": "start", "frame": "bounds", "fontSize": 18, "fontWeight": 700, "offset": 14, "color": "#1b1f24",
              "subtitleFontSize": 12.5, "subtitleLineHeight": 17, "subtitlePadding": 5, "subtitleColor": "#57606a"},
    "axis": {"labelFontSize": 12.5, "titleFontSize": 13, "titleFontWeight": 400, "titlePadding": 8,
             "labelColor": "#1b1f24", "titleColor": "#1b1f24", "gridColor": "#d8dee4", "domainColor": "#8c959f",
             "tickColor": "#8c959f", "labelLimit": 240},
    "legend": {"labelFontSize": 12.5, "titleFontSize": 13, "titleFontWeight": 400, "orient": "top",
               "symbolSize": 130, "symbolBaseFillColor": "#1b1f24", "columnPadding": 16, "labelLimit": 300,
               "layout": {"top": {"margin": 24, "anchor": "start"}},
               "labelColor": "#1b1f24", "titleColor": "#1b1f24"},
    "header": {"labelFontSize": 14, "labelFontWeight": 700, "titleFontSize": 13, "labelColor": "#1b1f24"},
    "text": {"fontSize": 12, "color": "#1b1f24"},
    "tick": {"color": "#1b1f24"},
    "view": {"stroke": null}
  })json");
}

Json legend_selection(const std::string& field) {
  return {{"name", "series"},
          {"select", {{"type", "point"}, {"fields", Json::array({field})}, {"toggle", "true"}}},
          {"bind", "legend"}};
}

Json if_selected(double opaque) { return {{"condition", {{"param", "series"}, {"value", opaque}}}, {"value", 0.08}}; }

Json linked_rows() {
  return Json::array({{{"name", "linked_row"}, {"value", -1}}, {{"name", "kept"}, {"value", nullptr}}});
}

Json if_linked(const Json& linked, const Json& otherwise) {
  return {{"condition", {{"test", kIsLinked}, {"value", linked}}}, {"value", otherwise}};
}

Json toggled_params() { return Json::array({{{"name", "toggled"}, {"value", nullptr}}}); }

Json if_toggled(const std::vector<std::string>& fields) {
  std::string shown = "toggled === null";
  std::string each;
  for (const std::string& field : fields) {
    each += (each.empty() ? "" : " && ") + ("toggled['" + field + "'][datum['" + field + "']]");
  }
  return {{"filter", shown + " || (" + each + ")"}};
}

Json with_column_heading(Json panel, const std::string& text, int x) {
  const Json heading = {{"data", {{"values", Json::array({Json::object()})}}},
                        {"mark", {{"type", "text"}, {"align", "left"}, {"baseline", "bottom"}, {"text", text}}},
                        {"encoding", {{"x", {{"value", x}}}, {"y", {{"value", -4}}}}}};
  if (!panel.contains("encoding")) {  // it has a heading already
    panel["layer"].push_back(heading);
    return panel;
  }
  // The panel's encoding is for its own layers: the heading has none of its fields.
  Json layers = {{"encoding", std::move(panel["encoding"])}, {"layer", std::move(panel["layer"])}};
  panel.erase("encoding");
  panel["layer"] = Json::array({std::move(layers), heading});
  return panel;
}

Json log_axis(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  Json axis = {{"format", ","}};
  if (values.empty() || *most < 10 * *least) return axis;
  axis["values"] = Json::array();
  const int first = std::min(0, static_cast<int>(std::floor(std::log10(*least))));
  const int decades = static_cast<int>(std::floor(std::log10(*most)));
  for (int decade = first; decade <= decades; ++decade) {
    for (const int step : {1, 2, 5}) axis["values"].push_back(step * std::pow(10.0, decade));  // the domain's are drawn
  }
  axis["labelExpr"] = "format(datum.value, '.0e')[0] == '1' ? format(datum.value, ',') : ''";
  return axis;
}

std::string time_text(const std::string& field) {
  const std::string value = "datum['" + field + "']";
  const auto in_unit = [&](const std::string& factor, const std::string& unit) {
    return "format(" + value + " / " + factor + ", '.4~r') + ' " + unit + "'";
  };
  return "(" + value + " < 1e3 ? " + in_unit("1", "ns") + " : " + value + " < 1e6 ? " + in_unit("1e3", "µs") + " : " +
         in_unit("1e6", "ms") + ")";
}

}  // namespace kernbench
