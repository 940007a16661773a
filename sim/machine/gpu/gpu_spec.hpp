// A GPU as numbers: what a machine file of `kind: gpu` says (adr/0048). Times are in nanoseconds, bandwidths in bytes a
// nanosecond (GB/s), clocks in cycles a nanosecond (GHz), sizes in bytes, energies in picojoules (pJ of a FLOP: W per
// TFLOP/s; pJ of a byte: W per TB/s), powers in watts. How each number was obtained is in LoadedGpu::origins.
#pragma once

#include <string>

#include "sim/base/dtype.hpp"
#include "sim/machine/gpu/gpu_family.hpp"

namespace kernbench {

/// What an SM has and does.
struct GpuSm {
  double count = 0;
  double clustered = 0;      ///< SMs that clusters of more than two CTAs reach
  double cluster = 0;        ///< CTAs of the largest cluster; 1: there are none
  double clock = 0;          ///< the highest
  double burst_clock = 0;    ///< what work of the tensor cores comes to before the governor's first tick
  double shared_memory = 0;  ///< of a CTA
  double registers = 0;
  double threads = 0;
  double cta_slots = 0;
  double accumulators = 0;  ///< elements of C that a CTA keeps in registers
  double receive = 0;       ///< cycles to take in a line of operands
  double store = 0;         ///< bytes of C a cycle
  double later_store = 0;   ///< cost of storing each later tile of a CTA, of that of the first
};

/// Products of one dtype in the tensor cores; `share` of the nominal rate is reached.
struct GpuTensorRate {
  bool given = false;
  double macs = 0;  ///< of an SM in a cycle
  double share = 0;
  double slice = 0;   ///< cycles added to every slice of K
  double launch = 0;  ///< added to every kernel
  double energy = 0;  ///< of a FLOP at the highest clock
};

struct GpuTensor {
  double least = 0;  ///< cycles of a product's instruction, 16 of K in 16-bit dtypes, however narrow
  GpuTensorRate bf16;
  GpuTensorRate fp16;
  GpuTensorRate fp8;
};

struct GpuL2 {
  double capacity = 0;
  double resident = 0;  ///< footprint up to which operands that are used again are found
  double spill = 0;     ///< and above it, until nothing is found
  double request = 0;   ///< of an SM, a line of operands
  double energy = 0;    ///< of a byte that SMs take in
};

struct GpuHbm {
  double bandwidth = 0;
  double capacity = 0;
  double energy = 0;  ///< of a byte
};

struct GpuLaunch {
  double kernel = 0;
  double cta = 0;       ///< a CTA
  double drain = 0;     ///< the last stores
  double from_hbm = 0;  ///< the first operands are not in the L2
};

/// The second kernel of a product whose K is cut: it adds up the parts.
struct GpuSplit {
  double launch = 0;
  double bandwidth = 0;
};

struct GpuPower {
  double idle = 0;
  double limit = 0;
  double exponent = 0;  ///< energy of an operation ~ clock^exponent
  double period = 0;    ///< of the governor
};

/// How limits that overlap are joined: (a^p + b^p)^(1/p).
struct GpuOverlap {
  double slice = 0;  ///< within a slice: tensor cores, requests, reception
  double body = 0;   ///< over a kernel: SMs and HBM
};

/// The constants by which the library chooses its kernels, which are not the machine's own.
struct GpuLibrary {
  double request = 0;
  double receive = 0;
};

struct GpuSpec {
  std::string name;
  GpuSm sm;
  GpuTensor tensor;
  GpuOlder older;
  GpuL2 l2;
  GpuHbm hbm;
  GpuLaunch launch;
  GpuSplit split;
  GpuPower power;
  GpuOverlap overlap;
  GpuLibrary library;
};

/// The rate of a dtype, or nullptr where the machine has none for it.
[[nodiscard]] const GpuTensorRate* tensor_rate(const GpuSpec& gpu, Dtype dtype);

}  // namespace kernbench
