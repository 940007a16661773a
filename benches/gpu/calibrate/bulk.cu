// Bulk copies from the L2 into shared memory, alone or to all CTAs of a cluster: how products take in their operands.
#include <stdexcept>

#include "benches/gpu/calibrate/device_timer.cuh"
#include "benches/gpu/calibrate/kernels.hpp"
#include "benches/gpu/device/cuda.hpp"

namespace kernbench::gpu {
namespace {

[[maybe_unused]] constexpr int kStages = 16;
// So many chunks pass before a stage is filled anew: peers have left it by then.
[[maybe_unused]] constexpr int kBehind = 4;

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

template <int kCluster>
__global__ __launch_bounds__(32, 1) void take_in(const unsigned char* data, std::size_t footprint, int chunks,
                                                 bool same, CtaTimes* times) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) unsigned char stages[];
  __shared__ __align__(8) unsigned long long full[kStages];
  __shared__ __align__(8) unsigned long long empty[kStages];
  constexpr int kShare = kBulkChunk / kCluster;
  const unsigned rank = blockIdx.x % kCluster;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(full + s)));
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(empty + s)), "r"(kCluster));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncwarp();
  cluster_barrier();
  if (threadIdx.x == 0) {
    const std::size_t all = footprint / kBulkChunk;
    const std::size_t clusters = gridDim.x / kCluster;
    const std::size_t part = same ? all : all / clusters;
    const std::size_t first = same ? 0 : part * (blockIdx.x / kCluster);
    const auto arm = [&](int s) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(full + s)),
                   "r"(kBulkChunk)
                   : "memory");
    };
    std::size_t place = 0;  // in the part, of the next chunk
    const auto ask = [&](int chunk) {
      const int s = chunk % kStages;
      const unsigned char* from = data + (first + place) * kBulkChunk + rank * kShare;
      place = place + 1 == part ? 0 : place + 1;
      const unsigned to = shared_address(stages + s * kBulkChunk + rank * kShare);
      if (kCluster == 1) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
            "l"(from), "r"(kShare), "r"(shared_address(full + s))
            : "memory");
      } else {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, "
            "[%3], "
            "%4;" ::"r"(to),
            "l"(from), "r"(kShare), "r"(shared_address(full + s)),
            "h"(static_cast<unsigned short>((1u << kCluster) - 1))
            : "memory");
#else
        __trap();  // clusters are asked for on compute capability 9.0 alone
#endif
      }
    };
    CtaTimes mine;
    mine.begin_ns = device_ns();
    const long long begin = clock64();
    for (int chunk = 0; chunk < kStages && chunk < chunks; ++chunk) {
      arm(chunk);
      ask(chunk);
    }
    for (int chunk = 0; chunk < chunks + kBehind; ++chunk) {
      if (chunk < chunks) {
        const int s = chunk % kStages;
        wait_for_phase(shared_address(full + s), (chunk / kStages) & 1);
        if (chunk + kStages < chunks) arm(s);
        // Of cluster-wide release each takes 700 cycles; what this thread orders is copies, which need none.
        for (int peer = 0; peer < kCluster && kCluster > 1; ++peer) {
          asm volatile(
              "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
              "mbarrier.arrive.shared::cluster.b64 _, [there];\n}\n" ::"r"(shared_address(empty + s)),
              "r"(peer)
              : "memory");
        }
      }
      const int free = chunk - kBehind;
      if (free >= 0 && free + kStages < chunks) {
        if (kCluster > 1) wait_for_phase(shared_address(empty + free % kStages), (free / kStages) & 1);
        ask(free + kStages);
      }
    }
    mine.cycles = clock64() - begin;
    mine.end_ns = device_ns();
    times[blockIdx.x] = mine;
  }
  __syncwarp();
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
  config.blockDim = dim3(32);
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
