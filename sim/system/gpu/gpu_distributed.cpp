#include "sim/system/gpu/gpu_distributed.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/plan/distributed_gemm/schedule.hpp"

namespace kernbench {
namespace {

/// One problem under one highest clock after another.
class AtClocks {
 public:
  AtClocks(const DistributedGemm& problem, const GpuSpec& gpu, const GpuCommandRules& rules)
      : problem_(problem), gpu_(gpu), rules_(rules), costs_(gpu) {
    if (problem.method == DistributedMethod::kDtensor) return;
    const DistributedGemmPlan plan = plan_distributed_gemm(problem);
    method_ = plan.method;
    list_ = schedule_distributed_gemm(plan);
  }

  [[nodiscard]] GpuDistributed under(double most) {
    GpuDistributed made = problem_.method == DistributedMethod::kDtensor ? redistributed(most) : carried_out(most);
    made.clock = costs_.slowest(most);
    return made;
  }

 private:
  [[nodiscard]] GpuDistributed redistributed(double most) {
    GpuDistributed made;
    made.method = DistributedMethod::kDtensor;
    made.phases = dtensor_phases(problem_, gpu_, costs_, most);
    double energy = 0;
    for (const DtensorPhase& phase : made.phases) {
      made.total += phase.time;
      made.received += phase.received;
      energy += phase.energy;
      (phase.energy > 0 ? made.kernels : made.copies) += phase.time;
    }
    made.power = gpu_.power.idle + energy / made.total;
    return made;
  }

  [[nodiscard]] GpuDistributed carried_out(double most) {
    GpuDistributed made;
    made.method = method_;
    made.commands = costs_.commands(list_, most);
    made.run = run_gpu_commands(made.commands, problem_.devices, gpu_, rules_);
    made.total = made.run.total;
    for (int gpu = 0; gpu < problem_.devices; ++gpu) {
      double kernels = 0;
      double energy = 0;
      double sent = 0;
      double received = 0;
      for (const GpuCommand& command : made.commands) {
        if (command.copy) {
          sent += command.from == gpu ? command.bytes : 0;
          received += command.to == gpu ? command.bytes : 0;
        } else if (command.gpu == gpu) {
          kernels += command.time;
          energy += command.energy;
        }
      }
      made.kernels = std::max(made.kernels, kernels);
      made.copies = std::max(made.copies, std::max(sent, received) / gpu_.peer_copy.bandwidth);
      made.received = std::max(made.received, received);
      made.power = std::max(made.power, gpu_.power.idle + energy / made.total);
    }
    return made;
  }

  const DistributedGemm& problem_;
  const GpuSpec& gpu_;
  GpuCommandRules rules_;
  GpuCommandCosts costs_;
  DistributedMethod method_ = DistributedMethod::kDtensor;
  CommandList list_;
};

}  // namespace

std::string GpuDistributed::limit() const {
  const double most = std::max(kernels, copies);
  if (3 * most < 2 * total) return "waits";
  return kernels >= copies ? "kernels" : "copies";
}

void require_gpus(const DistributedGemm& problem, const GpuSpec& gpu) {
  if (!gpu.peer_copy.given) {
    throw ConfigError("GPU " + gpu.name + " has no section peer_copy; matrices on several GPUs need it");
  }
  if (!gpu.nvlink.given || problem.devices > static_cast<int>(gpu.nvlink.gpus)) {
    const auto gpus = gpu.nvlink.given ? static_cast<int>(gpu.nvlink.gpus) : 1;
    throw ConfigError(std::to_string(problem.devices) + " GPUs: expected at most nvlink.gpus, " + std::to_string(gpus) +
                      " on " + gpu.name);
  }
}

GpuDistributed gpu_distributed(const DistributedGemm& problem, const GpuSpec& gpu, GpuPace pace,
                               const GpuCommandRules& rules) {
  require_gpus(problem, gpu);
  AtClocks at_clocks(problem, gpu, rules);
  return at_pace(pace, gpu, [&at_clocks](double most) { return at_clocks.under(most); });
}

}  // namespace kernbench
