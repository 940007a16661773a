// A GEMM on a GPU, by the library's kernel or one that is named (adr/0048, adr/0049).
#include <algorithm>

#include "benches/gemm/on_pes.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/row_from_gpu.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"

namespace kernbench {
namespace {

struct GemmOnGpu {
  GemmAsked asked;
  GpuGemm product;
  GpuKernel kernel;
  const GpuSpec& gpu;

  [[nodiscard]] Row row(const GpuKernel& by) const {
    return row_from_gpu(product, by, gpu, asked.l2, asked.state, asked.launching);
  }
};

GemmOnGpu place_on_gpu(const MachineSpec& machine, const GemmAsked& asked) {
  const GpuSpec& gpu = machine.gpu->spec;
  const GpuGemm product{asked.m, asked.k, asked.n, asked.dtype};
  check_gemm(product, gpu);
  return {asked, product, gpu_kernel_of(asked.variant, product, gpu, "variant"), gpu};
}

std::string title_on_gpu(const GemmOnGpu& gemm) {
  const GpuGemm& product = gemm.product;
  return "gemm " + std::to_string(product.m) + "x" + std::to_string(product.k) + "x" + std::to_string(product.n) + " " +
         std::string(name_of(product.dtype)) + " on " + gemm.gpu.name + ", " +
         std::string(kGpuStates[gemm.asked.state]) + (gemm.asked.l2 == L2State::kFlushed ? ", L2 flushed" : "");
}

Row run_on_gpu(const GemmOnGpu& gemm, const RunSettings& /*settings*/) { return gemm.row(gemm.kernel); }

Row bound_on_gpu(const GemmOnGpu& gemm) { return roofline_from_gpu(gemm.product, gemm.gpu, gemm.asked.l2); }

std::string us(double ns) { return formatted("%.2f", ns / 1000); }

std::string times_table(const Row& row, const Terminal& terminal) {
  Table table({{"time (us)", Align::kRight},
               {"TFLOP/s", Align::kRight},
               {"of peak", Align::kRight},
               {"clock (MHz)", Align::kRight},
               {"power (W)", Align::kRight},
               {"limited by"}});
  table.add_row({us(row.metrics.at(kTime)), formatted("%.1f", row.metrics.at(kTflops)),
                 percent(row.metrics.at(kPeakFraction)), formatted("%.0f", row.metrics.at(kSmClockMhz)),
                 formatted("%.0f", row.metrics.at(kPowerW)), row.metrics.at(kLimitedBy)});
  return table.format(terminal);
}

std::string parts_table(const Row& row, const GpuLaunching launching, const Terminal& terminal) {
  Table table({{"where the time goes"}, {"us", Align::kRight}, {"of it", Align::kLeft, 0, true}});
  const auto part = [&](const char* name, double ns, std::string of) {
    if (ns > 0) table.add_row({name, us(ns), std::move(of)});
  };
  part("launch", row.metrics.at(kLaunchTime),
       "kernel, " + counted(row.metrics.at(kCtas), "CTA") + ", last stores" +
           (launching == GpuLaunching::kGraph ? "" : ", one after the other on a stream"));
  part("SMs", row.metrics.at(kSmTime),
       counted(row.metrics.at(kRoundCount), "round") + " of " + counted(row.metrics.at(kSliceCount), "slice") + " of " +
           formatted("%.1f ns", row.metrics.at(kSliceTime)) + ", stores " + us(row.metrics.at(kStoreTime)));
  part("HBM, beside the SMs", row.metrics.at(kHbmTime), grouped(row.metrics.at(kHbmBytes)) + " B");
  part("adding up the parts", row.metrics.at(kSplitTime), "a second kernel");
  if (row.metrics.has(kHostWait)) part("waiting", row.metrics.at(kHostWait), "for the host's next launch");
  return table.format(terminal);
}

std::string slice_table(const Row& row, const GpuKernel& kernel, const Terminal& terminal) {
  const bool older = kernel.family != GpuFamily::kNewest;
  const std::string what = older ? "a step of " + std::to_string(kernel.depth) + " elements" : "a slice of 128 B";
  Table table({{what + " of K waits for"}, {"ns", Align::kRight}});
  const auto part = [&](const char* name, const Metric<double>& metric) {
    table.add_row({name, formatted("%.1f", row.metrics.at(metric))});
  };
  part(on_cuda_cores(kernel.family) ? "CUDA cores" : "tensor cores", kSliceMma);
  part("lines asked of the L2", kSliceRequest);
  if (older) {
    part("latency of a CTA", kSliceLatency);
  } else {
    part("lines taken in", kSliceReceive);
  }
  return table.format(terminal);
}

std::string why(const GemmOnGpu& gemm) {
  if (!is_librarys_choice(gemm.asked.variant)) return "as --map says";
  const auto candidates = static_cast<std::int64_t>(gpu_candidates(gemm.product, gemm.gpu).size());
  if (candidates == 1) return "by rule the only kernel that the library has for so few rows";
  const std::string choice = "the library's choice, by rule, of " + counted(candidates, "kernel") + "; ";
  if (gemm.kernel.family != GpuFamily::kNewest) {
    return choice + "an older kind, for this dtype or rows of no multiple of 16 B (kernbench map gemm lists others)";
  }
  return choice + std::to_string(stages(gemm.kernel, gemm.gpu)) +
         " stages fit its shared memory (kernbench map gemm lists others)";
}

std::string conditions_text(const GemmOnGpu& gemm) {
  const GpuSpec& gpu = gemm.gpu;
  const std::string state =
      gemm.asked.state == GpuState::kBurst
          ? "burst: before the governor's first tick, of " + formatted("%.0f ms", gpu.power.period / 1e6)
          : "steady: the same work again and again, at the clock that " +
                formatted("%.0f W", std::min(gpu.power.limit, gpu.power.peak)) + " allow";
  std::string launched =
      "on a stream, from a host that launches one in " + formatted("%.1f us", gpu.launch.host / 1000);
  if (gemm.asked.launching == GpuLaunching::kGraph) launched = "inside a CUDA graph";
  if (gemm.asked.launching == GpuLaunching::kStream) launched = "on a stream, the host ahead";
  return state + "; " + launched + "; L2 " + std::string(kL2States[gemm.asked.l2]) +
         ". --state burst,steady shows both";
}

std::string report_on_gpu(const GemmOnGpu& gemm, const Row& row, const Terminal& terminal) {
  return fact("kernel", to_text(gemm.kernel), terminal) + fact("chosen", why(gemm), terminal) + "\n" +
         times_table(row, terminal) + "\n" + parts_table(row, gemm.asked.launching, terminal) + "\n" +
         slice_table(row, gemm.kernel, terminal) + "\n" + prose(conditions_text(gemm), terminal);
}

/// The kernels that the library could launch; the one that it does is among the first `top`, or behind them.
std::vector<Way<GemmAsked>> ways_on_gpu(const GemmOnGpu& gemm, std::size_t top, const RunSettings& /*settings*/) {
  if (!is_librarys_choice(gemm.asked.variant)) {
    throw ConfigError("variant " + gemm.asked.variant + ": expected auto, of which kernels are compared");
  }
  std::vector<Way<GemmAsked>> all;
  for (const GpuKernel& kernel : gpu_candidates(gemm.product, gemm.gpu)) {
    Way<GemmAsked>& way = all.emplace_back(Way<GemmAsked>{gemm.asked, gemm.row(kernel)});
    way.asked.variant = to_text(kernel);
  }
  std::ranges::stable_sort(all, {}, [](const Way<GemmAsked>& way) { return way.row.metrics.at(kTime); });
  const std::string choice = to_text(gemm.kernel);
  const auto chosen = std::ranges::find(all, choice, [](const Way<GemmAsked>& way) { return way.asked.variant; });
  if (chosen == all.end()) {
    all.push_back({gemm.asked, gemm.row(gemm.kernel)});
    all.back().asked.variant = choice;
  } else if (static_cast<std::size_t>(chosen - all.begin()) > top) {
    std::rotate(all.begin() + static_cast<std::ptrdiff_t>(top), chosen, chosen + 1);
  }
  if (all.size() > top + 1) all.resize(top + 1);
  return all;
}

std::string ways_table_on_gpu(const GemmOnGpu& gemm, const std::vector<Row>& rows, std::size_t top,
                              const Terminal& terminal) {
  Table table({{"kernel"},
               {"time (us)", Align::kRight},
               {"TFLOP/s", Align::kRight},
               {"CTAs", Align::kRight},
               {"rounds", Align::kRight},
               {"slice (ns)", Align::kRight},
               {"limited by"}});
  const std::string choice = to_text(gemm.kernel);
  std::size_t place = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    const std::string kernel = row.metrics.at(kKernelText);
    if (kernel == choice) place = i;
    if (i >= top && kernel != choice) continue;
    table.add_row({{kernel, kernel == choice ? Style::kGreen : Style::kPlain},
                   us(row.metrics.at(kTime)),
                   formatted("%.1f", row.metrics.at(kTflops)),
                   std::to_string(row.metrics.at(kCtas)),
                   std::to_string(row.metrics.at(kRoundCount)),
                   formatted("%.1f", row.metrics.at(kSliceTime)),
                   row.metrics.at(kLimitedBy)});
  }
  return table.format(terminal) + "\n" +
         fact("chosen",
              choice + (place < top ? ", number " + std::to_string(place + 1) + " by this model" : "") +
                  (gemm.kernel.family == GpuFamily::kNewest ? ": the library's rule, which has constants of its own"
                                                            : ": the least time of an older kind"),
              terminal);
}

/// A kernel that was named is that of every machine; else the library chooses on each anew.
GemmAsked changed_on_gpu(const GemmAsked& asked, const Row& base, bool hold) {
  GemmAsked changed = asked;
  if (hold) changed.variant = base.metrics.at(kKernelText);
  return changed;
}

/// The fastest of the kernels that the library could launch on the machine as it is, of equal ones the first.
std::optional<GemmAsked> freely_on_gpu(const GemmOnGpu& gemm) {
  const std::vector<GpuKernel> kernels = gpu_candidates(gemm.product, gemm.gpu);
  if (kernels.empty()) return std::nullopt;
  const auto time = [&gemm](const GpuKernel& kernel) { return gemm.row(kernel).metrics.at(kTime); };
  GemmAsked best = gemm.asked;
  best.variant = to_text(*std::ranges::min_element(kernels, {}, time));
  return best;
}

}  // namespace

WorkloadAnswers gemm_on_gpu(const Axes<GemmAsked>& axes) {
  const Answers<GemmAsked, GemmOnGpu> answers{.columns = {{"time_ns", "time (ns)"},
                                                          {"tflops", "TFLOP/s"},
                                                          {"sm_clock_mhz", "clock (MHz)"},
                                                          {"power_w", "power (W)"},
                                                          {"kernel", "kernel"}},
                                              .place = place_on_gpu,
                                              .title = title_on_gpu,
                                              .run = run_on_gpu,
                                              .bound = bound_on_gpu,
                                              .report = report_on_gpu,
                                              .ways = ways_on_gpu,
                                              .ways_table = ways_table_on_gpu,
                                              .changed = changed_on_gpu,
                                              .freely = freely_on_gpu};
  return answers.of(axes);
}

}  // namespace kernbench
