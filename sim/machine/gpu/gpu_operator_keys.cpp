#include "sim/machine/gpu/gpu_operator_keys.hpp"

namespace kernbench {

// NOLINTBEGIN(bugprone-macro-parentheses): a member's path takes none
#define OF_OPERATORS(member) \
  [](GpuSpec & gpu) -> auto& { return gpu.member; }
// NOLINTEND(bugprone-macro-parentheses)

void add_operator_keys(std::vector<GpuKey>& keys) {
  keys.insert(keys.end(),
              {{"operators.launch", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.launch),
                "A kernel of an operator inside a CUDA graph."},
               {"operators.graph", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.graph),
                "A CUDA graph around its kernels, from event to event."},
               {"operators.bandwidth", Dimension::kBandwidth, "1 GB/s", "1000 TB/s", OF_OPERATORS(operators.bandwidth),
                "HBM, as kernels that stream reach it."},
               {"operators.sustained", Dimension::kBandwidth, "1 GB/s", "1000 TB/s", OF_OPERATORS(operators.sustained),
                "The same after some 8 ms of streaming."},
               {"operators.l2", Dimension::kBandwidth, "1 GB/s", "1000 TB/s", OF_OPERATORS(operators.l2),
                "The L2, as kernels that stream reach it."},
               {"operators.far", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.far),
                "How much longer a load takes that is not found in the L2."},
               {"operators.gelu", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.gelu),
                "GELU: a CTA of 1,024 elements among the sixteen of its SM."},
               {"operators.swish", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.swish),
                "Swish and the squared difference of MSE: likewise."},
               {"operators.reduce", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.reduce),
                "A reduction by several CTAs, beyond a launch: the counters are cleared before it."},
               {"operators.reduce_single", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.reduce_single),
                "A reduction by a single CTA, likewise."},
               {"operators.reduce_rate", Dimension::kBandwidth, "1 GB/s", "1000 TB/s",
                OF_OPERATORS(operators.reduce_rate), "At which a single CTA reads."},
               {"operators.norm_launch", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.norm_launch),
                "LayerNorm, beyond a launch."},
               {"operators.norm_cta", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.norm_cta),
                "LayerNorm: a row among as many as its SM holds,"},
               {"operators.norm_warp", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.norm_warp),
                "each of its warps that has elements,"},
               {"operators.norm_step", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.norm_step),
                "and each 128 elements of it."},
               {"operators.norm_alone", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.norm_alone),
                "LayerNorm: 512 elements of a row that has its SM for itself."},
               {"operators.softmax_row", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.softmax_row),
                "Softmax: a warp with a row of up to 2,048 elements in its registers,"},
               {"operators.softmax_element", Dimension::kTime, "0 ns", "1000 us",
                OF_OPERATORS(operators.softmax_element), "and each element of it."},
               {"operators.softmax_alone", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.softmax_alone),
                "The same of a row that has its SM for itself."},
               {"operators.softmax_block", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.softmax_block),
                "Softmax: a CTA with a row of up to 8,192 elements in its registers,"},
               {"operators.softmax_step", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.softmax_step),
                "and each 1,024 elements of it."},
               {"operators.softmax_one", Dimension::kRatio, "0", "1000", OF_OPERATORS(operators.softmax_one),
                "Of softmax_step, where the SM holds one such CTA and not two."},
               {"operators.loss_step", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.loss_step),
                "The kernel of one CTA that adds up losses: a row of each of its threads."},
               {"operators.loss_threads", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(operators.loss_threads),
                "The same of 1,024 threads, where their loads are the limit."},
               {"operators.overlap", Dimension::kRatio, "1", "1000", OF_OPERATORS(operators.overlap),
                "p in (a^p + b^p + c^p)^(1/p), which joins limits of kernels that stream."},
               {"operators.overlap_rows", Dimension::kRatio, "1", "1000", OF_OPERATORS(operators.overlap_rows),
                "The same of kernels whose CTAs read, reduce and write a row in turn."},
               {"copies.device_launch", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(copies.device_launch),
                "A copy within the GPU, beyond its bytes at operators.bandwidth."},
               {"copies.host_launch", Dimension::kTime, "0 ns", "1000 us", OF_OPERATORS(copies.host_launch),
                "A copy from or to the host."},
               {"copies.host_bandwidth", Dimension::kBandwidth, "1 GB/s", "1000 TB/s",
                OF_OPERATORS(copies.host_bandwidth), "Either way."}});
}

#undef OF_OPERATORS

}  // namespace kernbench
