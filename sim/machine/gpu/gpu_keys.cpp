#include "sim/machine/gpu/gpu_keys.hpp"

#include <algorithm>
#include <array>

#include "sim/base/errors.hpp"
#include "sim/machine/gpu/gpu_key_parts.hpp"
#include "sim/machine/gpu/gpu_link_keys.hpp"
#include "sim/machine/gpu/gpu_older_keys.hpp"
#include "sim/machine/gpu/gpu_operator_keys.hpp"

namespace kernbench {
namespace {

GpuKey clock(std::string_view path, GpuMember ref, std::string_view meaning) {
  return {path, Dimension::kFrequency, "100 MHz", "10 GHz", ref, meaning};
}
GpuKey bytes(std::string_view path, std::string_view least, GpuMember ref, std::string_view meaning) {
  return {path, Dimension::kBytes, least, "16 TiB", ref, meaning};
}
GpuKey power(std::string_view path, GpuMember ref, std::string_view meaning) {
  return {path, Dimension::kPower, "1 W", "10000 W", ref, meaning};
}
GpuKey energy_per_byte(std::string_view path, GpuMember ref, std::string_view meaning) {
  return {path, Dimension::kEnergyPerByte, "0 pJ/B", "10 nJ/B", ref, meaning};
}

void add_sm(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {gpu_count("sm.count", "4096", IN_GPU(sm.count), "SMs."),
       gpu_count("sm.clustered", "4096", IN_GPU(sm.clustered),
                 "SMs that clusters of more than two CTAs reach: a cluster lies within a GPC."),
       gpu_count("sm.cluster", "16", IN_GPU(sm.cluster),
                 "CTAs of the largest cluster that shares what it reads; 1: there are none."),
       clock("sm.clock", IN_GPU(sm.clock), "The highest clock of the SMs."),
       bytes("sm.shared_memory", "1 KiB", IN_GPU(sm.shared_memory), "Shared memory that a CTA may have."),
       gpu_count("sm.registers", "1048576", IN_GPU(sm.registers), "Registers of an SM."),
       gpu_count("sm.threads", "65536", IN_GPU(sm.threads), "Threads that an SM holds."),
       gpu_count("sm.cta_slots", "1024", IN_GPU(sm.cta_slots), "CTAs that an SM holds."),
       gpu_count("sm.accumulators", "1048576", IN_GPU(sm.accumulators), "Elements of C that a CTA keeps in registers."),
       gpu_number("sm.receive", "0", "1000", IN_GPU(sm.receive), "Cycles in which an SM takes in a line of operands."),
       gpu_number("sm.store", "0.001", "100000", IN_GPU(sm.store), "Bytes of C that an SM stores in a cycle."),
       gpu_number("sm.later_store", "0", "10", IN_GPU(sm.later_store),
                  "Cost of storing each later tile of a CTA, of that of its first.")});
}

void add_rate(std::vector<GpuKey>& keys, const std::array<std::string_view, 5>& paths,
              const std::array<GpuMember, 5>& refs) {
  keys.insert(keys.end(),
              {gpu_count(paths[0], "1048576", refs[0], "Multiply-accumulates of an SM in a cycle, nominal."),
               gpu_number(paths[1], "0.001", "1", refs[1], "Share of the nominal rate that a product reaches."),
               gpu_number(paths[2], "0", "100000", refs[2], "Cycles added to every slice of K."),
               gpu_time(paths[3], refs[3], "Added to every kernel of the dtype."),
               {paths[4], Dimension::kEnergy, "0 pJ", "1 nJ", refs[4], "Energy of a FLOP at power.clock."}});
}

#define RATE_PATHS(dtype)                                                                                   \
  {                                                                                                         \
    "tensor." dtype ".macs", "tensor." dtype ".share", "tensor." dtype ".slice", "tensor." dtype ".launch", \
        "tensor." dtype ".energy"                                                                           \
  }
#define RATE_MEMBERS(dtype)                                                                                         \
  {                                                                                                                 \
    IN_GPU(tensor.dtype.macs), IN_GPU(tensor.dtype.share), IN_GPU(tensor.dtype.slice), IN_GPU(tensor.dtype.launch), \
        IN_GPU(tensor.dtype.energy)                                                                                 \
  }

void add_tensor(std::vector<GpuKey>& keys) {
  keys.push_back(gpu_number("tensor.least", "0", "100000", IN_GPU(tensor.least),
                            "Least cycles of the quarter of a slice that one instruction covers, however narrow."));
  add_rate(keys, {RATE_PATHS("bf16")}, {RATE_MEMBERS(bf16)});
  add_rate(keys, {RATE_PATHS("fp16")}, {RATE_MEMBERS(fp16)});
  add_rate(keys, {RATE_PATHS("fp8")}, {RATE_MEMBERS(fp8)});
}

void add_memory(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {bytes("l2.capacity", "1 KiB", IN_GPU(l2.capacity),
             "The L2. No time follows from it: what is found there does from `resident` and `spill`."),
       bytes("l2.resident", "0 B", IN_GPU(l2.resident),
             "Footprint up to which operands used again are found in the L2."),
       bytes("l2.spill", "1 B", IN_GPU(l2.spill), "Footprint beyond `resident` at which nothing is found any more."),
       gpu_time("l2.request", IN_GPU(l2.request),
                "An SM asks the L2 for a line of 128 B so often; not the SM's clock."),
       energy_per_byte("l2.energy", IN_GPU(l2.energy), "A byte of operands from the L2 to an SM."),
       gpu_bandwidth("hbm.bandwidth", IN_GPU(hbm.bandwidth), "HBM, as products reach it."),
       bytes("hbm.capacity", "1 MiB", IN_GPU(hbm.capacity), "HBM."),
       energy_per_byte("hbm.energy", IN_GPU(hbm.energy), "A byte from or to HBM.")});
}

void add_kernels(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {gpu_time("launch.kernel", IN_GPU(launch.kernel),
                "A kernel inside a CUDA graph, from the one before to its first CTA."),
       gpu_time("launch.cta", IN_GPU(launch.cta), "Each CTA of the grid."),
       gpu_time("launch.drain", IN_GPU(launch.drain), "From the last store to the end of the kernel."),
       gpu_time("launch.from_hbm", IN_GPU(launch.from_hbm), "The first operands are in HBM, not in the L2."),
       gpu_time("launch.stream", IN_GPU(launch.stream),
                "A kernel launched on a stream, beyond one inside a CUDA graph."),
       gpu_time("launch.host", IN_GPU(launch.host), "Between two products that a host launches one after the other."),
       gpu_time("split.launch", IN_GPU(split.launch), "The kernel that adds up the parts of a product whose K is cut."),
       gpu_bandwidth("split.bandwidth", IN_GPU(split.bandwidth), "Rate at which it takes the fp32 parts in."),
       power("power.idle", IN_GPU(power.idle), "Power of a GPU that does nothing at full clock."),
       power("power.limit", IN_GPU(power.limit), "Power that the governor keeps below."),
       power("power.peak", IN_GPU(power.peak),
             "Power that the clock keeps below at once, before the governor's first tick."),
       clock("power.clock", IN_GPU(power.clock), "Clock of the SMs at which the energies of this file hold."),
       gpu_number("power.exponent", "0", "10", IN_GPU(power.exponent), "Energies go as clock^this."),
       {"power.period", Dimension::kTime, "1 us", "10000000 us", IN_GPU(power.period), "A tick of the governor."},
       gpu_number("power.step", "0.01", "1", IN_GPU(power.step),
                  "Share of the way to the steady clock that the governor goes at each tick."),
       gpu_number("overlap.slice", "1", "1000", IN_GPU(overlap.slice),
                  "p in (a^p + b^p + c^p)^(1/p), which joins what a slice of K waits for."),
       gpu_number("overlap.body", "1", "1000", IN_GPU(overlap.body), "The same p for SMs and HBM over a kernel."),
       gpu_time("library.request", IN_GPU(library.request),
                "l2.request as the library takes it when it chooses a kernel."),
       gpu_number("library.receive", "0", "1000", IN_GPU(library.receive), "sm.receive likewise.")});
}

}  // namespace

const std::vector<GpuKey>& gpu_keys() {
  static const std::vector<GpuKey> kKeys = [] {
    std::vector<GpuKey> keys;
    add_sm(keys);
    add_tensor(keys);
    add_older_keys(keys);
    add_memory(keys);
    add_kernels(keys);
    add_link_keys(keys);
    add_operator_keys(keys);
    return keys;
  }();
  return kKeys;
}

const std::vector<GpuSection>& gpu_sections() {
  static const std::vector<GpuSection> kSections = [] {
    std::vector<GpuSection> sections{{"tensor.bf16", IN_GPU(tensor.bf16.given)},
                                     {"tensor.fp16", IN_GPU(tensor.fp16.given)},
                                     {"tensor.fp8", IN_GPU(tensor.fp8.given)},
                                     {"nvlink", IN_GPU(nvlink.given)},
                                     {"nccl", IN_GPU(nccl.given)},
                                     {"peer_copy", IN_GPU(peer_copy.given)},
                                     {"operators", IN_GPU(operators.given)},
                                     {"copies", IN_GPU(copies.given)}};
    add_older_sections(sections);
    return sections;
  }();
  return kSections;
}

const GpuKey* find_gpu_key(std::string_view path) {
  const auto found = std::ranges::find(gpu_keys(), path, &GpuKey::path);
  return found == gpu_keys().end() ? nullptr : &*found;
}

const GpuSection* gpu_section_of(std::string_view path) {
  for (const GpuSection& section : gpu_sections()) {
    if (path.starts_with(std::string(section.path) + ".")) return &section;
  }
  return nullptr;
}

std::vector<std::string> gpu_names_below(const std::string& section) {
  const std::string prefix = section.empty() ? "" : section + ".";
  std::vector<std::string> names;
  for (const GpuKey& key : gpu_keys()) {
    if (!key.path.starts_with(prefix)) continue;
    const std::string rest(key.path.substr(prefix.size()));
    const std::string name = rest.substr(0, rest.find('.'));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

bool is_gpu_section(const std::string& path) {
  return std::ranges::any_of(gpu_keys(), [&](const GpuKey& key) { return key.path.starts_with(path + "."); });
}

std::string read_gpu_number(const GpuKey& key, const std::string& text, GpuSpec& gpu) {
  const std::int64_t value = parse_quantity(text, key.dimension);
  if (value < parse_quantity(key.least, key.dimension) || value > parse_quantity(key.most, key.dimension)) {
    throw ConfigError("expected " + std::string(key.least) + " to " + std::string(key.most) + ", got '" + text + "'");
  }
  key.ref(gpu) = static_cast<double>(value) * gpu_scale(key.dimension);
  return format_quantity(value, key.dimension);
}

double gpu_scale(Dimension dimension) {
  switch (dimension) {
    case Dimension::kTime:
    case Dimension::kEnergy:
    case Dimension::kEnergyPerByte:
    case Dimension::kPower:
      return 1e-3;
    case Dimension::kBandwidth:
    case Dimension::kFrequency:
      return 1e-9;
    case Dimension::kRatio:
    case Dimension::kPrice:
      return 1e-6;
    default:
      return 1;
  }
}

const GpuTensorRate* tensor_rate(const GpuSpec& gpu, Dtype dtype) {
  const GpuTensorRate* rate = nullptr;
  if (dtype == Dtype::kBf16) rate = &gpu.tensor.bf16;
  if (dtype == Dtype::kFp16) rate = &gpu.tensor.fp16;
  if (dtype == Dtype::kFp8E4m3 || dtype == Dtype::kFp8E5m2) rate = &gpu.tensor.fp8;
  return rate != nullptr && rate->given ? rate : nullptr;
}

}  // namespace kernbench
