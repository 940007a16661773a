// Sums that go to HBM between blocks along K: closed form, bytes, waits, and references of their own.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/plan/gemm_mapping.hpp"
#include "sim/system/mapped_gemm.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::sums_in_hbm_test {
namespace {

GemmMapping in_hbm(const TileShape& block, SumFormat format = SumFormat::kFp32) {
  return {.tile = {32, 64, 32}, .block = block, .order = LoopOrder::kKmn, .sums = {format, SumPlace::kHbm}};
}

Observed mapped(const MachineSpec& machine, const GemmProblem& problem, const GemmMapping& mapping) {
  return observe([&](const RunSettings& settings) {
    RunSettings with = settings;
    with.verify = true;
    return run_gemm(machine, problem, mapping, with);
  });
}

/// Compares what the mapping computes with a reference whose sums are rounded so.
std::string differs_from(const GemmProblem& problem, const GemmMapping& mapping, const SumRounding& rounding) {
  try {
    (void)observe([&](RunSettings settings) {
      settings.verify = true;
      const MachineSpec machine = milestone({"pe.mac.rates.fp16=1"});
      const auto steps = std::make_shared<const MappedGemm>(problem, mapping);
      const GemmCall call{problem, place_gemm(*steps, machine)};
      return run_kernel(
          machine, [&](KernelPe pe) { return run_mapped(pe, call, steps); }, settings, check_of(call, rounding));
    });
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.19 two blocks along K of one tile with one buffer: the sum of its parts, to the picosecond") {
    GemmMapping mapping = in_hbm({32, 64, 32});
    mapping.buffers = 1;
    const Observed run = mapped(milestone({"die.hbm.turnaround=0 ns"}), {32, 128, 32}, mapping);
    // A load of b bursts: setup 4, the way 2.03, a burst on its channel 8, latency 32, b bursts, the way back.
    const auto read = [](int bursts) { return Picoseconds{1000 * (4 + 8 + 32 + bursts) + 4'060}; };
    // Outputs of b bursts: setup 4, b bursts, the way there and back.
    const auto write = [](int bursts) { return Picoseconds{1000 * (4 + bursts) + 4'060}; };
    const Picoseconds call = from_ns(2);
    // A is taken up at once and B when A's packets are issued; both wait in the same channels.
    const Picoseconds there = call + read(2 * 16);
    const Picoseconds multiplied = from_ns(1 + 16 + 16 + 8);  // dispatch, fetch, array, fill
    const Picoseconds stored = there + call + multiplied + from_ns(8) + write(16);
    const Picoseconds sums_there = stored + call + read(3 * 16);
    // The sum's 4096 bytes take 8 ns more to fetch, and the vector unit 8 ns and 4 of latency.
    const Picoseconds end = sums_there + call + multiplied + from_ns(8) + from_ns(8 + 4) + from_ns(4) + write(8);
    CHECK(run.result.pe.end == end);
    const auto loads = run.of("load");
    REQUIRE(loads.size() == 5);
    CHECK(loads[4].bytes == 32 * 32 * 4);
    CHECK(loads[4].end == sums_there);
    const auto writes = run.of("dma_out");
    REQUIRE(writes.size() == 2);
    CHECK(writes[0].bytes == 32 * 32 * 4);
    CHECK(writes[0].end == stored);
    CHECK(writes[1].bytes == 32 * 32 * 2);
  }

  TEST_CASE("32.19 sums are loaded when the step that stored them is complete, ahead where there are buffers") {
    // 2 blocks of C, 3 along K.
    GemmMapping mapping = in_hbm({32, 64, 32});
    const Observed run = mapped(milestone(), {32, 192, 64}, mapping);
    const auto loads = run.of("load");
    const auto writes = run.of("dma_out");
    REQUIRE(writes.size() == 6);
    std::vector<OpRecord> sums;
    std::ranges::copy_if(loads, std::back_inserter(sums), [](const OpRecord& load) { return load.bytes == 4096; });
    REQUIRE(loads.size() == 3 + 6 + 4);  // blocks of A stay for all columns
    // Operands are 4096 bytes, too: the sums are the last of a step's.
    REQUIRE(sums.size() == loads.size());
    CHECK(run.result.hbm_read == 32 * 192 * 2 + 192 * 64 * 2 + 2 * 32 * 64 * 4);
    CHECK(run.result.hbm_written == 32 * 64 * 2 + 2 * 32 * 64 * 4);
    // Of step s = 2 ... 5 the load follows the write of step s - 2.
    const std::array<std::size_t, 4> of_sums{5, 7, 10, 12};
    for (std::size_t i = 0; i < of_sums.size(); ++i) CHECK(loads[of_sums[i]].start >= writes[i].end);
    // The next one's are on their way while a step is at work.
    const auto products = run.of("mac");
    CHECK(loads[of_sums[1]].start < products[2].end);
  }

  TEST_CASE("32.19 rounded sums have a reference of their own, in each format") {
    const GemmProblem bf16{32, 4096, 32};
    const GemmProblem fp16{.m = 32, .k = 4096, .n = 32, .dtype = Dtype::kFp16};
    const TileShape block{32, 64, 32};
    for (const auto& [problem, of_sums] :
         {std::pair(bf16, SumFormat::kFp32), std::pair(bf16, SumFormat::kBf16), std::pair(fp16, SumFormat::kFp32),
          std::pair(fp16, SumFormat::kBf16), std::pair(fp16, SumFormat::kFp16)}) {
      const SumFormat format = of_sums;
      CAPTURE(std::string(kSumFormats[format]));
      const GemmMapping mapping = in_hbm(block, format);
      CHECK(differs_from(problem, mapping, {64, dtype_of(format)}) == "");
      const std::string exact = differs_from(problem, mapping, {});
      // Sums of integers below 2048 are exact in fp16's eleven bits, and not in the eight of bf16.
      CHECK((exact.find("verification failed") == 0) == (format == SumFormat::kBf16));
    }
  }
}

}  // namespace kernbench::sums_in_hbm_test
