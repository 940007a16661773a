#include "sim/system/distributed/product_mappings.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "sim/engine/systemc_kernel.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/system/multi_pe_choice.hpp"

namespace kernbench {

namespace {

/// One device by itself, with what copies leave of its TCM.
MachineSpec device_alone(MachineSpec machine, Bytes tcm) {
  machine.system.packages = {1, 1};
  machine.system.arrangement = PackageArrangement::kRing;
  machine.pe.tcm.take(machine.pe.tcm.capacity - tcm);
  return machine;
}

std::vector<std::int32_t> all_pes(const MachineSpec& device) {
  std::vector<std::int32_t> pes(static_cast<std::size_t>(pes_of_device(device)));
  std::iota(pes.begin(), pes.end(), 0);
  return pes;
}

Picoseconds simulated(const MachineSpec& device, MultiPeGemmRequest request, const RankedMultiPeMapping& ranked) {
  request.mapping = ranked.mapping;
  const Picoseconds time = run_multi_pe_gemm(device, request).time;
  renew_systemc();
  return time;
}

/// The fastest of the first candidates, of equal ones the first; none is simulated whose bound is not below the
/// fastest's time (32.18).
MultiPeMapping fastest(const MachineSpec& device, const MultiPeGemmRequest& request, const MultiPeMappingSearch& search,
                       std::int64_t candidates) {
  const auto count = std::min(search.best.size(), static_cast<std::size_t>(candidates));
  MultiPeMapping best = search.best.front().mapping;
  Picoseconds least = kForever;
  if (count < 2) return best;
  for (const RankedMultiPeMapping& ranked : std::span(search.best).first(count)) {
    if (ranked.plan.bound.time >= least) continue;
    const Picoseconds time = simulated(device, request, ranked);
    if (time >= least) continue;
    least = time;
    best = ranked.mapping;
  }
  return best;
}

}  // namespace

ProductMappings::ProductMappings(const MachineSpec& machine, Bytes tcm, std::int64_t candidates,
                                 const std::vector<DeviceCommand>& commands) {
  const MachineSpec device = device_alone(machine, tcm);
  const NetworkPlan network = plan_network(device);
  MappingRequest asked;
  asked.tile = machine.pe.mac.tile;
  asked.split_k = 1;
  std::map<Shape, CellProduct> products;  // one of each shape: all lie alike on their devices
  for (const DeviceCommand& command : commands) {
    for (const CellProduct& product : command.products) {
      const GemmProblem& of = product.problem;
      GemmProblem& problem = products.try_emplace({of.m, of.k, of.n}, product).first->second.problem;
      problem.adds = problem.adds || of.adds;
    }
  }
  for (const auto& [shape, product] : products) {
    const GemmPlacement placement = placement_of(product);
    const MultiPeGemmRequest request{
        .problem = product.problem, .kernel = "owner_computes", .placement = placement, .pes = all_pes(device)};
    const MultiPeMappingSearch search = search_multi_pe_mappings(device, network, request, asked, to_text(placement));
    chosen_.emplace(shape, fastest(device, request, search, candidates));
  }
}

const MultiPeMapping& ProductMappings::of(const GemmProblem& problem) const {
  return chosen_.at({problem.m, problem.k, problem.n});
}

}  // namespace kernbench
