// Random machines and GEMMs: see random_case.hpp.
#include "tests/system/random_case.hpp"

#include <rapidcheck.h>

#include <algorithm>

#include "tests/support/milestone.hpp"

namespace kernbench {
namespace {

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
    return round_ ? std::to_string(power_of_two(5, 9)) + " GB/s" : any_bandwidth(20, 600);
  }
  [[nodiscard]] std::string clock() const { return round_ ? "1 GHz" : std::to_string(number(500, 3000)) + " MHz"; }

 private:
  bool round_;
};

}  // namespace

void Case::set(const std::string& key, const std::string& value) {
  const auto same = std::find_if(settings.begin(), settings.end(), [&](const Setting& s) { return s.key == key; });
  if (same == settings.end()) {
    settings.push_back({key, value});
  } else {
    same->value = value;
  }
}

MachineSpec Case::machine() const {
  std::vector<std::string> overrides;
  for (const Setting& setting : settings) overrides.push_back(setting.key + "=" + setting.value);
  return milestone(overrides);
}

std::string any_bandwidth(int from, int to) { return std::to_string(number(from * 1000, to * 1000)) + " MB/s"; }

void set_any_array(Case& any) {
  const std::string dataflow = *rc::gen::element<std::string>("output_stationary", "weight_stationary", "dot_product");
  any.set("pe.mac.macs_per_cycle", 0);
  any.set("pe.mac.dataflow", dataflow);
  any.set("pe.mac.rows", number(1, 40));
  any.set("pe.mac.columns", number(1, 40));
  any.set("pe.mac.depth", number(0, 1) == 0 ? 1 : number(1, 16));
  any.set("pe.mac.weight_buffers", dataflow == "weight_stationary" ? number(1, 2) : 1);
}

void set_any_dtype(Case& any) {
  any.problem.dtype = *rc::gen::elementOf(kOperandDtypes.values());
  if (any.problem.dtype == Dtype::kBf16) return;
  const std::string rate =
      *rc::gen::element<std::string>("0.0625", "0.25", "0.333333", "0.5", "1", "1.5", "2", "4", "7.3");
  any.set("pe.mac.rates." + std::string(kOperandDtypes[any.problem.dtype]), rate);
}

void set_any_converted(Case& any) {
  set_any_dtype(any);
  std::vector<Dtype> narrower;
  for (const Dtype dtype : kOperandDtypes.values()) {
    if (is_smaller(dtype, any.problem.dtype) && any.problem.dtype != Dtype::kInt8) narrower.push_back(dtype);
  }
  if (narrower.empty()) any.problem.dtype = Dtype::kBf16;
  any.problem.dtype_b = narrower.empty() ? Dtype::kInt8 : *rc::gen::elementOf(narrower);
  any.set("pe.vector.lanes", power_of_two(2, 8));
  any.set("pe.vector.latency_cycles", number(0, 8));
  any.set("pe.vector.rates.convert", *rc::gen::element<std::string>("0.1", "0.333333", "1", "4"));
}

Case any_case(int tiles) {
  Case result;
  const Values values(*rc::gen::arbitrary<bool>());

  const int burst = power_of_two(5, 9);
  const int credits = number(1, 80);
  // Room for all that the credits allow: a PE with wires of its own (28.3).
  result.set("die.router.buffer", "1 MiB");
  result.set("die.hbm.port_buffer", "1 MiB");
  result.set("die.router.hop_latency", values.time(1, 5));
  result.set("die.router.link_bandwidth", values.bandwidth());
  result.set("die.wire.delay", std::to_string(number(0, 300)) + " ps/mm");
  result.set("die.wire.pe_to_router", std::to_string(number(0, 4000)) + " um");
  result.set("die.wire.hbm_to_router", std::to_string(number(0, 4000)) + " um");
  result.set("die.hbm.bandwidth", values.bandwidth());
  result.set("die.hbm.pseudo_channels", power_of_two(0, 4));
  result.set("die.hbm.burst", std::to_string(burst) + " B");
  result.set("die.hbm.read_latency", values.time(1, 60));
  result.set("die.hbm.turnaround", number(0, 1) == 0 ? "0 ns" : values.time(1, 20));
  const int batch = number(1, 8);
  result.set("die.hbm.write_batch", batch);
  result.set("die.hbm.write_queue", batch + number(0, 6));
  result.set("pe.clock", values.clock());
  result.set("pe.control_latency", values.time(0, 5));
  result.set("pe.scheduler_latency", values.time(0, 5));
  result.set("pe.tcm.read_bandwidth", values.bandwidth());
  result.set("pe.tcm.write_bandwidth", values.bandwidth());
  result.set("pe.dma.setup_latency", values.time(0, 10));
  result.set("pe.dma.outstanding_bursts", credits);
  result.set("pe.stream_depth", number(1, 8));
  result.set("pe.output_depth", number(1, 4));
  result.set("pe.fetch_bandwidth", values.bandwidth());
  result.set("pe.store_bandwidth", values.bandwidth());
  result.set("pe.mac.macs_per_cycle", power_of_two(8, 13));
  if (number(0, 2) == 0) set_any_array(result);
  result.set("pe.mac.fill_cycles", number(0, 20));
  result.set("pe.mac.operand_registers", number(1, 4));
  result.set("pe.mac.accumulators", number(1, 4));
  const int m = number(1, 40);
  const int k = number(1, 72);
  const int n = number(1, 40);
  result.set("pe.mac.tile.m", m);
  result.set("pe.mac.tile.k", k);
  result.set("pe.mac.tile.n", n);
  result.set("simulation.packet_bytes", std::to_string(burst * number(1, std::min(credits, 16))) + " B");

  result.problem.m = number(1, tiles * m);
  result.problem.k = number(1, tiles * k);
  result.problem.n = number(1, tiles * n);
  result.problem.layout = *rc::gen::arbitrary<bool>() ? Layout::kRowMajor : Layout::kBlocked;
  result.variant = *rc::gen::element<std::string>("ref_ref", "load_ref", "load_load");
  return result;
}

Setting any_improvement(const MachineSpec& machine) {
  const auto faster = [](Bandwidth bandwidth) {
    return std::to_string(bandwidth.bytes_per_second / 10'000'000 * number(11, 40)) + " MB/s";
  };
  const auto more = [](std::int64_t count) { return std::to_string(count + number(1, 4)); };
  const PeSpec& pe = machine.pe;
  switch (number(0, 11)) {
    case 0:
      return {"die.hbm.bandwidth", faster(machine.die.hbm.bandwidth)};
    case 1:
      return {"die.router.link_bandwidth", faster(machine.die.router.link)};
    case 2:
      return {"pe.tcm.read_bandwidth", faster(pe.tcm.read)};
    case 3:
      return {"pe.tcm.write_bandwidth", faster(pe.tcm.write)};
    case 4:
      return {"pe.fetch_bandwidth", faster(pe.fetch)};
    case 5:
      return {"pe.store_bandwidth", faster(pe.store)};
    case 6:
      if (pe.mac.has_shape()) return {"pe.mac.accumulators", more(pe.mac.accumulators)};
      return {"pe.mac.macs_per_cycle", more(2 * pe.mac.macs_per_cycle)};
    case 7:
      return {"pe.stream_depth", more(pe.stream_depth)};
    case 8:
      return {"pe.output_depth", more(pe.output_depth)};
    case 9:
      return {"pe.dma.outstanding_bursts", more(pe.dma.outstanding_bursts)};
    case 10:
      return {"pe.mac.operand_registers", more(pe.mac.operand_registers)};
    default:
      return {"pe.mac.accumulators", more(pe.mac.accumulators)};
  }
}

std::ostream& operator<<(std::ostream& out, const Case& value) {
  const GemmProblem& problem = value.problem;
  out << "kernbench sim gemm --m " << problem.m << " --k " << problem.k << " --n " << problem.n << " --variant "
      << value.variant << " --layout " << kLayouts[problem.layout] << " --dtype " << kOperandDtypes[problem.dtype];
  if (problem.dtype_b) out << " --dtype-b " << kOperandDtypes[*problem.dtype_b];
  for (const Setting& setting : value.settings) out << " --set '" << setting.key << '=' << setting.value << "'";
  return out;
}

}  // namespace kernbench
