// Commands of several GPUs, calculated by hand: streams, hand-over, fetches in order, copy engines, kernels (adr/0057).
#include "sim/system/gpu/gpu_command_run.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace kernbench;

namespace {

/// 100 B a ns, copies begin after 1 us and fetches after 2 us more, 3 us to hand over and 4 us more to or from a copy.
GpuSpec four_gpus() {
  GpuSpec gpu;
  gpu.peer_copy = {.given = true, .bandwidth = 100, .start = 1000, .fetch = 2000, .wait = 3000, .engine = 4000};
  return gpu;
}

GpuCommand kernel(int gpu, QueueKind stream, double time, std::vector<int> waits = {}) {
  return {.gpu = gpu, .stream = stream, .waits = std::move(waits), .time = time};
}

GpuCommand copy(int gpu, QueueKind stream, int from, int to, double bytes, std::vector<int> waits = {}) {
  return {
      .gpu = gpu, .stream = stream, .waits = std::move(waits), .copy = true, .from = from, .to = to, .bytes = bytes};
}

constexpr GpuCommandRules kNoHandOver{.hand_over = false};

}  // namespace

TEST_SUITE("ADR-0057") {
  TEST_CASE("57.2 a stream's commands follow each other; one that waits for another stream begins some time after it") {
    const std::vector<GpuCommand> commands{
        kernel(0, QueueKind::kCompute, 10000), copy(0, QueueKind::kSend, 0, 1, 500000, {0}),
        kernel(1, QueueKind::kAccumulate, 2000, {1}), kernel(0, QueueKind::kCompute, 1000)};
    const GpuCommandRun run = run_gpu_commands(commands, 2, four_gpus());
    CHECK(run.commands[0].begin == 0);
    CHECK(run.commands[0].end == 10000);
    CHECK(run.commands[3].begin == 10000);
    CHECK(run.commands[1].begin == 17000);                               // 3 + 4 us after the kernel
    CHECK(run.commands[1].end == doctest::Approx(17000 + 1000 + 5000));  // start, 500,000 B
    CHECK(run.commands[2].begin == doctest::Approx(30000));
    CHECK(run.commands[2].end == doctest::Approx(32000));
    CHECK(run.total == doctest::Approx(35000));  // the compute stream is told
    CHECK(run_gpu_commands(commands, 2, four_gpus(), kNoHandOver).total == doctest::Approx(18000));
  }

  TEST_CASE("57.2 streams other than compute are told of the start, kernels sooner than copies") {
    const GpuCommandRun run = run_gpu_commands(
        {copy(0, QueueKind::kSend, 0, 1, 100), kernel(0, QueueKind::kAccumulate, 100)}, 2, four_gpus());
    CHECK(run.commands[0].begin == 7000);
    CHECK(run.commands[1].begin == 3000);
    CHECK(run.total == doctest::Approx(7000 + 1000 + 1 + 7000));
  }

  TEST_CASE("57.3 fetches from one GPU follow each other in the order of the list, whatever the first waits for") {
    const std::vector<GpuCommand> commands{kernel(0, QueueKind::kCompute, 50000),
                                           copy(0, QueueKind::kFetch, 2, 0, 100000, {0}),
                                           copy(1, QueueKind::kFetch, 2, 1, 100000)};
    const GpuCommandRun run = run_gpu_commands(commands, 3, four_gpus(), kNoHandOver);
    CHECK(run.commands[1].end == doctest::Approx(50000 + 3000 + 1000));
    CHECK(run.commands[2].ready == 0);
    CHECK(run.commands[2].begin == doctest::Approx(54000));
    GpuCommandRules rules = kNoHandOver;
    rules.fetches_in_order = false;
    CHECK(run_gpu_commands(commands, 3, four_gpus(), rules).commands[2].end == doctest::Approx(4000));
    // What its owner sends is no fetch.
    const GpuCommandRun sent = run_gpu_commands({commands[0], commands[1], copy(2, QueueKind::kSend, 2, 1, 100000)}, 3,
                                                four_gpus(), kNoHandOver);
    CHECK(sent.commands[2].end == doctest::Approx(2000));
  }

  TEST_CASE("57.4 copies leave a GPU one at a time, and share what reaches one") {
    const std::vector<GpuCommand> leaving{copy(0, QueueKind::kSend, 0, 1, 100000),
                                          copy(2, QueueKind::kFetch, 0, 2, 100000)};
    const GpuCommandRun one = run_gpu_commands(leaving, 3, four_gpus(), kNoHandOver);
    CHECK(one.commands[0].end == doctest::Approx(2000));
    CHECK(one.commands[1].begin == doctest::Approx(2000));
    CHECK(one.commands[1].end == doctest::Approx(2000 + 3000 + 1000));
    GpuCommandRules rules = kNoHandOver;
    rules.one_copy_at_a_time = false;
    CHECK(run_gpu_commands(leaving, 3, four_gpus(), rules).commands[1].end == doctest::Approx(4000));
    // Two that reach GPU 2: half the rate until the first has ended.
    const GpuCommandRun both =
        run_gpu_commands({copy(0, QueueKind::kSend, 0, 2, 100000), copy(1, QueueKind::kSend, 1, 2, 300000)}, 3,
                         four_gpus(), kNoHandOver);
    CHECK(both.commands[0].end == doctest::Approx(1000 + 2000));
    CHECK(both.commands[1].end == doctest::Approx(1000 + 2000 + 2000));
    // There and back at once: each the whole rate.
    const GpuCommandRun back =
        run_gpu_commands({copy(0, QueueKind::kSend, 0, 1, 100000), copy(1, QueueKind::kSend, 1, 0, 100000)}, 2,
                         four_gpus(), kNoHandOver);
    CHECK(back.total == doctest::Approx(2000));
  }

  TEST_CASE("57.5 a GPU's kernels run one at a time, in the order in which they could begin") {
    const std::vector<GpuCommand> commands{
        kernel(0, QueueKind::kCompute, 5000), copy(1, QueueKind::kSend, 1, 0, 100000),
        kernel(0, QueueKind::kAccumulate, 500, {1}), kernel(0, QueueKind::kCompute, 5000)};
    const GpuCommandRun run = run_gpu_commands(commands, 2, four_gpus(), kNoHandOver);
    CHECK(run.commands[2].ready == doctest::Approx(2000));
    CHECK(run.commands[2].begin == doctest::Approx(5000));
    CHECK(run.commands[3].begin == doctest::Approx(5500));
    GpuCommandRules rules = kNoHandOver;
    rules.one_kernel_at_a_time = false;
    CHECK(run_gpu_commands(commands, 2, four_gpus(), rules).commands[2].begin == doctest::Approx(2000));
  }

  TEST_CASE("57.2 random lists: no command before what it waits for, no stream out of order, no link over its rate") {
    std::mt19937 random(57);
    const auto below = [&random](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    constexpr int kGpus = 4;
    for (int round = 0; round < 200; ++round) {
      std::vector<GpuCommand> commands;
      for (int i = 0; i < 30; ++i) {
        std::vector<int> waits;
        if (i > 0 && below(2) == 0) waits.push_back(below(i));
        const int gpu = below(kGpus);
        const int other = (gpu + 1 + below(kGpus - 1)) % kGpus;
        switch (below(3)) {
          case 0:
            commands.push_back(
                kernel(gpu, below(2) == 0 ? QueueKind::kCompute : QueueKind::kAccumulate, 100.0 * below(100), waits));
            break;
          case 1:
            commands.push_back(copy(gpu, QueueKind::kFetch, other, gpu, 1000.0 * below(1000), waits));
            break;
          default:
            commands.push_back(copy(gpu, QueueKind::kSend, gpu, other, 1000.0 * below(1000), waits));
        }
      }
      const GpuCommandRun run = run_gpu_commands(commands, kGpus, four_gpus());
      for (std::size_t i = 0; i < commands.size(); ++i) {
        const GpuCommandTimes& times = run.commands[i];
        CHECK(times.ready <= times.begin);
        CHECK(times.begin <= times.end);
        CHECK(times.end <= run.total);
        for (const int wait : commands[i].waits) {
          CHECK(run.commands[static_cast<std::size_t>(wait)].end + 3000 <= times.begin + 1e-3);
        }
        for (std::size_t j = 0; j < i; ++j) {
          const bool same = commands[j].gpu == commands[i].gpu && commands[j].stream == commands[i].stream;
          if (same) CHECK(run.commands[j].end <= times.begin + 1e-3);
        }
      }
      for (int gpu = 0; gpu < kGpus; ++gpu) {
        double reach = 0;
        for (const GpuCommand& command : commands) reach += command.copy && command.to == gpu ? command.bytes : 0;
        CHECK(run.total + 1e-3 >= reach / 100);
      }
    }
  }
}
