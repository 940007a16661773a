// What `kernbench sim gemm` is asked for; on one PE (sim_gemm.cpp) or over several (sim_gemm_over.cpp).
#pragma once

#include <optional>
#include <string>

#include "benches/cli/sim_run.hpp"
#include "benches/harness/run/mapping_choice.hpp"
#include "benches/harness/text/terminal.hpp"

namespace kernbench {

struct SimGemmOptions : SimOptions {
  std::int64_t m = 0;
  std::int64_t k = 0;
  std::int64_t n = 0;
  std::string variant = "all";
  std::string map;  ///< a mapping, or what of it is not left to be chosen; empty: --variant
  std::string epilogue;
  std::string dtype = "bf16";     ///< of A and B
  std::string dtype_b;            ///< of B, where it is stored in fewer bytes; empty: as A
  std::string over;               ///< empty: one PE
  std::string placement;          ///< empty: the variant's own
  std::string beside;             ///< a collective that runs at the same time; empty: none
  std::string l2 = "warm";        ///< of a GPU, before the product
  std::int64_t channels = 0;      ///< of that collective on GPUs; 0: the library's number
  std::int64_t nccl_threads = 0;  ///< of a channel; 0: the library's number
  std::int64_t gpus = 0;          ///< that do it; 0: all
  std::string state;              ///< of a GPU; empty: burst
  std::string launch = "graph";   ///< of a GPU: how products follow one another
  std::string ranks_per;          ///< what a rank of that collective is; empty: a PE
};

/// Adds --over and --place.
void add_over(CommandSpec& command, SimGemmOptions& options);
/// Throws ConfigError where PEs that are asked for cannot have what is asked for besides.
void check_over(const SimGemmOptions& options);
/// Adds --m, --k, --n, --dtype and --dtype-b.
void add_gemm_shape(CommandSpec& command, SimGemmOptions& options);

/// How one PE does a GEMM: a variant, or a mapping.
struct GemmWay {
  std::string variant;
  std::optional<GemmMapping> mapping{};
};

[[nodiscard]] GemmProblem problem_of(const SimGemmOptions& options);
/// The point of its row: all that the workload is.
[[nodiscard]] Json gemm_point(const SimGemmOptions& options, const GemmProblem& problem, const GemmWay& way);
/// Simulated, with its bound. Throws ConfigError, CapacityError for what the machine cannot do.
[[nodiscard]] Row simulate_gemm(const SimGemmOptions& options, const GemmProblem& problem, const GemmWay& way,
                                const LoadedMachine& machine);
/// All that is told of one run.
[[nodiscard]] std::string format_gemm(const SimGemmOptions& options, const GemmProblem& problem, const Row& row,
                                      const MachineSpec& machine, const std::string& title, const Look& look);
/// "512x4096x512", M x K x N.
[[nodiscard]] std::string shape_of(const GemmProblem& problem);
/// " fp8_e4m3 + gelu row_major": what a product has that is not usual; titles say it behind the shape.
[[nodiscard]] std::string what_else(const GemmProblem& problem);
[[nodiscard]] std::string gemm_title(const GemmProblem& problem, const std::string& way, const LoadedMachine& machine);

/// Whether values or a trace are asked for: of a mapping that is chosen, which is simulated once more for them (32.8).
[[nodiscard]] bool asks_for_records(const SimGemmOptions& options);
/// What mappings are tried with before one is chosen.
[[nodiscard]] SimGemmOptions without_records(SimGemmOptions options);

/// Operands that a mapping does not load in blocks: "AB".
[[nodiscard]] std::string streamed_text(const GemmMapping& mapping);
/// "; the next takes 1.1 % longer; 2 that passed --time-limit are left out", of times with the fastest first.
[[nodiscard]] std::string margin_text(const std::vector<double>& times, std::int64_t over_time);
/// Of the mappings with what is asked for, that which is chosen of so many that are simulated (32.8, 32.21).
[[nodiscard]] MappingChoice choose_gemm_mapping(const SimGemmOptions& options, const GemmProblem& problem,
                                                const LoadedMachine& machine, const MappingRequest& request,
                                                std::size_t simulations = kMappingsSimulated);

int run_sim_gemm_mapped(const SimGemmOptions& options);
/// --over with --map; and `map gemm --over`, of which the `top` fastest of as many simulated are shown.
int run_sim_gemm_over_mapped(const SimGemmOptions& options);
int run_map_gemm_over(const SimGemmOptions& options, std::size_t top);
int run_sim_gemm_over(const SimGemmOptions& options);
int run_sim_gemm_beside(const SimGemmOptions& options);

}  // namespace kernbench
