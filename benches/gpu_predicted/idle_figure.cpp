#include "benches/gpu_predicted/idle_figure.hpp"

#include <array>

#include "benches/results/figures/caption.hpp"
#include "benches/results/figures/theme.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_governor.hpp"

namespace kernbench {
namespace {

constexpr Picoseconds kUntil{500'000'000'000};
constexpr double kPsOfMs = 1e9;

/// Squares in bf16: far below the power limit, about it, far above.
constexpr std::array<std::int64_t, 3> kSides{1024, 2048, 8192};

void add_ticks(Json& records, std::int64_t side, const GpuSpec& gpu) {
  const GpuGemm gemm{side, side, side, Dtype::kBf16};
  const std::vector<GpuTick> ticks = clock_from_idle(gemm, choose_gpu_kernel(gemm, gpu), gpu, L2State::kWarm, kUntil);
  const std::string product = std::to_string(side) + "×" + std::to_string(side) + "×" + std::to_string(side);
  const auto add = [&](Picoseconds at, const GpuTick& tick) {
    records.push_back(
        {{"product", product},
         {"ms", static_cast<double>(at.value) / kPsOfMs},
         {"clock_mhz", tick.clock * 1000},
         {"time_us", tick.time.ns() / 1000},
         {"longer", static_cast<double>(tick.time.value) / static_cast<double>(ticks.front().time.value)}});
  };
  for (const GpuTick& tick : ticks) add(tick.from, tick);
  add(kUntil, ticks.back());
}

}  // namespace

std::vector<Figure> idle_figures(const Results& predicted, const MachineSpec& machine) {
  const GpuSpec& gpu = machine.gpu->spec;
  if (!gpu.tensor.bf16.given) return {};
  Json records = Json::array();
  for (const std::int64_t side : kSides) add_ticks(records, side, gpu);
  Json spec = Json::parse(R"json({
    "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
    "hconcat": [
      {"width": 330, "height": 200, "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
       "encoding": {
         "x": {"field": "ms", "type": "quantitative", "title": "since idle (ms)", "scale": {"nice": false}, "axis": {"tickCount": 5}},
         "y": {"field": "clock_mhz", "type": "quantitative", "title": "clock of the SMs (MHz)", "scale": {"zero": false}},
         "color": {"field": "product", "type": "nominal", "title": null}}},
      {"width": 330, "height": 200, "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
       "encoding": {
         "x": {"field": "ms", "type": "quantitative", "title": "since idle (ms)", "scale": {"nice": false}, "axis": {"tickCount": 5}},
         "y": {"field": "longer", "type": "quantitative", "title": "time of a product, of that at first", "scale": {"zero": false}, "axis": {"format": ".0%"}},
         "color": {"field": "product", "type": "nominal", "title": null},
         "tooltip": [{"field": "product"}, {"field": "ms", "format": ".0f"}, {"field": "time_us", "title": "time (µs)", "format": ".1f"},
                     {"field": "clock_mhz", "title": "clock (MHz)", "format": ".0f"}]}}
    ]
  })json");
  spec["data"] = {{"values", std::move(records)}};
  for (Json& panel : spec["hconcat"]) {
    panel["encoding"]["color"]["sort"] = nullptr;
    panel["encoding"]["color"]["scale"] = {{"range", {palette::kOrange, palette::kBlue, palette::kPurple}}};
  }
  spec["config"] = figure_config();
  const std::string title = "From idle to the steady state: a product again and again";
  spec["title"] = figure_title(title, predicted, {"Predicted; bf16, L2 warm. The governor acts every power.period."});
  return {{"clock_from_idle", title, std::move(spec)}};
}

}  // namespace kernbench
