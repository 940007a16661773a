#include "benches/traces/report/figure_parts.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "benches/io/text/numbers.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::array kColours{palette::kBlue,    palette::kOrange,     palette::kGreen, palette::kPurple,
                              palette::kSkyBlue, palette::kVermillion, palette::kGrey,  palette::kDeepPurple};
constexpr int kPanelsInARow = 3;         // 2 where a title is long
constexpr std::size_t kShortTitle = 36;  // bytes
constexpr int kTitleWidth = 420;         // as measured; drawn it is less
constexpr std::size_t kPanelTitle = 48;  // bytes: what the limit cuts off takes room all the same

}  // namespace

Json colour_scale(const std::vector<std::string>& values) {
  Json colours = Json::array();
  for (std::size_t i = 0; i < values.size(); ++i) colours.push_back(kColours[i % kColours.size()]);
  return {{"domain", values}, {"range", std::move(colours)}};
}

Json panels_of(const std::vector<std::string>& titles, std::vector<Json> panels, int columns) {
  Json spec{{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"}, {"concat", Json::array()}};
  spec["columns"] = columns;
  spec["spacing"] = 28;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    panels[i]["title"] = {{"text", shortened(titles[i], kPanelTitle)},
                          {"fontSize", 13},
                          {"limit", kTitleWidth},
                          {"offset", 10},
                          {"frame", "group"}};
    spec["concat"].push_back(std::move(panels[i]));
  }
  spec["config"] = figure_config();
  return spec;
}

Json panels_of_gemms(const GemmTimes& times, std::vector<Json> panels) {
  const auto is_long = [](const std::string& gemm) { return gemm.size() > kShortTitle; };
  return panels_of(times.gemms, std::move(panels), std::ranges::any_of(times.gemms, is_long) ? 2 : kPanelsInARow);
}

std::vector<std::string> gemm_notes(const GemmTimes& times, const std::string& what) {
  std::vector<std::string> notes{what};
  if (times.left_out > 0) {
    notes.push_back("The " + std::to_string(times.gemms.size()) + " GEMMs that take most time; " +
                    counted(static_cast<std::int64_t>(times.left_out), "other") + " in the tables.");
  }
  return notes;
}

std::string file_word(const std::string& text) {
  std::string word;
  for (const char c : text) word += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return word;
}

}  // namespace kernbench::traces
