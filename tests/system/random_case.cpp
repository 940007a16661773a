// Random machines and GEMMs: see random_case.hpp.
#include "tests/system/random_case.hpp"

#include <rapidcheck.h>

#include <algorithm>

#include "sim/machine/load_machine.hpp"

namespace kernbench {
namespace {

const std::string kMachineFile = std::string(KERNBENCH_SOURCE_DIR) + "/topology/milestone_1h.yaml";

int number(int from, int to) { return *rc::gen::inRange(from, to + 1); }
int power_of_two(int from, int to) { return 1 << number(from, to); }

/// Draws values as a machine file writes them, round or odd.
class Values {
 public:
  explicit Values(bool round) : round_(round) {}
  [[nodiscard]] std::string time(int from_ns, int to_ns) const {
    return round_ ? std::to_string(number(from_ns, to_ns)) + " ns"
                  : std::to_string(number(std::max(1, from_ns * 1000), to_ns * 1000)) + " ps";
  }
  [[nodiscard]] std::string bandwidth() const {
    return round_ ? std::to_string(power_of_two(5, 9)) + " GB/s" : std::to_string(number(20'000, 600'000)) + " MB/s";
  }
  [[nodiscard]] std::string clock() const { return round_ ? "1 GHz" : std::to_string(number(500, 3000)) + " MHz"; }

 private:
  bool round_;
};

}  // namespace

MachineSpec Case::machine() const { return load_machine(kMachineFile, overrides).spec; }

Case any_case(int tiles) {
  Case result;
  const auto set = [&](const std::string& key, const std::string& value) {
    result.overrides.push_back(key + "=" + value);
  };
  const auto set_count = [&](const std::string& key, int value) { set(key, std::to_string(value)); };
  const Values values(*rc::gen::arbitrary<bool>());

  const int burst = power_of_two(5, 9);
  const int credits = number(1, 80);
  set("die.router.hop_latency", values.time(1, 5));
  set("die.router.link_bandwidth", values.bandwidth());
  set("die.wire.delay", std::to_string(number(0, 300)) + " ps/mm");
  set("die.wire.pe_to_router", std::to_string(number(0, 4000)) + " um");
  set("die.wire.hbm_to_router", std::to_string(number(0, 4000)) + " um");
  set("die.hbm.bandwidth", values.bandwidth());
  set_count("die.hbm.pseudo_channels", power_of_two(0, 4));
  set("die.hbm.burst", std::to_string(burst) + " B");
  set("die.hbm.read_latency", values.time(1, 60));
  set("die.hbm.turnaround", number(0, 1) == 0 ? "0 ns" : values.time(1, 10));
  set("pe.clock", values.clock());
  set("pe.control_latency", values.time(0, 5));
  set("pe.scheduler_latency", values.time(0, 5));
  set("pe.tcm.read_bandwidth", values.bandwidth());
  set("pe.tcm.write_bandwidth", values.bandwidth());
  set("pe.dma.setup_latency", values.time(0, 10));
  set_count("pe.dma.outstanding_bursts", credits);
  set_count("pe.stream_depth", number(1, 8));
  set_count("pe.output_depth", number(1, 4));
  set("pe.fetch_bandwidth", values.bandwidth());
  set("pe.store_bandwidth", values.bandwidth());
  set_count("pe.mac.macs_per_cycle", power_of_two(8, 13));
  set_count("pe.mac.fill_cycles", number(0, 20));
  set_count("pe.mac.operand_registers", number(1, 4));
  set_count("pe.mac.accumulators", number(1, 4));
  const int m = number(1, 40);
  const int k = number(1, 72);
  const int n = number(1, 40);
  set_count("pe.mac.tile.m", m);
  set_count("pe.mac.tile.k", k);
  set_count("pe.mac.tile.n", n);
  set("simulation.packet_bytes", std::to_string(burst * number(1, std::min(credits, 16))) + " B");

  result.run.m = number(1, tiles * m);
  result.run.k = number(1, tiles * k);
  result.run.n = number(1, tiles * n);
  result.run.row_major = *rc::gen::arbitrary<bool>();
  result.run.variant = *rc::gen::element<std::string>("ref_ref", "load_ref", "load_load");
  return result;
}

MachineSpec changed_machine(const Case& from, const std::string& key, const std::string& value) {
  Case changed = from;
  const auto same_key = [&](const std::string& text) { return text.compare(0, key.size() + 1, key + "=") == 0; };
  changed.overrides.erase(std::remove_if(changed.overrides.begin(), changed.overrides.end(), same_key),
                          changed.overrides.end());
  changed.overrides.push_back(key + "=" + value);
  return changed.machine();
}

std::ostream& operator<<(std::ostream& out, const Case& value) {
  const calculator::Run& run = value.run;
  out << "kernbench sim gemm --m " << run.m << " --k " << run.k << " --n " << run.n << " --variant " << run.variant
      << " --layout " << (run.row_major ? "row_major" : "blocked");
  for (const std::string& change : value.overrides) out << " --set '" << change << "'";
  return out;
}

}  // namespace kernbench
