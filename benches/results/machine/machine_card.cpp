#include "benches/results/machine/machine_card.hpp"

#include "benches/io/text/numbers.hpp"
#include "sim/base/quantity.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/machine/schema.hpp"
#include "sim/plan/hbm_of_die.hpp"

namespace kernbench {
namespace {

std::string bandwidth_text(Bandwidth bandwidth) {
  return format_quantity(bandwidth.bytes_per_second, Dimension::kBandwidth);
}

std::string size_text(Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); }

std::string ridge_text(const MachineSpec& machine, Bandwidth bandwidth) {
  return formatted("%.4g FLOP/byte", 1000 * machine.pe.peak_tflops() / bandwidth.gbs());
}

std::vector<MachineFact> gpu_facts(const LoadedGpu& gpu) {
  const auto written = [&gpu](const char* key) { return gpu.origins.at(key).written; };
  std::size_t fitted = 0;
  for (const auto& [key, origin] : gpu.origins) fitted += origin.from == NumberSource::kFit ? 1 : 0;
  return {{"size", counted(static_cast<std::int64_t>(gpu.spec.sm.count), "SM") + " at up to " + written("sm.clock"),
           "A streaming multiprocessor runs the CTAs of a kernel, each a tile of a product."},
          {"L2", written("l2.capacity"), "Shared by all SMs."},
          {"HBM", written("hbm.bandwidth") + " as products reach it, " + written("hbm.capacity"), "The GPU's memory."},
          {"power limit", written("power.limit"), "The governor turns the clock down to keep below it."},
          {"numbers", std::to_string(fitted) + " of " + std::to_string(gpu.origins.size()) + " are fitted",
           "The others are from data sheets, probes and publications, or assumed: kernbench topology show."}};
}

}  // namespace

std::vector<MachineFact> machine_facts(const MachineSpec& machine) {
  if (machine.gpu != nullptr) return gpu_facts(*machine.gpu);
  const PeSpec& pe = machine.pe;
  const HbmSpec& hbm = machine.die.hbm;
  const std::int64_t packages = machine.system.packages.count();
  const std::int64_t dies = machine.package.dies.count();
  const std::int64_t pes = machine.die.routers.count();
  std::vector<MachineFact> facts{
      {"size",
       counted(packages, "package") + " × " + counted(dies, "die") + " × " + counted(pes, "PE") + " = " +
           grouped(packages * dies * pes) + " PEs",
       "A PE is a processing element: a control processor, DMA engines, a local memory and a MAC array."},
      {"peak of a PE",
       formatted("%.4g TFLOPS", pe.peak_tflops()) + ": " + grouped(pe.mac.peak_macs()) + " MACs a cycle at " +
           format_quantity(pe.clock.hertz, Dimension::kFrequency),
       "A MAC is a multiplication and an addition, two FLOP."}};
  if (hbm.shared()) {
    facts.push_back({"HBM of a die",
                     bandwidth_text(hbm_bandwidth(machine.die)) + ", " + size_text(hbm_capacity(machine.die)) +
                         ", by " + counted(controllers_of_die(machine.die), "controller"),
                     "One memory that all PEs of the die share, its addresses spread over the controllers."});
    facts.push_back({"ridge point of the HBM", ridge_text(machine, {hbm_bandwidth(machine.die).bytes_per_second / pes}),
                     "All PEs together: work that does fewer FLOP for each byte of HBM is bound by the memory."});
  } else if (hbm.follows_keys()) {
    facts.push_back({"HBM of a PE", bandwidth_text(hbm.bandwidth) + ", " + size_text(hbm.capacity),
                     "The PE's own partition of the die's memory."});
    facts.push_back({"ridge point of the HBM", ridge_text(machine, hbm.bandwidth),
                     "Work that does fewer FLOP for each byte of HBM is bound by the memory, more by the MAC array."});
  } else {
    facts.push_back({"HBM of a PE", size_text(hbm.capacity) + ", simulated by the model " + hbm.model,
                     "What it delivers is the model's own: it has no roof here."});
  }
  facts.push_back({"fetch from TCM", bandwidth_text(pe.fetch) + " of " + size_text(pe.tcm.capacity),
                   "TCM is the PE's local memory; fetch takes operands from it to the MAC array."});
  facts.push_back({"ridge point of the TCM", ridge_text(machine, pe.fetch),
                   "Work that does fewer FLOP for each byte fetched is bound by the fetch, more by the MAC array."});
  std::vector<std::string> links;
  if (pes > 1) links.push_back("router to router " + bandwidth_text(machine.die.router.link));
  if (dies > 1) {
    links.push_back("a die's side " + std::to_string(machine.package.die_to_die.connections) + " × " +
                    bandwidth_text(machine.package.die_to_die.bandwidth));
  }
  if (packages > 1) links.push_back("package to package " + bandwidth_text(machine.system.package_link));
  if (!links.empty()) facts.push_back({"links", joined(links, "; "), "Each in one direction."});
  return facts;
}

std::vector<std::string> machine_differences(const MachineSpec& machine, const MachineSpec& there) {
  if (machine.gpu != nullptr || there.gpu != nullptr) return {};
  std::vector<std::string> differences;
  for (const MachineKey& key : machine_keys()) {
    if (key.path == "name") continue;
    const std::string here = written_value(key, machine);
    const std::string other = written_value(key, there);
    if (here != other) differences.push_back(std::string(key.path) + ": " + here + ", there " + other);
  }
  return differences;
}

}  // namespace kernbench
