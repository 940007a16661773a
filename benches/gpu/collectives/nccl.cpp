#include "benches/gpu/collectives/nccl.hpp"

#include <utility>
#include <vector>

#include "sim/base/errors.hpp"

#ifdef KERNBENCH_HAVE_NCCL

#include <nccl.h>

namespace kernbench::gpu {
namespace {

void require(ncclResult_t result, const std::string& what) {
  if (result != ncclSuccess) throw GpuError(what + ": NCCL: " + ncclGetErrorString(result));
}

}  // namespace

struct Communicators::Handles {
  std::vector<ncclComm_t> of_ranks;
};

Communicators::Communicators(int gpus, int channels) : handles_(std::make_unique<Handles>()) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  if (channels > 0) config.minCTAs = config.maxCTAs = channels;
  ncclUniqueId id{};
  require(ncclGetUniqueId(&id), "ncclGetUniqueId");
  std::vector<ncclComm_t> made(static_cast<std::size_t>(gpus));
  require(ncclGroupStart(), "ncclGroupStart");
  for (int rank = 0; rank < gpus; ++rank) {
    const UseDevice use(rank);
    require(ncclCommInitRankConfig(&made[static_cast<std::size_t>(rank)], gpus, id, rank, &config),
            "ncclCommInitRankConfig");
  }
  require(ncclGroupEnd(), "ncclGroupEnd");
  handles_->of_ranks = std::move(made);
}

Communicators::~Communicators() {
  // Destroying waits for all ranks: with one thread for all, it must be a group.
  static_cast<void>(ncclGroupStart());
  for (ncclComm_t communicator : handles_->of_ranks) static_cast<void>(ncclCommDestroy(communicator));
  static_cast<void>(ncclGroupEnd());
}

void Communicators::enqueue(const std::string& collective, const float* in, float* out, std::int64_t count, int rank,
                            cudaStream_t stream) const {
  const std::vector<ncclComm_t>& all = handles_->of_ranks;
  if (all.empty()) throw GpuError("the communicators were aborted after an earlier failure");
  ncclComm_t mine = all.at(static_cast<std::size_t>(rank));
  const auto whole = static_cast<std::size_t>(count);
  const std::size_t chunk = whole / all.size();
  if (collective == "all_reduce") {
    return require(ncclAllReduce(in, out, whole, ncclFloat32, ncclSum, mine, stream), "ncclAllReduce");
  }
  if (collective == "reduce_scatter") {
    return require(ncclReduceScatter(in, out, chunk, ncclFloat32, ncclSum, mine, stream), "ncclReduceScatter");
  }
  if (collective == "all_gather") {
    return require(ncclAllGather(in, out, chunk, ncclFloat32, mine, stream), "ncclAllGather");
  }
  if (collective == "broadcast") {
    return require(ncclBroadcast(in, out, whole, ncclFloat32, 0, mine, stream), "ncclBroadcast");
  }
  if (collective != "all_to_all") throw GpuError("there is no collective \"" + collective + "\"");
  require(ncclGroupStart(), "ncclGroupStart");
  for (std::size_t peer = 0; peer < all.size(); ++peer) {
    require(ncclSend(in + peer * chunk, chunk, ncclFloat32, static_cast<int>(peer), mine, stream), "ncclSend");
    require(ncclRecv(out + peer * chunk, chunk, ncclFloat32, static_cast<int>(peer), mine, stream), "ncclRecv");
  }
  require(ncclGroupEnd(), "ncclGroupEnd");
}

void Communicators::abort() {
  for (ncclComm_t communicator : std::exchange(handles_->of_ranks, {})) static_cast<void>(ncclCommAbort(communicator));
}

}  // namespace kernbench::gpu

#else

namespace kernbench::gpu {

struct Communicators::Handles {};

Communicators::Communicators(int /*gpus*/, int /*channels*/) {
  throw ConfigError("this kernbench-gpu was built without NCCL: install its headers and library, then build again");
}
Communicators::~Communicators() = default;
void Communicators::enqueue(const std::string& /*collective*/, const float* /*in*/, float* /*out*/,
                            std::int64_t /*count*/, int /*rank*/, cudaStream_t /*stream*/) const {}
void Communicators::abort() {}

}  // namespace kernbench::gpu

#endif
