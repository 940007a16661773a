// What a collective must give, known without another implementation: inputs are small whole numbers that follow from
// rank and place, so sums are exact in fp32 in any order.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>

namespace kernbench::gpu {

/// Element i of what rank `rank` puts in: a whole number from -8 to 8.
void fill_contribution(float* data, std::int64_t count, int rank, cudaStream_t stream);

/// ||out - expected|| / ||expected|| of rank `rank` of `ranks` after the collective over buffers of `count` elements
/// (the whole buffer, as rows count bytes); 0 where all elements are right, NaN where one is no number. Waits for the
/// stream.
[[nodiscard]] double collective_error(const std::string& collective, const float* out, std::int64_t count, int rank,
                                      int ranks, cudaStream_t stream);

}  // namespace kernbench::gpu
