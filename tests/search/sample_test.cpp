// Some of the machines of a grid.
#include "benches/experiments/search/sample.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "benches/experiments/whatif/key_axes.hpp"
#include "benches/experiments/whatif/sweep.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/support/toy_bench.hpp"

using namespace kernbench;

namespace {

const MachineSpec kMachine = milestone();

std::vector<Axis> grid() {
  return key_axes("--sweep", {"pe.stream_depth=1..16", "pe.output_depth=1..16"}, {}, milestone());
}

Axis sample_of(const std::string& text, std::uint32_t seed = 1, const std::vector<std::string>& where = {}) {
  return sampled_axis(grid(), text, seed, machine_conditions(where), kMachine);
}

/// How many machines of the sample have each value of the key.
std::map<std::string, int> counts_of(const Axis& sample, const std::string& key) {
  std::map<std::string, int> counts;
  for (const AxisValue& value : sample.values) ++counts[value.fields.at(key).get<std::string>()];
  return counts;
}

}  // namespace

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.9 a condition leaves the points on machines of which it holds") {
    const std::vector<Axis> axes = grid();
    const Bench all = swept(toy_bench(), axes);
    const Bench some =
        with_conditions(all, axes, machine_conditions({"pe.stream_depth + pe.output_depth <= 4"}), kMachine);
    CHECK(expand_points(all).size() == 4 * 256);
    CHECK(expand_points(some).size() == 4 * 6);  // 1+1, 1+2, 1+3, 2+1, 2+2, 3+1
    CHECK(::error_of([&] {
            static_cast<void>(with_conditions(all, axes, machine_conditions({"pe.stream_depth > 99"}), kMachine));
          }) == "--where: no machine of --sweep meets it");
    CHECK(::error_of([] { static_cast<void>(machine_conditions({"time_ns < 1"})); }) ==
          "--where time_ns < 1: expected keys of the machine alone");
  }

  TEST_CASE("35.9 values that contradict each other stay, for their rows to say so") {
    const std::vector<Axis> axes =
        key_axes("--sweep", {"die.hbm.burst=256,512 B"}, {}, milestone());  // a packet is 256 B
    const auto points_where = [&](const std::string& condition) {
      return expand_points(with_conditions(swept(toy_bench(), axes), axes, machine_conditions({condition}), kMachine))
          .size();
    };
    CHECK(points_where("die.hbm.burst <= 512 B") == 4 * 2);
    CHECK(points_where("die.hbm.burst <= 256 B") == 4);  // the other one does not meet it either
  }

  TEST_CASE("35.9 a Sobol sequence of a power of two has every value of an axis alike, for any seed") {
    for (std::uint32_t seed = 1; seed <= 8; ++seed) {
      const Axis sample = sample_of("sobol:64", seed);
      CHECK(sample.name == "machine");
      CHECK(sample.values.size() > 50);  // the others came up before
      for (const char* const key : {"pe.stream_depth", "pe.output_depth"}) {
        const auto counts = counts_of(sample, key);
        CHECK(counts.size() == 16);
        for (const auto& [value, count] : counts) CHECK(count <= 6);
      }
    }
  }

  TEST_CASE("35.9 a Latin hypercube has as many machines in each stratum, once each") {
    const Axis sample = sample_of("lhs:16");
    for (const char* const key : {"pe.stream_depth", "pe.output_depth"}) {
      for (const auto& [value, count] : counts_of(sample, key)) CHECK(count == 1);
    }
    CHECK(sample.values.size() == 16);
  }

  TEST_CASE("35.9 the seed decides the sample, conditions leave some of it") {
    const auto texts = [](const Axis& sample) {
      std::set<std::string> labels;
      for (const AxisValue& value : sample.values) labels.insert(value.label);
      return labels;
    };
    CHECK(texts(sample_of("lhs:16", 3)) == texts(sample_of("lhs:16", 3)));
    CHECK(texts(sample_of("lhs:16", 3)) != texts(sample_of("lhs:16", 4)));
    CHECK(texts(sample_of("sobol:16", 3)) != texts(sample_of("sobol:16", 4)));
    const Axis some = sample_of("lhs:16", 1, {"pe.stream_depth <= 4"});
    CHECK(some.values.size() == 4);
    CHECK(texts(sample_of("lhs:1")).begin()->find("pe.stream_depth ") == 0);
  }

  TEST_CASE("35.9 what is no sample is refused") {
    const auto wrong = [](const std::string& text, const std::vector<std::string>& where = {}) {
      return ::error_of([&] { static_cast<void>(sample_of(text, 1, where)); });
    };
    for (const char* const text : {"", "64", "sobol", "halton:4"}) {
      CHECK(wrong(text) == std::string("--sample ") + text + ": expected sobol:COUNT or lhs:COUNT, such as sobol:64");
    }
    CHECK(wrong("lhs:").find("--sample lhs:: expected a whole number") == 0);
    CHECK(wrong("lhs:0") == "--sample lhs:0: expected a count from 1 to 15000");
    CHECK(wrong("sobol:16000") == "--sample sobol:16000: expected a count from 1 to 15000");
    CHECK(wrong("lhs:4", {"pe.stream_depth > 99"}) == "--sample lhs:4: no machine of it meets every --where");
  }
}
