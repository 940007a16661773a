// The machine's memory, limits, refusals, and the net below them.
#include "benches/experiments/run/memory_limit.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <string>
#include <vector>

#include "benches/experiments/run/isolated.hpp"
#include "sim/base/errors.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernbench;

namespace {

constexpr Bytes kGiB = Bytes{1} << 30U;

void put(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

MemoryNeed need(double gib) {
  MemoryEstimate estimate;
  estimate.add("things", 1000, gib * static_cast<double>(kGiB) / 1000);
  estimate.add("crumbs", 1, 1);
  return {"ring of 64 MiB", estimate, "fewer things"};
}

std::string refusal(const MemoryLimit& limit, const MemoryNeed& need) {
  try {
    limit.require(need);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.13 what may be used is the machine's memory, or what the tightest control group leaves of it") {
    const TemporaryFolder folder;
    const auto& root = folder.path();
    put(root / "proc/meminfo", "MemTotal:       16777216 kB\nMemFree:        1 kB\n");
    CHECK(usable_memory(root) == 16 * kGiB);
    put(root / "proc/self/cgroup", "0::/jobs/mine\n");
    put(root / "sys/fs/cgroup/jobs/mine/memory.max", "max\n");
    CHECK(usable_memory(root) == 16 * kGiB);
    put(root / "sys/fs/cgroup/jobs/memory.max", std::to_string(4 * kGiB) + "\n");
    CHECK(usable_memory(root) == 4 * kGiB);
    put(root / "proc/self/cgroup", "5:devices:/x\n4:memory:/slurm\n0::/\n");
    put(root / "sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", std::to_string(2 * kGiB) + "\n");
    CHECK(usable_memory(root) == 2 * kGiB);
    CHECK(usable_memory() > 0);
    CHECK(default_memory_limit().bytes < usable_memory());
  }

  TEST_CASE("10.13 what needs more is refused with the estimate, part by part, and the remedy") {
    const MemoryLimit limit{2 * kGiB, "--memory 2 GiB"};
    CHECK(refusal(limit, need(1.9)).empty());
    CHECK(refusal(limit, need(23.5)) ==
          "ring of 64 MiB: needs about 24 GiB of memory and may take 2.0 GiB (--memory 2 GiB):\n"
          "  1,000 things: 24 GiB\n"
          "take fewer things, or raise --memory");
    CHECK(refusal(limit, need(1e12)).find("needs about 931 EiB") != std::string::npos);
  }

  TEST_CASE("10.13 as many simulations run at a time as fit together") {
    const MemoryLimit limit{8 * kGiB, "--memory 8 GiB"};
    CHECK(limit.jobs_that_fit({need(0.5), need(3)}, 16) == 2);
    CHECK(limit.jobs_that_fit({need(0.25)}, 16) == 16);
    CHECK(limit.jobs_that_fit({need(5)}, 16) == 1);
    CHECK(limit.jobs_that_fit({}, 16) == 16);
    CHECK_THROWS_AS(static_cast<void>(limit.jobs_that_fit({need(9)}, 16)), ConfigError);
  }

#ifndef KERNBENCH_SANITIZED
  TEST_CASE("10.13 a child that takes more than was foretold fails alone, and says what to do") {
    const auto hungry = [] {
      std::vector<char> much(std::size_t{1} << 30U, 'x');
      return std::string(1, much.back());
    };
    IsolationOptions options;
    options.jobs = 1;
    options.memory = kGiB / 4;
    const auto report = run_isolated({hungry, [] { return std::string("good"); }}, options);
    CHECK_FALSE(report.outcomes[0]->ok);
    CHECK(report.outcomes[0]->reason ==
          "out of memory; --memory, shared by --jobs, allows 256 MiB; raise it, take fewer --jobs, or make it smaller");
    CHECK(report.outcomes[1]->payload == "good");
  }
#endif
}
