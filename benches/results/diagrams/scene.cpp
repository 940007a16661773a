#include "benches/results/diagrams/scene.hpp"

#include <array>
#include <cstdio>
#include <utility>

#include "benches/results/figures/theme.hpp"
#include "sim/base/names.hpp"

namespace kernbench {
namespace {

constexpr double kLineHeight = 15;

/// `colour` mixed with white, `share` of it.
std::string tint(const std::string& colour, double share) {
  const auto part = [&](std::size_t at) {
    const double value = std::stoi(colour.substr(at, 2), nullptr, 16);
    return static_cast<int>(255 - share * (255 - value));
  };
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", part(1) & 255, part(3) & 255, part(5) & 255);
  return text.data();
}

Json record(const Box& box, double share) {
  return {{"x", box.x},       {"x2", box.right()}, {"y", box.y},         {"y2", box.bottom()},
          {"kind", box.kind}, {"name", box.name},  {"line", box.colour}, {"fill", tint(box.colour, share)}};
}

/// As Vega calls them.
constexpr Names<TextAlign> kAligns{
    "alignment", {{TextAlign::kLeft, "left"}, {TextAlign::kCentre, "center"}, {TextAlign::kRight, "right"}}};

}  // namespace

void Scene::add_lines(const Box& box, Position first, TextAlign align) {
  for (std::size_t i = 0; i < box.lines.size(); ++i) {
    texts_.push_back({{"x", first.x},
                      {"y", first.y + static_cast<double>(i) * kLineHeight},
                      {"text", box.lines[i]},
                      {"align", kAligns[align]},
                      {"bold", i == 0},
                      {"rim", false}});
  }
}

void Scene::add_frame(const Box& box) {
  frames_.push_back(record(box, 0.06));
  frames_.back()["frame"] = true;
  add_lines(box, {box.x + 8, box.y + 13}, TextAlign::kLeft);
}

void Scene::add_box(const Box& box) {
  boxes_.push_back(record(box, 0.25));
  const auto lines = static_cast<double>(box.lines.size());
  add_lines(box, {box.centre().x, box.centre().y - (lines - 1) * kLineHeight / 2}, TextAlign::kCentre);
}

void Scene::add_wire(const std::vector<Position>& points, const std::string& name) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    wires_.push_back({{"x", points[i].x}, {"y", points[i].y}, {"wire", name}, {"point", i}});
  }
}

void Scene::add_text(Position at, const std::string& text, TextAlign align) {
  texts_.push_back(
      {{"x", at.x}, {"y", at.y}, {"text", text}, {"align", kAligns[align]}, {"bold", false}, {"rim", true}});
}

void Scene::add_texts(Position at, const std::vector<std::string>& lines, TextAlign align) {
  for (std::size_t i = 0; i < lines.size(); ++i) {
    add_text({at.x, at.y + static_cast<double>(i) * kLineHeight}, lines[i], align);
  }
}

Json Scene::layer(const Json& values, const Json& mark, Json encoding) const {
  const auto axis = [](const char* field, double most, bool reverse) {
    return Json{{"field", field},
                {"type", "quantitative"},
                {"axis", nullptr},
                {"scale", {{"domain", {0, most}}, {"nice", false}, {"zero", false}, {"reverse", reverse}}}};
  };
  encoding["x"] = axis("x", kWidth, false);
  encoding["y"] = axis("y", height_, true);
  return {{"data", {{"values", values}}}, {"mark", mark}, {"encoding", std::move(encoding)}};
}

Figure Scene::figure(const std::string& name, const std::string& title, const std::vector<std::string>& notes) const {
  const auto colour = [](const char* field) { return Json{{"field", field}, {"type", "nominal"}, {"scale", nullptr}}; };
  const Json corners = {
      {"x2", {{"field", "x2"}}}, {"y2", {{"field", "y2"}}}, {"fill", colour("fill")}, {"stroke", colour("line")}};
  const Json box = {{"type", "rect"}, {"cornerRadius", 4}, {"strokeWidth", 1.5}};
  Json layers = Json::array();
  if (!frames_.empty()) layers.push_back(layer(frames_, box, corners));
  if (!wires_.empty()) {
    layers.push_back(layer(wires_, {{"type", "line"}, {"strokeWidth", 1.6}, {"color", "#57606a"}},
                           {{"detail", {{"field", "wire"}}}, {"order", {{"field", "point"}}}}));
  }
  layers.push_back(layer(boxes_, box, corners));
  // Alignment, weight and rim belong to a mark, not to its data: a layer for each kind of text.
  struct Style {
    bool bold;
    bool rim;
  };
  for (const char* align : {"left", "center", "right"}) {
    for (const auto style : {Style{false, false}, Style{true, false}, Style{false, true}}) {
      Json chosen = Json::array();
      for (const auto& text : texts_) {
        const bool is_meant = text["align"] == align && text["bold"] == style.bold && text["rim"] == style.rim;
        if (is_meant) chosen.push_back(text);
      }
      if (chosen.empty()) continue;
      Json mark = {{"type", "text"}, {"align", align}, {"baseline", "middle"}, {"fontWeight", style.bold ? 700 : 400}};
      const Json encoding = {{"text", {{"field", "text"}, {"type", "nominal"}}}};
      if (style.rim) {
        Json rim = mark;
        rim["stroke"] = "#ffffff";
        rim["strokeWidth"] = 4;
        rim["strokeJoin"] = "round";
        layers.push_back(layer(chosen, rim, encoding));
      }
      layers.push_back(layer(chosen, mark, encoding));
    }
  }
  Json spec = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"},
               {"title", {{"text", title}, {"subtitle", notes}}},
               {"config", figure_config()},
               {"width", kWidth},
               {"height", height_},
               {"layer", std::move(layers)}};
  return {name, title, std::move(spec)};
}

}  // namespace kernbench
