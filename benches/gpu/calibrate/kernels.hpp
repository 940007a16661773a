// What the probes of `calibrate` run on a GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

namespace kernbench::gpu {

/// What a CTA notes of its own work.
struct CtaTimes {
  long long cycles = 0;             ///< of its SM's clock
  unsigned long long begin_ns = 0;  ///< of the device's timer
  unsigned long long end_ns = 0;
};

/// Reads `bytes` of `data` over and over, past the L1, by `ctas` CTAs of 1024 threads that share the work.
void enqueue_read(const void* data, std::size_t bytes, int passes, int ctas, unsigned* sink, cudaStream_t stream);

inline constexpr int kBulkChunk = 32768;  ///< bytes of a bulk copy

/// Bulk copies (sm_90 and newer) into shared memory: each cluster of `cluster` CTAs takes in `chunks` chunks, its CTAs
/// each asking for their share of a chunk for all of them. `same`: all clusters read the same chunks at the same time;
/// else each has its own part of the `footprint`.
void enqueue_bulk(const void* data, std::size_t footprint, int chunks, bool same, int cluster, int ctas,
                  CtaTimes* times, cudaStream_t stream);

/// A kernel that does nothing, of 384 threads and `shared_bytes` of shared memory a CTA.
void enqueue_empty(int ctas, int shared_bytes, cudaStream_t stream);

/// Whether the tensor cores are asked by wgmma (compute capability 9.0) and not by mma.sync.
[[nodiscard]] bool has_wgmma(int major, int minor);

/// Multiply-accumulates of a CTA in one iteration of enqueue_tensor; 0 where there is no such instruction here.
[[nodiscard]] double tensor_macs(const std::string& dtype, int n, bool wgmma);
/// Instructions of a warp (group) in one iteration.
inline constexpr int kTensorUnroll = 4;

/// Tensor cores alone, on random operands in shared memory (wgmma: 64 x n a warp group, two groups) or registers.
void enqueue_tensor(const std::string& dtype, int n, int iterations, int ctas, bool wgmma, CtaTimes* times, float* sink,
                    cudaStream_t stream);

}  // namespace kernbench::gpu
