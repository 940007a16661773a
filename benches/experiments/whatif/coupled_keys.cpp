// Which keys a designer may change, and which of them wait for each other (35.1, 35.3, 35.13, 35.14).
#include <algorithm>
#include <array>

#include "benches/experiments/whatif/changes.hpp"
#include "benches/results/rows/cause_words.hpp"

namespace kernbench {
namespace {

Changes all_by(const std::vector<std::string_view>& keys, Factor factor) {
  Changes changes;
  for (const std::string_view key : keys) changes.push_back({topology_key(key), factor});
  return changes;
}

Changes twice(const std::vector<std::string_view>& keys) { return all_by(keys, kTwice); }
Changes half(const std::vector<std::string_view>& keys) { return all_by(keys, kHalf); }

Changes both(Changes changes, const Changes& more) {
  changes.insert(changes.end(), more.begin(), more.end());
  return changes;
}

// --- machines of PEs ---

/// Not hardware: how finely it is simulated, what --map chooses, and what parts take and cost.
bool is_hardware(std::string_view path) {
  constexpr std::array kOthers{"simulation.", "pe.mac.tile.", "pe.mac.register_block.", "energy.", "cost."};
  return std::ranges::none_of(kOthers, [path](std::string_view section) { return path.starts_with(section); });
}

bool counts_pes(std::string_view path) {
  return path.starts_with("system.packages.") || path.starts_with("package.dies.") || path.starts_with("die.routers.");
}

/// What a technology gives, not what a designer chooses.
bool is_technology(std::string_view path) {
  constexpr std::array kKeys{"pe.clock", "die.hbm.read_latency", "die.hbm.turnaround", "die.sram.latency"};
  return std::ranges::find(kKeys, path) != kKeys.end() || path.starts_with("die.wire.");
}

std::vector<Cause> causes_of(KeyPath path) {
  std::vector<Cause> causes;
  for (const CauseWords& words : cause_words()) {
    if (std::ranges::count(words.paths, path) > 0) causes.push_back(words.cause);
  }
  return causes;
}

std::vector<CoupledKeys> paths_of_pes() {
  return {
      {"operands from HBM", causes_of(KeyPath::kOperands),
       twice({"die.hbm.bandwidth", "die.router.link_bandwidth", "pe.tcm.write_bandwidth", "pe.dma.outstanding_bursts",
              "pe.stream_depth"})},
      {"requests", causes_of(KeyPath::kRequests),
       both(twice({"pe.stream_depth", "pe.dma.outstanding_bursts"}),
            half({"pe.dma.setup_latency", "pe.scheduler_latency", "pe.control_latency"}))},
      {"array", causes_of(KeyPath::kArray),
       twice({"pe.mac.macs_per_cycle", "pe.mac.rows", "pe.mac.columns", "pe.mac.weight_buffers", "pe.fetch_bandwidth",
              "pe.mac.operand_registers"})},
      {"results", causes_of(KeyPath::kResults),
       twice({"pe.vector.lanes", "pe.mac.accumulators", "pe.store_bandwidth", "pe.accumulate_bandwidth",
              "pe.output_depth", "pe.tcm.read_bandwidth", "die.router.link_bandwidth", "die.hbm.bandwidth"})},
      {"conversion", causes_of(KeyPath::kConversion),
       twice({"pe.vector.lanes", "pe.vector.rates.convert", "pe.mac.operand_registers", "pe.fetch_bandwidth"})},
      {"messages", causes_of(KeyPath::kMessages),
       twice({"die.router.link_bandwidth", "pe.tcm.read_bandwidth", "pe.tcm.write_bandwidth",
              "package.die_to_die.bandwidth", "system.package_link.bandwidth", "pe.vector.lanes",
              "pe.message_queue.slots"})},
      {"array and its operands", causes_of(KeyPath::kAll),
       twice({"pe.mac.macs_per_cycle", "pe.mac.rows", "pe.fetch_bandwidth", "die.hbm.bandwidth",
              "die.router.link_bandwidth", "pe.tcm.write_bandwidth", "pe.dma.outstanding_bursts", "pe.vector.lanes"}),
       true},
  };
}

// --- GPUs ---

struct Followers {
  std::string_view key;
  std::vector<std::string_view> others;
};

/// docs/gpu-file.md, "Keys that belong together".
const std::vector<Followers>& followers() {
  static const std::vector<Followers> kAll{
      {"sm.count", {"sm.clustered"}},
      {"sm.registers", {"sm.accumulators"}},
      {"l2.capacity", {"l2.resident", "l2.spill"}},
      {"hbm.bandwidth", {"operators.bandwidth", "operators.sustained"}},
      {"nvlink.bandwidth",
       {"nccl.ll128_bandwidth", "nccl.ll.bandwidth", "nccl.ll128.bandwidth", "nccl.simple.bandwidth",
        "peer_copy.bandwidth"}},
  };
  return kAll;
}

/// What whoever lays out a GPU decides: units, ports, memories and the power that is led away.
bool is_gpu_design(std::string_view path) {
  constexpr std::array kKeys{"sm.count",     "sm.cluster",  "sm.shared_memory", "sm.registers", "sm.threads",
                             "sm.receive",   "sm.store",    "l2.capacity",      "l2.request",   "hbm.bandwidth",
                             "hbm.capacity", "power.limit", "power.peak",       "nvlink.gpus",  "nvlink.bandwidth"};
  if (std::ranges::find(kKeys, path) != kKeys.end()) return true;
  if (path.starts_with("tensor.")) return path.ends_with(".macs");
  return path.starts_with("older.") && (path.ends_with(".macs") || path.ends_with(".line") || path.ends_with(".store"));
}

std::vector<CoupledKeys> paths_of_gpus() {
  const std::vector<std::string_view> rates{"tensor.bf16.macs",     "tensor.fp16.macs",        "tensor.fp8.macs",
                                            "older.odd.macs",       "older.even.macs",         "older.tf32.macs",
                                            "older.tf32_wide.macs", "older.tf32_segment.macs", "older.tf32_ragged.macs",
                                            "older.fp32.macs",      "older.fp32_vector.macs"};
  const std::vector<std::string_view> lines{"l2.request",
                                            "sm.receive",
                                            "older.odd.line",
                                            "older.even.line",
                                            "older.tf32.line",
                                            "older.tf32_wide.line",
                                            "older.tf32_segment.line",
                                            "older.tf32_ragged.line",
                                            "older.fp32.line",
                                            "older.fp32_vector.line"};
  const std::vector<std::string_view> stores{"sm.store",
                                             "older.odd.store",
                                             "older.even.store",
                                             "older.tf32.store",
                                             "older.tf32_wide.store",
                                             "older.tf32_segment.store",
                                             "older.tf32_ragged.store",
                                             "older.fp32.store",
                                             "older.fp32_vector.store"};
  const Changes sm = both(both(twice(rates), half(lines)), twice(stores));
  return {
      {"inside an SM", {}, sm},
      {"tiles", {}, both(both(twice({"sm.registers", "sm.shared_memory"}), twice(rates)), half(lines))},
      {"memory and SMs", {}, twice({"hbm.bandwidth", "l2.capacity", "sm.count"})},
      {"power", {}, both(twice({"power.limit", "sm.count", "hbm.bandwidth"}), twice(rates))},
      {"the GPU", {}, both(twice({"sm.count", "hbm.bandwidth", "l2.capacity", "power.limit"}), sm), true},
  };
}

}  // namespace

std::vector<TopologyKey> hardware_keys(const MachineSpec& machine) {
  std::vector<TopologyKey> keys = number_keys(machine);
  std::erase_if(keys,
                [](const TopologyKey& key) { return key.kind() == MachineKind::kPes && !is_hardware(key.path()); });
  return keys;
}

std::vector<TopologyKey> keys_along_with(const TopologyKey& key, const MachineSpec& machine) {
  std::vector<TopologyKey> keys;
  const auto found = std::ranges::find(followers(), key.path(), &Followers::key);
  if (found == followers().end()) return keys;
  for (const std::string_view other : found->others) {
    if (const TopologyKey one = topology_key(other); has_key(machine, one)) keys.push_back(one);
  }
  return keys;
}

std::string name_with_others(const TopologyKey& key, const MachineSpec& machine) {
  const std::string section(key.path().substr(0, key.path().find('.') + 1));
  std::string name(key.path());
  for (const TopologyKey& other : keys_along_with(key, machine)) {
    const std::string path(other.path());
    name += (name.find(' ') == std::string::npos ? " with " : ", ") +
            (path.starts_with(section) ? path.substr(section.size()) : path);
  }
  return name;
}

bool may_be_bought(const TopologyKey& key) {
  if (key.kind() == MachineKind::kGpu) return is_gpu_design(key.path());
  return !counts_pes(key.path()) && !is_technology(key.path());
}

std::span<const CoupledKeys> coupled_keys(MachineKind kind) {
  static const std::vector<CoupledKeys> kOfPes = paths_of_pes();
  static const std::vector<CoupledKeys> kOfGpus = paths_of_gpus();
  return kind == MachineKind::kPes ? kOfPes : kOfGpus;
}

}  // namespace kernbench
