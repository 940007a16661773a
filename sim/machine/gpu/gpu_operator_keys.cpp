#include "sim/machine/gpu/gpu_operator_keys.hpp"

#include "sim/machine/gpu/gpu_key_parts.hpp"

namespace kernbench {

void add_operator_keys(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {gpu_time("operators.launch", IN_GPU(operators.launch), "A kernel of an operator inside a CUDA graph."),
       gpu_time("operators.graph", IN_GPU(operators.graph), "A CUDA graph around its kernels, from event to event."),
       gpu_bandwidth("operators.bandwidth", IN_GPU(operators.bandwidth), "HBM, as kernels that stream reach it."),
       gpu_bandwidth("operators.sustained", IN_GPU(operators.sustained), "The same after some 8 ms of streaming."),
       gpu_bandwidth("operators.l2", IN_GPU(operators.l2), "The L2, as kernels that stream reach it."),
       gpu_time("operators.far", IN_GPU(operators.far), "How much longer a load takes that is not found in the L2."),
       gpu_time("operators.gelu", IN_GPU(operators.gelu), "GELU: a CTA of 1,024 elements among the sixteen of its SM."),
       gpu_time("operators.swish", IN_GPU(operators.swish), "Swish and the squared difference of MSE: likewise."),
       gpu_time("operators.reduce", IN_GPU(operators.reduce),
                "A reduction by several CTAs, beyond a launch: the counters are cleared before it."),
       gpu_time("operators.reduce_single", IN_GPU(operators.reduce_single), "A reduction by a single CTA, likewise."),
       gpu_bandwidth("operators.reduce_rate", IN_GPU(operators.reduce_rate), "At which a single CTA reads."),
       gpu_time("operators.norm_launch", IN_GPU(operators.norm_launch), "LayerNorm, beyond a launch."),
       gpu_time("operators.norm_cta", IN_GPU(operators.norm_cta), "LayerNorm: a row among as many as its SM holds,"),
       gpu_time("operators.norm_warp", IN_GPU(operators.norm_warp), "each of its warps that has elements,"),
       gpu_time("operators.norm_step", IN_GPU(operators.norm_step), "and each 128 elements of it."),
       gpu_time("operators.norm_alone", IN_GPU(operators.norm_alone),
                "LayerNorm: 512 elements of a row that has its SM for itself."),
       gpu_time("operators.softmax_row", IN_GPU(operators.softmax_row),
                "Softmax: a warp with a row of up to 2,048 elements in its registers,"),
       gpu_time("operators.softmax_element", IN_GPU(operators.softmax_element), "and each element of it."),
       gpu_time("operators.softmax_alone", IN_GPU(operators.softmax_alone),
                "The same of a row that has its SM for itself."),
       gpu_time("operators.softmax_block", IN_GPU(operators.softmax_block),
                "Softmax: a CTA with a row of up to 8,192 elements in its registers,"),
       gpu_time("operators.softmax_step", IN_GPU(operators.softmax_step), "and each 1,024 elements of it."),
       gpu_number("operators.softmax_one", "0", "1000", IN_GPU(operators.softmax_one),
                  "Of softmax_step, where the SM holds one such CTA and not two."),
       gpu_time("operators.loss_step", IN_GPU(operators.loss_step),
                "The kernel of one CTA that adds up losses: a row of each of its threads."),
       gpu_time("operators.loss_threads", IN_GPU(operators.loss_threads),
                "The same of 1,024 threads, where their loads are the limit."),
       gpu_number("operators.overlap", "1", "1000", IN_GPU(operators.overlap),
                  "p in (a^p + b^p + c^p)^(1/p), which joins limits of kernels that stream."),
       gpu_number("operators.overlap_rows", "1", "1000", IN_GPU(operators.overlap_rows),
                  "The same of kernels whose CTAs read, reduce and write a row in turn."),
       gpu_time("copies.device_launch", IN_GPU(copies.device_launch),
                "A copy within the GPU, beyond its bytes at operators.bandwidth."),
       gpu_time("copies.host_launch", IN_GPU(copies.host_launch), "A copy from or to the host."),
       gpu_bandwidth("copies.host_bandwidth", IN_GPU(copies.host_bandwidth), "Either way.")});
}

}  // namespace kernbench
