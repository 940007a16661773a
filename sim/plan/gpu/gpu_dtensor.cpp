#include "sim/plan/gpu/gpu_dtensor.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/plan/gpu/nccl.hpp"

namespace kernbench {
namespace {

constexpr Bytes kOfElement = 2;

void check_measured(const DistributedGemm& problem) {
  const auto& replication = problem.replication;
  if (replication[0] != replication[1] || replication[1] != replication[2]) {
    throw ConfigError("dtensor: expected one replication of all matrices");
  }
  const auto blocks = std::ranges::count(problem.partitions, Partition::kBlock);
  if (blocks != 0 && blocks != 3) {
    throw ConfigError("dtensor on GPUs: expected blocks in all of A, B and C, or in none");
  }
}

class Phases {
 public:
  Phases(const DistributedGemm& problem, const GpuSpec& gpu, GpuCommandCosts& costs)
      : gpu_(gpu),
        costs_(costs),
        c_(problem.m, problem.n, problem.partitions[2], problem.replication[2], problem.devices, "--replication") {}

  std::vector<DtensorPhase> make(const DistributedGemm& problem, double most) {
    const Rect tile = c_.tile(0);
    const Bytes of_a = tile.rows.size() * problem.k * kOfElement;
    const Bytes of_b = problem.k * tile.columns.size() * kOfElement;
    const auto [a, b, c] = problem.partitions;
    if (c == Partition::kBlock) {
      gather("A", c_.grid_columns(), of_a, true);
      gather("B", c_.grid_rows(), of_b, false);
    } else if (c == Partition::kRow) {
      if (a == Partition::kColumn) exchange("A", of_a);
      gather("B", c_.tiles(), of_b, b == Partition::kColumn);
    } else {
      gather("A", c_.tiles(), of_a, a == Partition::kColumn);
      if (b == Partition::kRow) exchange("B", of_b);
    }
    const GpuCommand product = costs_.product({tile.rows.size(), problem.k, tile.columns.size()}, most);
    phases_.push_back({"product", product.time, product.energy, 0});
    return phases_;
  }

 private:
  /// Parts that follow each other in memory are rows; columns have to be put together.
  void gather(const std::string& matrix, int gpus, Bytes bytes, bool columns) {
    if (gpus == 1) return;
    collective(Collective::kAllGather, "all_gather of " + matrix, gpus, bytes);
    if (columns) put_together(matrix, bytes);
  }

  void exchange(const std::string& matrix, Bytes bytes) {
    if (c_.tiles() == 1) return;
    collective(Collective::kAllToAll, "all_to_all of " + matrix, c_.tiles(), bytes);
    put_together(matrix, bytes);
  }

  void collective(Collective which, const std::string& what, int gpus, Bytes bytes) {
    NcclCollective asked;
    asked.collective = which;
    asked.gpus = gpus;
    asked.bytes = bytes;
    check_nccl(asked, gpu_);
    const double others = static_cast<double>(bytes) * (gpus - 1) / gpus;
    phases_.push_back({what, nccl_time(asked, gpu_).total, 0, others});
  }

  void put_together(const std::string& matrix, Bytes bytes) {
    const GpuCommand moving = costs_.moving(2 * static_cast<double>(bytes));
    phases_.push_back({matrix + " put together", moving.time, moving.energy, 0});
  }

  const GpuSpec& gpu_;
  GpuCommandCosts& costs_;
  DistributedMatrix c_;
  std::vector<DtensorPhase> phases_;
};

}  // namespace

std::vector<DtensorPhase> dtensor_phases(const DistributedGemm& problem, const GpuSpec& gpu, GpuCommandCosts& costs,
                                         double most) {
  check_measured(problem);
  return Phases(problem, gpu, costs).make(problem, most);
}

}  // namespace kernbench
