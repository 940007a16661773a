#include "sim/machine/gpu/gpu_link_keys.hpp"

#include "sim/machine/gpu/gpu_key_parts.hpp"

namespace kernbench {
namespace {

GpuKey link_rate(std::string_view path, GpuMember ref, std::string_view meaning) {
  return gpu_bandwidth(path, ref, meaning, "1 MB/s");
}

void add_times(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {gpu_time("nccl.small_start", IN_GPU(nccl.small_start), "A collective by LL or LL128, before its first hop."),
       gpu_time("nccl.small_hop", IN_GPU(nccl.small_hop), "A hop of the ring by LL or LL128."),
       gpu_time("nccl.start", IN_GPU(nccl.start), "A collective by Simple, before its first hop."),
       gpu_time("nccl.all_to_all_start", IN_GPU(nccl.all_to_all_start), "The same of an all_to_all."),
       gpu_time("nccl.hop", IN_GPU(nccl.hop), "A hop of the ring by Simple."),
       link_rate("nccl.ll_write", IN_GPU(nccl.ll_write), "What a channel writes by LL."),
       gpu_number("nccl.ll128_share", "0.01", "1", IN_GPU(nccl.ll128_share),
                  "A channel's rate by LL128, of that by Simple."),
       link_rate("nccl.ll128_bandwidth", IN_GPU(nccl.ll128_bandwidth), "nvlink.bandwidth by LL128."),
       link_rate("nccl.read", IN_GPU(nccl.read), "What a channel reads by Simple."),
       link_rate("nccl.write", IN_GPU(nccl.write), "What a channel writes by Simple."),
       link_rate("nccl.thread_read", IN_GPU(nccl.thread_read),
                 "What a thread reads by Simple, by which channels of fewer than 512 are slower."),
       link_rate("nccl.ll_thread_read", IN_GPU(nccl.ll_thread_read), "The same by LL."),
       gpu_number("nccl.softmin", "1", "1000", IN_GPU(nccl.softmin),
                  "p in (a^-p + b^-p)^(-1/p), which joins what channels and links carry."),
       gpu_number("nccl.beside", "0.01", "1", IN_GPU(nccl.beside),
                  "Share of its rate that a channel keeps beside a product."),
       gpu_number("nccl.droop", "0", "0.9", IN_GPU(nccl.droop),
                  "Share of the SM clock that a product loses beside a collective.")});
}

void add_estimates(std::vector<GpuKey>& keys) {
  keys.insert(keys.end(),
              {gpu_time("nccl.ll.base", IN_GPU(nccl.ll.base), "The library's own estimate of LL, to choose by."),
               gpu_time("nccl.ll.hop", IN_GPU(nccl.ll.hop), "The same, a hop."),
               link_rate("nccl.ll.bandwidth", IN_GPU(nccl.ll.bandwidth), "The same, of what a rank sends."),
               gpu_time("nccl.ll128.base", IN_GPU(nccl.ll128.base), "The library's own estimate of LL128."),
               gpu_time("nccl.ll128.hop", IN_GPU(nccl.ll128.hop), "The same, a hop."),
               link_rate("nccl.ll128.bandwidth", IN_GPU(nccl.ll128.bandwidth), "The same, of what a rank sends."),
               gpu_time("nccl.simple.base", IN_GPU(nccl.simple.base), "The library's own estimate of Simple."),
               gpu_time("nccl.simple.hop", IN_GPU(nccl.simple.hop), "The same, a hop."),
               link_rate("nccl.simple.bandwidth", IN_GPU(nccl.simple.bandwidth), "The same, of what a rank sends.")});
}

void add_copies(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {link_rate("peer_copy.bandwidth", IN_GPU(peer_copy.bandwidth), "Of a GPU in one direction, as copies reach it."),
       gpu_time("peer_copy.start", IN_GPU(peer_copy.start), "A copy to another GPU, before its first byte."),
       gpu_time("peer_copy.fetch", IN_GPU(peer_copy.fetch),
                "The same beside peer_copy.start, where the stream of the GPU that receives has the copy."),
       gpu_time("peer_copy.wait", IN_GPU(peer_copy.wait),
                "From the end of a kernel to the start of one that waits for it on another stream."),
       gpu_time("peer_copy.engine", IN_GPU(peer_copy.engine), "The same beside peer_copy.wait, where one is a copy.")});
}

}  // namespace

void add_link_keys(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {gpu_count("nvlink.gpus", "128", IN_GPU(nvlink.gpus), "GPUs that reach each other at full rate."),
       link_rate("nvlink.bandwidth", IN_GPU(nvlink.bandwidth), "Of a GPU in one direction, as collectives reach it."),
       gpu_count("nccl.channels", "1024", IN_GPU(nccl.channels),
                 "Channels of a collective, a CTA each, where nobody asks for another number."),
       gpu_count("nccl.registers", "255", IN_GPU(nccl.registers), "Registers of a thread of the kernel."),
       gpu_number("nccl.threads", "64", "512", IN_GPU(nccl.threads),
                  "Threads of a channel; by Simple a warp more, and by LL128 a quarter more.")});
  add_times(keys);
  add_estimates(keys);
  add_copies(keys);
}

}  // namespace kernbench
