#include "sim/machine/gpu/gpu_link_keys.hpp"

namespace kernbench {
namespace {

// NOLINTBEGIN(bugprone-macro-parentheses): a member's path takes none
#define OF_LINKS(member) \
  [](GpuSpec & gpu) -> auto& { return gpu.member; }
// NOLINTEND(bugprone-macro-parentheses)

using LinkMember = double& (*)(GpuSpec&);

GpuKey link_time(std::string_view path, LinkMember ref, std::string_view meaning) {
  return {path, Dimension::kTime, "0 ns", "1000 us", ref, meaning};
}
GpuKey link_rate(std::string_view path, LinkMember ref, std::string_view meaning) {
  return {path, Dimension::kBandwidth, "1 MB/s", "1000 TB/s", ref, meaning};
}
GpuKey link_share(std::string_view path, std::string_view least, std::string_view most, LinkMember ref,
                  std::string_view meaning) {
  return {path, Dimension::kRatio, least, most, ref, meaning};
}
GpuKey link_count(std::string_view path, std::string_view most, LinkMember ref, std::string_view meaning) {
  return {path, Dimension::kCount, "1", most, ref, meaning};
}

void add_times(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {link_time("nccl.small_start", OF_LINKS(nccl.small_start),
                 "A collective by LL or LL128 inside a CUDA graph, before its first hop."),
       link_time("nccl.stream_gain", OF_LINKS(nccl.stream_gain),
                 "By how much one by LL is shorter back to back on a stream."),
       link_time("nccl.small_hop", OF_LINKS(nccl.small_hop), "A hop of the ring by LL or LL128."),
       link_time("nccl.start", OF_LINKS(nccl.start), "A collective by Simple, before its first hop."),
       link_time("nccl.broadcast_start", OF_LINKS(nccl.broadcast_start), "The same of a broadcast."),
       link_time("nccl.all_to_all_start", OF_LINKS(nccl.all_to_all_start), "The same of an all_to_all."),
       link_time("nccl.hop", OF_LINKS(nccl.hop), "A hop of the ring by Simple."),
       link_rate("nccl.ll_write", OF_LINKS(nccl.ll_write), "What a channel writes by LL."),
       link_share("nccl.ll128_share", "0.01", "1", OF_LINKS(nccl.ll128_share),
                  "A channel's rate by LL128, of that by Simple."),
       link_rate("nccl.ll128_bandwidth", OF_LINKS(nccl.ll128_bandwidth), "nvlink.bandwidth by LL128."),
       link_rate("nccl.read", OF_LINKS(nccl.read), "What a channel reads by Simple."),
       link_rate("nccl.write", OF_LINKS(nccl.write), "What a channel writes by Simple."),
       link_rate("nccl.turn", OF_LINKS(nccl.turn), "What each turn of the ring costs besides, of a rank's share."),
       link_share("nccl.softmin", "1", "1000", OF_LINKS(nccl.softmin),
                  "p in (a^-p + b^-p)^(-1/p), which joins what channels and links carry."),
       link_share("nccl.beside", "0.01", "1", OF_LINKS(nccl.beside),
                  "Share of its rate that a channel keeps beside a product."),
       link_share("nccl.droop", "0", "0.9", OF_LINKS(nccl.droop),
                  "Share of the SM clock that a product loses beside a collective.")});
}

void add_estimates(std::vector<GpuKey>& keys) {
  keys.insert(keys.end(),
              {link_time("nccl.ll.base", OF_LINKS(nccl.ll.base), "The library's own estimate of LL, to choose by."),
               link_time("nccl.ll.hop", OF_LINKS(nccl.ll.hop), "The same, a hop."),
               link_rate("nccl.ll.bandwidth", OF_LINKS(nccl.ll.bandwidth), "The same, of what a rank sends."),
               link_time("nccl.ll128.base", OF_LINKS(nccl.ll128.base), "The library's own estimate of LL128."),
               link_time("nccl.ll128.hop", OF_LINKS(nccl.ll128.hop), "The same, a hop."),
               link_rate("nccl.ll128.bandwidth", OF_LINKS(nccl.ll128.bandwidth), "The same, of what a rank sends."),
               link_time("nccl.simple.base", OF_LINKS(nccl.simple.base), "The library's own estimate of Simple."),
               link_time("nccl.simple.hop", OF_LINKS(nccl.simple.hop), "The same, a hop."),
               link_rate("nccl.simple.bandwidth", OF_LINKS(nccl.simple.bandwidth), "The same, of what a rank sends.")});
}

void add_copies(std::vector<GpuKey>& keys) {
  keys.insert(keys.end(),
              {link_rate("peer_copy.bandwidth", OF_LINKS(peer_copy.bandwidth),
                         "Of a GPU in one direction, as copies reach it."),
               link_time("peer_copy.start", OF_LINKS(peer_copy.start), "A copy to another GPU, before its first byte."),
               link_time("peer_copy.fetch", OF_LINKS(peer_copy.fetch),
                         "The same beside peer_copy.start, where the stream of the GPU that receives has the copy."),
               link_time("peer_copy.wait", OF_LINKS(peer_copy.wait),
                         "From the end of a kernel to the start of one that waits for it on another stream."),
               link_time("peer_copy.engine", OF_LINKS(peer_copy.engine),
                         "The same beside peer_copy.wait, where one is a copy.")});
}

}  // namespace

void add_link_keys(std::vector<GpuKey>& keys) {
  keys.insert(
      keys.end(),
      {link_count("nvlink.gpus", "128", OF_LINKS(nvlink.gpus), "GPUs that reach each other at full rate."),
       link_rate("nvlink.bandwidth", OF_LINKS(nvlink.bandwidth), "Of a GPU in one direction, as collectives reach it."),
       link_count("nccl.channels", "1024", OF_LINKS(nccl.channels),
                  "Channels of a collective, a CTA each, where nobody asks for another number."),
       link_count("nccl.registers", "255", OF_LINKS(nccl.registers), "Registers of a thread of the kernel."),
       link_count("nccl.threads", "1024", OF_LINKS(nccl.threads),
                  "Threads of a channel; by Simple a warp more, and by LL128 a quarter more.")});
  add_times(keys);
  add_estimates(keys);
  add_copies(keys);
}

}  // namespace kernbench
