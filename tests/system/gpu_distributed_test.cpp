// GEMMs over several GPUs: what commands and phases cost, the clock under the power limit (adr/0057).
#include "sim/system/gpu/gpu_distributed.hpp"

#include <doctest/doctest.h>

#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/load_gpu.hpp"
#include "sim/plan/distributed_gemm/schedule.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_power.hpp"
#include "sim/plan/gpu/nccl.hpp"

using namespace kernbench;

namespace {

const GpuSpec& four_h200s() {
  static const GpuSpec kGpu = load_gpu(kernbench::source_dir() + "/topology/h200_x4.yaml").spec;
  return kGpu;
}

DistributedGemm gemm_of(DistributedMethod method, std::array<Partition, 3> partitions, int devices = 2,
                        int copies = 1) {
  return {2048, 4096, 1024, partitions, {copies, copies, copies}, method, devices};
}

constexpr std::array<Partition, 3> kRowColumnRow{Partition::kRow, Partition::kColumn, Partition::kRow};
constexpr std::array<Partition, 3> kColumnRowRow{Partition::kColumn, Partition::kRow, Partition::kRow};
constexpr std::array<Partition, 3> kBlocks{Partition::kBlock, Partition::kBlock, Partition::kBlock};

double product_time(const GpuGemm& gemm, double clock) {
  GpuGemm plain = gemm;
  plain.adds = false;
  return gpu_gemm_time(gemm, choose_gpu_kernel(plain, four_h200s()), four_h200s(), {.clock = clock}).total;
}

double collective_time(Collective which, std::int64_t gpus, Bytes bytes) {
  NcclCollective asked{which, gpus, bytes};
  return nccl_time(asked, four_h200s()).total;
}

}  // namespace

TEST_SUITE("ADR-0057") {
  TEST_CASE("57.1 a product writes fp32, and reads C where it adds to it") {
    const GpuSpec& gpu = four_h200s();
    const GpuGemm gemm{4096, 1024, 4096};
    GpuGemm wide = gemm;
    wide.result = 4;
    GpuGemm adds = wide;
    adds.adds = true;
    const GpuKernel kernel{.a = 256, .b = 128, .across = 1, .down = 2};
    const GpuGemmTime of_bf16 = gpu_gemm_time(gemm, kernel, gpu, {.clock = 1.5});
    const GpuGemmTime of_fp32 = gpu_gemm_time(wide, kernel, gpu, {.clock = 1.5});
    CHECK(of_fp32.store == doctest::Approx(2 * of_bf16.store));
    CHECK(of_fp32.hbm_bytes == doctest::Approx(2 * 2 * 4096 * 1024 + 4 * 4096 * 4096));
    CHECK(gpu_gemm_time(adds, kernel, gpu).hbm_bytes == doctest::Approx(2 * 2 * 4096 * 1024 + 8 * 4096 * 4096));
  }

  TEST_CASE("57.1 what commands cost") {
    const GpuSpec& gpu = four_h200s();
    const DistributedGemmPlan plan = plan_distributed_gemm(gemm_of(DistributedMethod::kA, kColumnRowRow));
    const CommandList list = schedule_distributed_gemm(plan);
    GpuCommandCosts costs(gpu);
    const std::vector<GpuCommand> commands = costs.commands(list, gpu.sm.clock);
    REQUIRE(commands.size() == list.commands().size());
    int adds = 0;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const Command& command = list.commands()[i];
      if (command.kind == CommandKind::kMultiply) {  // half of the rows of C, half of K
        CHECK(commands[i].time == doctest::Approx(product_time({.m = 1024, .k = 2048, .n = 1024, .result = 4}, 0)));
      } else if (command.kind == CommandKind::kCopy) {
        CHECK(commands[i].bytes == 4.0 * 1024 * 1024);
        CHECK(commands[i].copy);
      } else {
        CHECK(commands[i].time ==
              doctest::Approx(gpu.launch.kernel + gpu.launch.drain + 12.0 * 1024 * 1024 / gpu.hbm.bandwidth));
        ++adds;
      }
    }
    CHECK(adds == 2);
  }

  TEST_CASE("57.6 again and again: the clock at which the GPU that draws most keeps below the limit") {
    const GpuSpec& gpu = four_h200s();
    const DistributedGemm heavy{8192, 8192, 8192, kRowColumnRow, {1, 1, 1}, DistributedMethod::kC, 2};
    const GpuDistributed once = gpu_distributed(heavy, gpu, GpuPace::kOnce);
    const GpuGemm product{.m = 4096, .k = 8192, .n = 4096, .result = 4};
    CHECK(once.clock == burst_clock(product, choose_gpu_kernel(product, gpu), gpu));
    CHECK(once.clock < gpu.sm.clock);
    CHECK(once.power > gpu.power.limit);
    const GpuDistributed again = gpu_distributed(heavy, gpu, GpuPace::kAgain);
    CHECK(again.power == doctest::Approx(gpu.power.limit).epsilon(0.001));
    CHECK(again.clock < once.clock);
    CHECK(again.total > once.total);
    // Where no clock is within the limit it is the lowest.
    GpuSpec starved = gpu;
    starved.power.limit = gpu.power.idle + 1;
    CHECK(gpu_distributed(heavy, starved, GpuPace::kAgain).clock == doctest::Approx(0.1 * gpu.sm.clock));
    // Where copies fill the time there is power to spare.
    const DistributedGemm light{1024, 12288, 49152, kRowColumnRow, {1, 1, 1}, DistributedMethod::kC, 4};
    CHECK(gpu_distributed(light, gpu, GpuPace::kAgain).clock == gpu_distributed(light, gpu, GpuPace::kOnce).clock);
    CHECK(gpu_distributed(light, gpu, GpuPace::kAgain).limit() == "copies");
  }

  TEST_CASE("57.7 dtensor: collectives, parts put together, one product") {
    const GpuSpec& gpu = four_h200s();
    const double most = gpu.sm.clock;
    GpuCommandCosts costs(gpu);
    const auto phases = [&](std::array<Partition, 3> partitions, int devices, int copies = 1) {
      return dtensor_phases(gemm_of(DistributedMethod::kDtensor, partitions, devices, copies), gpu, costs, most);
    };
    const double of_b = 2.0 * 4096 * 1024;
    const auto rows = phases(kRowColumnRow, 4);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].what == "all_gather of B");
    CHECK(rows[0].time == doctest::Approx(collective_time(Collective::kAllGather, 4, 8 << 20)));
    CHECK(rows[1].what == "B put together");
    CHECK(rows[1].time == doctest::Approx(gpu.launch.kernel + gpu.launch.drain + 2 * of_b / gpu.hbm.bandwidth));
    CHECK(rows[2].time == doctest::Approx(product_time({512, 4096, 1024}, 0)));

    const auto exchanged = phases(kColumnRowRow, 4);  // rows of B follow each other as they come
    REQUIRE(exchanged.size() == 4);
    CHECK(exchanged[0].what == "all_to_all of A");
    CHECK(exchanged[0].time == doctest::Approx(collective_time(Collective::kAllToAll, 4, 4 << 20)));
    CHECK(exchanged[1].what == "A put together");
    CHECK(exchanged[2].what == "all_gather of B");

    const auto blocks = phases(kBlocks, 4);  // a grid of 2 x 2
    REQUIRE(blocks.size() == 4);
    CHECK(blocks[0].time == doctest::Approx(collective_time(Collective::kAllGather, 2, 8 << 20)));
    CHECK(blocks[2].time == doctest::Approx(collective_time(Collective::kAllGather, 2, 4 << 20)));
    CHECK(blocks[3].time == doctest::Approx(product_time({1024, 4096, 512}, 0)));

    CHECK(phases(kRowColumnRow, 2, 2).size() == 1);  // a replica of one GPU has all
    CHECK_THROWS_WITH_AS(static_cast<void>(phases({Partition::kBlock, Partition::kRow, Partition::kRow}, 4)),
                         "dtensor on GPUs: expected blocks in all of A, B and C, or in none", ConfigError);
  }

  TEST_CASE("57.8 machines that cannot do it are refused") {
    const DistributedGemm problem = gemm_of(DistributedMethod::kC, kRowColumnRow, 8);
    CHECK_THROWS_WITH_AS(static_cast<void>(gpu_distributed(problem, four_h200s(), GpuPace::kOnce)),
                         "8 GPUs: expected at most nvlink.gpus, 4 on h200_x4", ConfigError);
    GpuSpec without = four_h200s();
    without.peer_copy.given = false;
    CHECK_THROWS_WITH_AS(static_cast<void>(gpu_distributed(problem, without, GpuPace::kOnce)),
                         "GPU h200_x4 has no section peer_copy; matrices on several GPUs need it", ConfigError);
  }
}
