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
  double stream = 0;    ///< a kernel on a stream, beyond one in a CUDA graph (0061)
  double host = 0;      ///< between two products that a host launches
};

/// The second kernel of a product whose K is cut: it adds up the parts.
struct GpuSplit {
  double launch = 0;
  double bandwidth = 0;
};

struct GpuPower {
  double idle = 0;
  double limit = 0;
  double peak = 0;      ///< before the governor acts
  double clock = 0;     ///< GHz, at which the energies hold
  double exponent = 0;  ///< energies ~ clock^exponent
  double period = 0;    ///< of the governor
  double step = 0;      ///< share of the way to the steady clock that it goes at a tick
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

// --- links and collectives (adr/0051) ---

struct GpuLink {
  bool given = false;
  double gpus = 0;       ///< that reach each other
  double bandwidth = 0;  ///< of a GPU, one direction, as collectives reach it
};

/// A protocol of NCCL as the library itself estimates it when it chooses: base + hops x hop + bytes / bandwidth.
struct NcclEstimate {
  double base = 0;
  double hop = 0;
  double bandwidth = 0;
};

struct GpuNccl {
  bool given = false;
  double channels = 0;     ///< where nobody asks for another number
  double registers = 0;    ///< of a thread
  double threads = 0;      ///< of a channel's CTA, 32 more for Simple
  double small_start = 0;  ///< LL and LL128
  double small_hop = 0;
  double ll_write = 0;         ///< of an SM, LL
  double ll128_share = 0;      ///< of a channel's rate with Simple
  double ll128_bandwidth = 0;  ///< of a GPU's links, LL128
  double start = 0;            ///< Simple
  double all_to_all_start = 0;
  double hop = 0;             ///< Simple
  double read = 0;            ///< of an SM
  double write = 0;           ///< of an SM
  double thread_read = 0;     ///< of a thread, Simple: what fewer than 512 lose
  double ll_thread_read = 0;  ///< the same by LL
  double softmin = 0;         ///< p in (a^-p + b^-p)^(-1/p), which joins channels and links
  double beside = 0;          ///< share of its rate that a channel keeps beside a product
  double droop = 0;           ///< share of the SM clock that products lose beside a collective
  NcclEstimate ll;
  NcclEstimate ll128;
  NcclEstimate simple;
};

// --- copies from one GPU's memory to another's (adr/0057) ---

struct GpuPeerCopy {
  bool given = false;
  double bandwidth = 0;  ///< of a GPU, one direction
  double start = 0;      ///< before the first byte, of a copy that the sender's stream has
  double fetch = 0;      ///< more before it where the receiver's stream has the copy
  double wait = 0;       ///< from the end of a kernel to the start of one that waits for it on another stream
  double engine = 0;     ///< more where one of the two is a copy
};

/// What PyTorch's kernels of operators cost (0053). Optional: `given`.
struct GpuOperators {
  bool given = false;
  double launch = 0;     ///< a kernel inside a CUDA graph
  double graph = 0;      ///< a graph, from event to event, around its kernels
  double bandwidth = 0;  ///< HBM, as kernels that stream reach it
  double sustained = 0;  ///< the same after some 8 ms of it
  double l2 = 0;         ///< what is found in the L2
  double far = 0;        ///< how much longer a load takes that is not
  double gelu = 0;       ///< a CTA of 1,024 elements among sixteen on its SM
  double swish = 0;
  double reduce = 0;         ///< a reduction by several CTAs, beyond a kernel's launch: it clears its counters first
  double reduce_single = 0;  ///< one by a single CTA, likewise
  double reduce_rate = 0;    ///< at which a single CTA reads
  double norm_launch = 0;
  double norm_cta = 0;         ///< a row of LayerNorm among as many as its SM holds,
  double norm_warp = 0;        ///< each warp of it that has elements,
  double norm_step = 0;        ///< and each 128 elements
  double norm_alone = 0;       ///< 512 elements of a row that has its SM for itself
  double softmax_row = 0;      ///< a warp with a row of up to 2,048 elements in its registers,
  double softmax_element = 0;  ///< and each element
  double softmax_alone = 0;    ///< the same of a row that has its SM for itself
  double softmax_block = 0;    ///< a CTA with a row of up to 8,192 elements in its registers,
  double softmax_step = 0;     ///< and each 1,024 elements
  double softmax_one = 0;      ///< of that, where the SM holds one CTA and not two
  double loss_step = 0;        ///< a row of each thread in the kernel of one CTA that adds up the losses
  double loss_threads = 0;     ///< the same, of 1,024 threads, where their loads are the limit
  double overlap = 0;          ///< how limits are joined in kernels that stream,
  double overlap_rows = 0;     ///< and in those whose CTAs read, reduce and write a row in turn
};

/// Copies (0053). Optional: `given`.
struct GpuCopies {
  bool given = false;
  double device_launch = 0;
  double host_launch = 0;
  double host_bandwidth = 0;  ///< either way
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
  GpuLink nvlink;
  GpuNccl nccl;
  GpuPeerCopy peer_copy;
  GpuOperators operators;
  GpuCopies copies;
};

/// The rate of a dtype, or nullptr where the machine has none for it.
[[nodiscard]] const GpuTensorRate* tensor_rate(const GpuSpec& gpu, Dtype dtype);

}  // namespace kernbench
