// Keeps a stream busy while the host enqueues what follows, so that what follows starts without a gap.
#pragma once

#include <cuda_runtime_api.h>

namespace kernbench::gpu {

/// One thread that counts `cycles` of its SM's clock.
void enqueue_spin(long long cycles, cudaStream_t stream);

}  // namespace kernbench::gpu
