// Ways of sharing a GEMM among PEs, planned in a child before they are simulated (adr/0030).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "benches/cli/children.hpp"
#include "benches/harness/results/results.hpp"
#include "benches/harness/text/terminal.hpp"
#include "sim/system/gemm_over.hpp"

namespace kernbench {

struct OverWay {
  std::string variant;
  GemmOverPlan plan;
  std::optional<OverMapping> mapping{};  ///< of PEs' parts, instead of the variant
  std::string refused{};                 ///< why the machine or the way cannot do it; empty where it can
};
struct OverWays {
  std::vector<OverWay> ways;
  std::vector<std::string> notes;  ///< on the machine's message queues
  std::vector<std::string> links;  ///< names of all, in the order of their numbers
};

/// Each of `variants` as `plan` plans it on the machine's network. Throws as plan_in_child.
[[nodiscard]] OverWays plan_ways(
    const ChildOptions& options, const MachineSpec& machine, const std::vector<std::string>& variants,
    const std::function<GemmOverPlan(const NetworkPlan& plan, const std::string& variant)>& plan);

/// Plans as a child writes and its parent reads them.
[[nodiscard]] Json plan_to_json(const GemmOverPlan& plan);
[[nodiscard]] GemmOverPlan plan_from_json(const Json& json);

/// Where the matrices lie, who multiplies nothing, and what PEs have before the run begins.
[[nodiscard]] std::string describe_placement(const Row& row);

}  // namespace kernbench
