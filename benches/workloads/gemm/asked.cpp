#include "benches/workloads/gemm/asked.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

#include "benches/results/rows/row_from_gpu.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/system/multi_pe_gemm.hpp"
#include "sim/system/run.hpp"

namespace kernbench {
namespace {

constexpr const char* kAsA = "as_a";  ///< dtype_b
constexpr const char* kNoEpilogue = "none";
constexpr std::string_view kOr = " or ";

/// With + between them, since commas separate the values of an axis.
std::string epilogue_text(std::string text) {
  std::ranges::replace(text, ',', '+');
  return text.empty() ? kNoEpilogue : text;
}

std::vector<Epilogue> epilogues_in(const std::string& text) { return parse_epilogues(text == kNoEpilogue ? "" : text); }

std::string read_epilogue(const std::string& text) {
  static_cast<void>(epilogues_in(text));
  return epilogue_text(text);
}

std::string read_dtype_b(const std::string& text) {
  return text == kAsA ? text : std::string(name_of(parse_dtype(text, "")));
}

std::vector<std::string> kernel_names() {
  std::vector<GemmKernel> kernels = gemm_kernels();
  const auto loaded = [](const GemmKernel& kernel) {
    return (kernel.residency.a ? 1 : 0) + (kernel.residency.b ? 1 : 0);
  };
  std::ranges::stable_sort(kernels, {}, loaded);
  std::vector<std::string> names;
  for (const GemmKernel& kernel : kernels) names.push_back(kernel.name);
  for (const MultiPeGemmKernel& kernel : multi_pe_gemm_kernels()) names.push_back(kernel.name);
  return names;
}

std::string kernel_summaries() {
  std::string text = "\non one PE:";
  for (const GemmKernel& kernel : gemm_kernels()) text += "\n" + kernel.name + ": " + kernel.summary;
  text += "\non several:";
  for (const MultiPeGemmKernel& kernel : multi_pe_gemm_kernels()) text += "\n" + kernel.name + ": " + kernel.summary;
  return text;
}

std::string read_variant(const std::string& text) {
  std::vector<std::string> names = kernel_names();
  if (std::ranges::count(names, text) > 0) return text;
  if (text.find('=') != std::string::npos || text == kChosenMapping) {
    static_cast<void>(way_of(text));
    return text;
  }
  names.insert(names.begin(), {kChosenMapping, "a mapping such as block=256x512x256"});
  refuse_name("variant", text, names);
}

std::string read_gpu_kernel(const std::string& text) {
  if (is_librarys_choice(text)) return text;
  if (std::isdigit(static_cast<unsigned char>(text.front())) == 0) {
    throw ConfigError("expected auto, or a kernel of the GPU's library such as '256x128 cluster=1x2', got '" + text +
                      "'");
  }
  static_cast<void>(parse_gpu_kernel(text, "a kernel, or auto"));
  return text;
}

std::string read_placement(const std::string& text) {
  if (text == kLeastBound) return text;
  static_cast<void>(parse_placement(text, {}));
  return text;
}

constexpr const char* kMappingMeaning =
    "How it is laid over the array and TCM: auto, the fastest of the mappings that look best by the closed form; any "
    "of tile=MxKxN block=MxKxN order=mnk|... "
    "buffers=1..4 stream=none|a|b|ab sums=fp32|bf16|fp32@hbm|bf16@hbm (of int8: int32, of fp16 also fp16), with --over "
    "split_k=N, of which the rest is chosen; a kernel by name; all: every kernel. Of a GPU a kernel of the library, "
    "such as '256x128 cluster=1x2'; auto: which it chooses";

}  // namespace

Axes<GemmAsked> gemm_axes() {
  using R = GemmAsked;
  std::string dtypes;
  for (const std::string_view name : kOperandDtypes.all()) dtypes += (dtypes.empty() ? "" : "|") + std::string(name);
  Axes<R> axes;
  axes.count({"m", "--m", "Rows of A and C"}, &R::m, 1, kLargestDimension).required();
  axes.count({"k", "--k", "Columns of A, rows of B"}, &R::k, 1, kLargestDimension).required();
  axes.count({"n", "--n", "Columns of B and C"}, &R::n, 1, kLargestDimension).required();
  axes.choice<Dtype>(
      {"dtype", "--dtype",
       "Of A and B; C is bf16 of fp8 and MX, int32 of int8, fp32 of tf32, else as they are; the machine's MAC "
       "array needs a rate for it, pe.mac.rates"},
      dtypes, &R::dtype, parse_dtype, name_of);
  axes.text({"dtype_b", "--dtype-b",
             "Of B alone, of fewer bytes than that of A: weights that the vector unit converts to the dtype of A, "
             "tile by tile, for the array; as_a: that of A"},
            dtypes, &R::dtype_b, read_dtype_b)
      .only_on(MachineKind::kPes);
  axes.choice({"layout", "--layout", "How matrices lie in HBM: blocked, tile after tile, or row_major"}, "LAYOUT",
              &R::layout, kLayouts)
      .only_on(MachineKind::kPes);
  axes.text({"epilogue", "--epilogue",
             "Vector work on every output tile: scale, bias, relu, gelu, silu; scale@k_tile works on every K tile"},
            "OP+...", &R::epilogue, read_epilogue)
      .only_on(MachineKind::kPes)
      .with_commas();
  axes.text({"variant", "--variant,--map", kMappingMeaning}, "NAME|MAPPING", &R::variant, read_variant)
      .only_on(MachineKind::kPes)
      .named("all", kernel_names)
      .explained(kernel_summaries);
  axes.pes(over_words("One PE (pe), or several that do it together"), kOverTypes, &R::over).only_on(MachineKind::kPes);
  axes.text(
          {"placement", "--place",
           "Where the matrices lie: replicate, rows, columns or blocks of tiles over the PEs' partitions, blocks on a "
           "grid of so many rows and columns of PEs; of kernels that go by steps (grid_multicast, grid_shift) also "
           "what "
           "a PE multiplies in a step, and for how many steps it has room; least_bound: that with the least bound of "
           "those that the way can "
           "have"},
          "a=POLICY,b=...,c=...,grid=ROWSxCOLUMNS,block=MxKxN,buffers=N", &R::placement, read_placement)
      .only_on(MachineKind::kPes)
      .with_commas()
      .quiet();
  axes.choice({"l2", "--l2", "The L2 has the operands of the same product before (warm), or nothing of them (flushed)"},
              "warm|flushed", &R::l2, kL2States)
      .only_on(MachineKind::kGpu);
  axes.choice({"state", "--state",
               "Before the governor's first tick (burst), or the same work again and again under the power limit "
               "(steady)"},
              "burst|steady", &R::state, kGpuStates)
      .only_on(MachineKind::kGpu);
  axes.text({"variant", "--variant,--map", ""}, "", &R::variant, read_gpu_kernel).only_on(MachineKind::kGpu);
  axes.choice(
          {"launch", "--launch",
           "Products follow one another inside a CUDA graph, on a stream from a host that is ahead, or from one that "
           "launches no faster than launch.host (eager)"},
          "graph|stream|eager", &R::launching, kGpuLaunchings)
      .only_on(MachineKind::kGpu)
      .quiet();
  return axes;
}

GemmProblem problem_of(const GemmAsked& asked) {
  GemmProblem problem{.m = asked.m,
                      .k = asked.k,
                      .n = asked.n,
                      .layout = asked.layout,
                      .epilogues = epilogues_in(asked.epilogue),
                      .dtype = asked.dtype};
  if (asked.dtype_b != kAsA) problem.dtype_b = parse_dtype(asked.dtype_b, "dtype_b");
  try {
    check_operands(problem.dtype, problem.stored_b());
  } catch (const ConfigError& error) {
    throw ConfigError("dtype_b " + asked.dtype_b + ": " + error.what());
  }
  if (problem.dtype_b == problem.dtype) problem.dtype_b.reset();
  return problem;
}

GemmWay way_of(const std::string& variant) {
  if (const auto at = variant.find(kOr); at != std::string::npos) {
    GemmWay way = way_of(variant.substr(0, at));
    way.kept = parse_mapping(std::string_view(variant).substr(at + kOr.size()), "variant");
    return way;
  }
  if (variant == kChosenMapping || variant.find('=') != std::string::npos) {
    return {.mapping = parse_mapping(variant, "variant")};
  }
  return {.kernel = variant};
}

std::string with_kept(const std::string& variant, const std::string& mapping) {
  return variant + std::string(kOr) + mapping;
}

std::string problem_text(const GemmProblem& problem) {
  std::string text = to_text(TileShape{problem.m, problem.k, problem.n});
  if (problem.dtype != Dtype::kBf16 || problem.dtype_b) text += " " + std::string(name_of(problem.dtype));
  if (problem.dtype_b) text += " x " + std::string(name_of(*problem.dtype_b));
  for (const Epilogue& epilogue : problem.epilogues) {
    text += " + " + std::string(kVectorOps[epilogue.op]);
    if (epilogue.scope == EpilogueScope::kKTile) text += "@k_tile";
  }
  if (problem.layout != Layout::kBlocked) text += " " + std::string(kLayouts[problem.layout]);
  return text;
}

}  // namespace kernbench
