// --topology and --set.
#include "benches/cli/machine_options.hpp"

#include <algorithm>
#include <iostream>
#include <optional>
#include <string_view>

#include "benches/experiments/whatif/changes.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "benches/io/files/source_tree.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/machine/topology_key.hpp"
#include "sim/plan/network/buffer_room.hpp"

namespace kernbench {

std::shared_ptr<MachineOptions> MachineOptions::add_to(CommandSpec& command, File file) {
  auto options = std::make_shared<MachineOptions>();
  const std::string names = "--topology,--machine";
  command
      .add_option(file == File::kArgumentToo ? "FILE," + names : names, options->topology_,
                  "Machine file [topology/milestone_1h.yaml, or a bench's own]")
      .type_name("FILE")
      .reads();
  command.add_option("--set", options->overrides_, "Override a key of the machine file, e.g. --set pe.clock='1.2 GHz'")
      .type_name("KEY.PATH=VALUE")
      .one_value_each();
  return options;
}

void MachineOptions::add_packet(CommandSpec& command) {
  command.add_option("--packet", packet_, "Short for --set simulation.packet_bytes=SIZE: larger is faster and coarser")
      .type_name("SIZE");
}

std::vector<std::string> MachineOptions::given() const {
  std::vector<std::string> arguments;
  if (!topology_.empty()) arguments.insert(arguments.end(), {"--topology", topology_});
  for (const std::string& assignment : overrides_) arguments.insert(arguments.end(), {"--set", assignment});
  if (!packet_.empty()) arguments.insert(arguments.end(), {"--packet", packet_});
  return arguments;
}

std::string MachineOptions::file() const {
  return topology_.empty() ? in_source_tree(kMilestoneMachine).string() : topology_;
}

MachineKind MachineOptions::kind() const { return is_gpu_file(file()) ? MachineKind::kGpu : MachineKind::kPes; }

LoadedMachine MachineOptions::load(const std::vector<std::string>& defaults) const {
  if (kind() == MachineKind::kGpu) {
    throw ConfigError(
        file() +
        ": expected a machine of PEs, got a GPU: sim gemm, sim collective, sim universal-gemm, map gemm, topology, " +
        "whatif gemm, calibrate and the benches gemm and gpu-predicted... take one");
  }
  return load_machine(file(), with_defaults(defaults));
}

const Bench& MachineOptions::side_of(const Bench& bench) const {
  if (topology_.empty()) return bench;
  const Bench* const side = kernbench::side_of(bench, kind());
  return side == nullptr ? bench : *side;
}

LoadedMachine MachineOptions::load(const Bench& bench) const {
  return load_bench_machine(bench, topology_.empty() ? usual_machine_file(bench) : topology_,
                            with_defaults(bench.machine_defaults));
}

std::vector<std::string> MachineOptions::with_defaults(const std::vector<std::string>& defaults) const {
  if (!packet_.empty() && kind() == MachineKind::kGpu) {
    throw ConfigError("--packet: expected a machine of PEs; the machine file is a GPU");
  }
  std::vector<std::string> overrides = overrides_;
  std::vector<std::string> wanted = defaults;
  const std::string packet_key = "simulation.packet_bytes=";
  if (!packet_.empty()) {
    for (const std::string& given : overrides_) {
      if (given.starts_with(packet_key)) {
        throw ConfigError("--packet " + packet_ + ": expected no --set " + given + " beside it, which is the same key");
      }
    }
    wanted.push_back(packet_key + packet_);
  }
  for (const std::string& assignment : wanted) {
    const std::string key = assignment.substr(0, assignment.find('=') + 1);
    const auto names_key = [&key](const std::string& given) { return given.rfind(key, 0) == 0; };
    if (std::none_of(overrides_.begin(), overrides_.end(), names_key)) overrides.push_back(assignment);
  }
  return overrides;
}

LoadedMachine load_bench_machine(const Bench& bench, const std::string& file,
                                 const std::vector<std::string>& overrides) {
  const bool on_gpu = bench.machine == MachineKind::kGpu;
  if (on_gpu) note_keys_without_time(overrides);
  if (is_gpu_file(file) != on_gpu) {
    throw ConfigError(file + ": expected " + (on_gpu ? "a GPU (kind: gpu)" : "a machine of PEs, got a GPU") +
                      ", for bench " + bench.name);
  }
  if (!on_gpu) return load_machine(file, overrides);
  LoadedMachine gpu = load_gpu_machine(file, overrides);
  note_keys_that_stay(overrides, gpu.spec);
  return gpu;
}

void require_pes(const LoadedMachine& machine, const std::string& option) {
  if (machine.spec.gpu != nullptr) throw ConfigError(option + ": expected a machine of PEs; the machine file is a GPU");
}

void require_any_machine(const Bench& bench, const std::string& asked) {
  if (bench.machine == MachineKind::kPes || is_open(bench)) return;
  throw ConfigError(asked + ": expected a bench of any machine, as gemm is on GPUs too; the rows of " + bench.name +
                    " are beside those of a GPU that was measured: --set KEY=VALUE of run changes its keys");
}

std::string usual_machine_file(const Bench& bench) {
  return in_source_tree(bench.machine_file.empty() ? kMilestoneMachine : bench.machine_file).string();
}

void note_defaults(const LoadedMachine& machine) {
  if (machine.left_out.empty()) return;
  std::cerr << "note: at defaults, since machine " << machine.spec.name
            << " leaves them out: " << joined(machine.left_out, ", ") << '\n';
}

void warn_of_buffers(const MachineSpec& machine) {
  for (const std::string& warning : buffer_warnings(machine)) std::cerr << "warning: " << warning << '\n';
}

void note_keys_without_time(const std::vector<std::string>& overrides) {
  const auto is_capacity = [](const std::string& assignment) { return assignment.starts_with("l2.capacity="); };
  if (std::ranges::none_of(overrides, is_capacity)) return;
  std::cerr << "note: no time follows from l2.capacity: l2.resident and l2.spill say what the L2 holds\n";
}

void note_keys_that_stay(const std::vector<std::string>& overrides, const MachineSpec& gpu) {
  const auto is_set = [&overrides](std::string_view path) {
    return std::ranges::any_of(
        overrides, [path](const std::string& assignment) { return assignment.starts_with(std::string(path) + "="); });
  };
  for (const std::string& assignment : overrides) {
    const std::optional<TopologyKey> key = find_topology_key(assignment.substr(0, assignment.find('=')));
    if (!key) continue;
    std::vector<std::string> stay;
    for (const TopologyKey& other : keys_along_with(*key, gpu)) {
      if (!is_set(other.path())) stay.emplace_back(other.path());
    }
    if (stay.empty()) continue;
    std::cerr << "note: " << key->path() << " is set alone: " << joined(stay, ", ")
              << (stay.size() == 1 ? " stays as it is\n" : " stay as they are\n");
  }
}

void print_notes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::cerr << "note: " << note << '\n';
}

}  // namespace kernbench
