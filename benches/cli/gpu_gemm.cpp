#include "benches/cli/gpu_gemm.hpp"

#include <algorithm>

#include "benches/cli/sim_report.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/results/row_from_gpu.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"

namespace kernbench {
namespace {

std::string us(double ns) { return formatted("%.2f", ns / 1000); }

std::string states_table(const std::vector<Row>& rows, const Look& look) {
  Table table({{"state"},
               {"time (us)", Align::kRight},
               {"TFLOP/s", Align::kRight},
               {"of peak", Align::kRight},
               {"clock (MHz)", Align::kRight},
               {"power (W)", Align::kRight},
               {"limited by"}});
  for (const Row& row : rows) {
    table.add_row({row.point.at("state").get<std::string>(), us(number(row, "time_ns")),
                   formatted("%.1f", number(row, "tflops")), percent(number(row, "peak_fraction")),
                   formatted("%.0f", number(row, "sm_clock_mhz")), formatted("%.0f", number(row, "power_w")),
                   row.metrics.at("limited_by").get<std::string>()});
  }
  return table.format(look);
}

std::string launched_how(GpuLaunching launching, const GpuSpec& gpu) {
  if (launching == GpuLaunching::kGraph) return "Inside a CUDA graph";
  if (launching == GpuLaunching::kStream) return "On a stream, the host ahead";
  return "On a stream, from a host that launches one in " + formatted("%.1f us", gpu.launch.host / 1000);
}

std::string parts_table(const Row& row, const Look& look) {
  Table table({{"where the time goes"}, {"us", Align::kRight}, {"of it", Align::kLeft, 0, true}});
  const auto part = [&](const char* name, double ns, std::string of) {
    if (ns > 0) table.add_row({name, us(ns), std::move(of)});
  };
  const auto count = [&](const char* name) { return row.metrics.at(name).get<std::int64_t>(); };
  part("launch", number(row, "launch_ns"),
       "kernel, " + counted(count("ctas"), "CTA") + ", last stores" +
           (row.point.contains("launch") ? ", one after the other on a stream" : ""));
  part("SMs", number(row, "sm_ns"),
       counted(count("rounds"), "round") + " of " + counted(count("slices"), "slice") + " of " +
           formatted("%.1f ns", number(row, "slice_ns")) + ", stores " + us(number(row, "store_ns")));
  part("HBM, beside the SMs", number(row, "hbm_ns"), grouped(count("hbm_bytes")) + " B");
  part("adding up the parts", number(row, "split_ns"), "a second kernel");
  if (row.metrics.contains("host_wait_ns")) part("waiting", number(row, "host_wait_ns"), "for the host's next launch");
  return table.format(look);
}

std::string slice_table(const Row& row, const GpuKernel& kernel, const Look& look) {
  const bool older = kernel.family != GpuFamily::kNewest;
  const std::string what = older ? "a step of " + std::to_string(kernel.depth) + " elements" : "a slice of 128 B";
  Table table({{what + " of K waits for"}, {"ns", Align::kRight}});
  const auto part = [&](const char* name, const char* key) {
    table.add_row({name, formatted("%.1f", number(row, key))});
  };
  part(on_cuda_cores(kernel.family) ? "CUDA cores" : "tensor cores", "slice_mma_ns");
  part("lines asked of the L2", "slice_request_ns");
  if (older) {
    part("latency of a CTA", "slice_latency_ns");
  } else {
    part("lines taken in", "slice_receive_ns");
  }
  return table.format(look);
}

std::string why(const GpuGemm& gemm, const GpuKernel& kernel, const SimGemmOptions& options, const GpuSpec& gpu) {
  if (!is_librarys_choice(options.map)) return "as --map says";
  const auto candidates = static_cast<std::int64_t>(gpu_candidates(gemm, gpu).size());
  if (candidates == 1) return "by rule the only kernel that the library has for so few rows";
  const std::string choice = "the library's choice, by rule, of " + counted(candidates, "kernel") + "; ";
  if (kernel.family != GpuFamily::kNewest) {
    return choice + "an older kind, for this dtype or rows of no multiple of 16 B (kernbench map gemm lists others)";
  }
  return choice + std::to_string(stages(kernel, gpu)) +
         " stages fit its shared memory (kernbench map gemm lists others)";
}

}  // namespace

std::string gpu_title(const GpuGemm& gemm, const LoadedGpu& gpu) {
  return "gemm " + std::to_string(gemm.m) + "x" + std::to_string(gemm.k) + "x" + std::to_string(gemm.n) + " " +
         std::string(name_of(gemm.dtype)) + " on " + gpu.spec.name;
}

bool is_gpu(const MachineOptions& machine) { return machine.kind() == MachineKind::kGpu; }

LoadedGpu load_gpu(const MachineOptions& machine) {
  note_keys_without_time(machine.overrides());
  return load_gpu(machine.file(), machine.overrides());
}

void refuse_options_of_pes(const SimGemmOptions& options) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw ConfigError(std::string(option) + ": expected a machine of PEs; the machine file is a GPU");
  };
  refuse(options.variant != "all", "--variant");
  refuse(!options.over.empty(), "--over");
  refuse(!options.placement.empty(), "--place");
  refuse(!options.epilogue.empty(), "--epilogue");
  refuse(!options.dtype_b.empty(), "--dtype-b");
  refuse(!options.ranks_per.empty(), "--ranks-per");
  refuse(options.no_fast_forward, "--no-fast-forward");
  refuse(options.verify, "--verify");
  refuse(options.layout_option != nullptr && options.layout_option->given(), "--layout");
  refuse(!options.time_limit.empty(), "--time-limit");
  refuse(!options.trace.empty(), "--trace");
}

GpuGemm gpu_gemm_of(const SimGemmOptions& options, const GpuSpec& gpu) {
  const GpuGemm gemm{options.m, options.k, options.n, parse_dtype(options.dtype, "--dtype")};
  check_gemm(gemm, gpu);
  return gemm;
}

GpuKernel gpu_kernel_of(const SimGemmOptions& options, const GpuGemm& gemm, const GpuSpec& gpu) {
  return gpu_kernel_of(options.map, gemm, gpu, "--map");
}

void refuse_options_of_gpus(const SimGemmOptions& options) {
  const auto refuse = [](bool given, const char* option) {
    if (given) throw ConfigError(std::string(option) + ": expected a GPU, such as --topology topology/h200.yaml");
  };
  refuse(options.l2 != "warm", "--l2");
  refuse(!options.state.empty(), "--state");
  refuse(options.launch != "graph", "--launch");
  refuse(options.channels != 0, "--channels");
  refuse(options.nccl_threads != 0, "--nccl-threads");
  refuse(options.gpus != 0, "--gpus");
}

L2State l2_state_of(const SimGemmOptions& options) { return kL2States.parse(options.l2, "--l2"); }

GpuState gpu_state_of(const SimGemmOptions& options) {
  return options.state.empty() ? GpuState::kBurst : kGpuStates.parse(options.state, "--state");
}

Results gpu_results(std::vector<Row> rows, const std::string& workload, const LoadedGpu& gpu) {
  return as_results(std::move(rows), workload, as_machine(gpu));
}

void deliver_gpu(const SimGemmOptions& options, const std::function<std::string(const Look&)>& tables,
                 const Results& results, const LoadedGpu& gpu, const std::string& title) {
  options.deliver(tables, results, as_machine(gpu), title);
}

void add_gpu_options(CommandSpec& command, SimGemmOptions& options) {
  command
      .add_option("--l2", options.l2,
                  "Of a GPU, whose machine file says `kind: gpu`: its L2 has the operands of the same product before "
                  "(warm), or nothing of them (flushed)")
      .type_name("warm|flushed")
      .show_default();
  command
      .add_option("--state", options.state,
                  "Likewise, of a what-if and beside a collective: before the governor's first tick, or again and "
                  "again under the power limit [burst]")
      .rule(one_of({"burst", "steady"}))
      .type_name("burst|steady");
  command
      .add_option(
          "--launch", options.launch,
          "Likewise, of sim gemm: products follow one another inside a CUDA graph, on a stream from a host that "
          "is ahead, or from one that launches no faster than launch.host")
      .rule(one_of({"graph", "stream", "eager"}))
      .type_name("graph|stream|eager")
      .show_default();
  add_nccl_options(command, options.channels, options.nccl_threads, options.gpus);
}

int run_sim_gemm_gpu(const SimGemmOptions& options) {
  refuse_options_of_pes(options);
  if (!options.beside.empty()) {
    if (options.launch != "graph") throw ConfigError("--launch: expected none with --beside, whose streams are graphs");
    return run_sim_gemm_gpu_beside(options);
  }
  if (options.channels != 0 || options.nccl_threads != 0 || options.gpus != 0 || !options.state.empty()) {
    throw ConfigError(
        "--channels, --nccl-threads, --gpus, --state: expected --beside, the collective that they are of");
  }
  const LoadedGpu gpu = load_gpu(*options.machine);
  const GpuGemm gemm = gpu_gemm_of(options, gpu.spec);
  const L2State l2 = l2_state_of(options);
  const GpuKernel kernel = gpu_kernel_of(options, gemm, gpu.spec);
  const GpuLaunching launching = kGpuLaunchings.parse(options.launch, "--launch");
  const std::vector<Row> rows{row_from_gpu(gemm, kernel, gpu.spec, l2, GpuState::kBurst, launching),
                              row_from_gpu(gemm, kernel, gpu.spec, l2, GpuState::kSteady, launching)};
  const auto tables = [&](const Look& look) {
    return styled(gpu_title(gemm, gpu), Style::kBold, look.colours) + "\n" + fact("kernel", to_text(kernel), look) +
           fact("chosen", why(gemm, kernel, options, gpu.spec), look) + "\n" + states_table(rows, look) + "\n" +
           parts_table(rows.front(), look) + "\n" + slice_table(rows.front(), kernel, look) + "\n" +
           prose("burst: before the governor's first tick, of " + formatted("%.0f ms", gpu.spec.power.period / 1e6) +
                     "; steady: the same work again and again, at the clock that " +
                     formatted("%.0f W", std::min(gpu.spec.power.limit, gpu.spec.power.peak)) + " allow. " +
                     launched_how(launching, gpu.spec) + ", L2 " + std::string(kL2States[l2]) +
                     "; the parts are those of the burst.",
                 look);
  };
  deliver_gpu(options, tables, gpu_results(rows, "sim-gemm", gpu), gpu, gpu_title(gemm, gpu));
  return 0;
}

int run_map_gemm_gpu(const SimGemmOptions& options, std::size_t top) {
  refuse_options_of_pes(options);
  if (options.launch != "graph") throw ConfigError("--launch: expected none, kernels are compared in a CUDA graph");
  const LoadedGpu gpu = load_gpu(*options.machine);
  const GpuGemm gemm = gpu_gemm_of(options, gpu.spec);
  const L2State l2 = l2_state_of(options);
  const GpuKernel chosen = gpu_kernel_of(options, gemm, gpu.spec);
  std::vector<Row> rows;
  for (const GpuKernel& kernel : gpu_candidates(gemm, gpu.spec)) {
    rows.push_back(row_from_gpu(gemm, kernel, gpu.spec, l2, GpuState::kBurst));
  }
  std::ranges::stable_sort(rows, {}, [](const Row& row) { return number(row, "time_ns"); });
  const std::string choice = to_text(chosen);
  const auto is_choice = [&](const Row& row) { return row.point.at("kernel") == choice; };
  const auto place = std::ranges::find_if(rows, is_choice) - rows.begin();
  if (rows.size() > top) rows.resize(top);
  if (std::ranges::none_of(rows, is_choice)) {
    rows.push_back(row_from_gpu(gemm, chosen, gpu.spec, l2, GpuState::kBurst));
  }
  const auto tables = [&](const Look& look) {
    Table table({{"kernel"},
                 {"time (us)", Align::kRight},
                 {"TFLOP/s", Align::kRight},
                 {"CTAs", Align::kRight},
                 {"rounds", Align::kRight},
                 {"slice (ns)", Align::kRight},
                 {"limited by"}});
    for (const Row& row : rows) {
      table.add_row({{row.point.at("kernel").get<std::string>(), is_choice(row) ? Style::kGreen : Style::kPlain},
                     us(number(row, "time_ns")),
                     formatted("%.1f", number(row, "tflops")),
                     std::to_string(row.metrics.at("ctas").get<std::int64_t>()),
                     std::to_string(row.metrics.at("rounds").get<std::int64_t>()),
                     formatted("%.1f", number(row, "slice_ns")),
                     row.metrics.at("limited_by").get<std::string>()});
    }
    return styled(gpu_title(gemm, gpu), Style::kBold, look.colours) + "\n" + table.format(look) + "\n" +
           fact("chosen",
                choice +
                    (place < static_cast<std::ptrdiff_t>(top)
                         ? ", number " + std::to_string(place + 1) + " by this model"
                         : "") +
                    (chosen.family == GpuFamily::kNewest ? ": the library's rule, which has constants of its own"
                                                         : ": the least time of an older kind"),
                look);
  };
  deliver_gpu(options, tables, gpu_results(rows, "map-gemm", gpu), gpu, gpu_title(gemm, gpu));
  return 0;
}

}  // namespace kernbench
