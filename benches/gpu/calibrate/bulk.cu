// Bulk copies from the L2 into shared memory, alone or to all CTAs of a cluster: how products take in their operands.
#include <stdexcept>

#include "benches/gpu/calibrate/device_timer.cuh"
#include "benches/gpu/calibrate/kernels.hpp"
#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {
namespace {

[[maybe_unused]] constexpr int kStages = 6;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__device__ unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ void wait_for_phase(unsigned barrier, unsigned phase) {
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\nbra again;\nover:\n}\n" ::"r"(barrier),
      "r"(phase)
      : "memory");
}

__device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#endif

/// One warp asks for chunks, another takes them in: in one thread its own work would be the limit.
template <int kCluster>
__global__ __launch_bounds__(64, 1) void take_in(const unsigned char* data, std::size_t footprint, int chunks,
                                                 bool same, CtaTimes* times) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ __align__(8) unsigned long long full[kStages];
  __shared__ __align__(8) unsigned long long empty[kStages];
  constexpr int kShare = kBulkChunk / kCluster;
  const unsigned rank = blockIdx.x % kCluster;
  const unsigned lane = threadIdx.x % 32;
  const auto arm = [&](int s) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full + s)),
                 "r"(kBulkChunk)
                 : "memory");
  };
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(full + s)));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(empty + s)), "r"(kCluster));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int s = 0; s < kStages; ++s) arm(s);
  }
  __syncthreads();
  cluster_barrier();
  if (threadIdx.x == 32) {
    const int all = static_cast<int>(footprint / kBulkChunk);
    const int part = same ? all : all / static_cast<int>(gridDim.x / kCluster);
    const unsigned char* from = data + (same ? 0 : static_cast<std::size_t>(blockIdx.x / kCluster) * part * kBulkChunk);
    int place = 0;
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int s = chunk % kStages;
      if (chunk >= kStages) wait_for_phase(shared_address(empty + s), (chunk / kStages - 1) & 1);
      const unsigned char* source = from + static_cast<std::size_t>(place) * kBulkChunk + rank * kShare;
      place = place + 1 == part ? 0 : place + 1;
      const unsigned to = shared_address(stages + s * kBulkChunk + rank * kShare);
      if (kCluster == 1) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
            "l"(source), "r"(kShare), "r"(shared_address(full + s))
            : "memory");
      } else {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
            "[%0], [%1], %2, [%3], %4;" ::"r"(to),
            "l"(source), "r"(kShare), "r"(shared_address(full + s)),
            "h"(static_cast<unsigned short>((1u << kCluster) - 1))
            : "memory");
#else
        __trap();  // clusters are asked for on compute capability 9.0 alone
#endif
      }
    }
  }
  if (threadIdx.x < 32) {
    CtaTimes mine;
    mine.begin_ns = device_ns();
    const long long begin = clock64();
    for (int chunk = 0; chunk < chunks; ++chunk) {
      const int s = chunk % kStages;
      wait_for_phase(shared_address(full + s), (chunk / kStages) & 1);
      if (lane == 0 && chunk + kStages < chunks) arm(s);
      __syncwarp();
      // A release for the whole cluster would take 700 cycles; copies need none.
      if (lane < kCluster) {
        asm volatile(
            "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
            "mbarrier.arrive.shared::cluster.b64 _, [there];\n}\n" ::"r"(shared_address(empty + s)),
            "r"(lane)
            : "memory");
      }
    }
    mine.cycles = clock64() - begin;
    mine.end_ns = device_ns();
    if (lane == 0) times[blockIdx.x] = mine;
  }
  __syncthreads();
  cluster_barrier();  // nobody leaves while a peer may still arrive here
#endif
}

template <int kCluster>
void launch(const void* data, std::size_t footprint, int chunks, bool same, int ctas, CtaTimes* times,
            cudaStream_t stream) {
  constexpr int kShared = kStages * kBulkChunk;
  const auto kernel = take_in<kCluster>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared), "shared memory");
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = kCluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(ctas));
  config.blockDim = dim3(64);
  config.dynamicSmemBytes = kShared;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<const unsigned char*>(data), footprint, chunks, same, times),
        "bulk copies");
}

}  // namespace

void enqueue_bulk(const void* data, std::size_t footprint, int chunks, bool same, int cluster, int ctas,
                  CtaTimes* times, cudaStream_t stream) {
  if (cluster == 1) return launch<1>(data, footprint, chunks, same, ctas, times, stream);
  if (cluster == 2) return launch<2>(data, footprint, chunks, same, ctas, times, stream);
  if (cluster == 4) return launch<4>(data, footprint, chunks, same, ctas, times, stream);
  throw std::invalid_argument("clusters are of 1, 2 or 4 CTAs");
}

}  // namespace kernbench::gpu
