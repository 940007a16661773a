#include "benches/harness/figures/theme.hpp"

namespace kernbench {

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
               "symbolSize": 130, "columnPadding": 16, "labelLimit": 300,
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

Json if_selected(double opaque) {
  return {{"condition", {{"param", "series"}, {"value", opaque}}}, {"value", 0.08}};
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
