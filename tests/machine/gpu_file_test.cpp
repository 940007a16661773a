// A GPU's file: its numbers with their origins, and what is refused of it.
#include <doctest/doctest.h>

#include <filesystem>

#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/gpu_keys.hpp"
#include "tests/machine/example_gpu.hpp"

using namespace kernbench;

namespace {

std::string one(const std::string& error) { return error + "\n1 error in machine g.yaml"; }

}  // namespace

TEST_SUITE("ADR-0048") {
  TEST_CASE("48.1 numbers in the units of the model, with how they were obtained") {
    const LoadedGpu gpu = gpu_of(kExampleGpu);
    CHECK(gpu.spec.name == "example");
    CHECK(gpu.spec.sm.count == 10);
    CHECK(gpu.spec.power.peak == doctest::Approx(60));
    CHECK(gpu.spec.hbm.bandwidth == doctest::Approx(1000));
    CHECK(gpu.spec.launch.kernel == doctest::Approx(1000));
    CHECK(gpu.spec.tensor.bf16.energy == doctest::Approx(2));
    CHECK(gpu.spec.l2.energy == doctest::Approx(10));
    CHECK(gpu.spec.power.limit == doctest::Approx(50));
    CHECK(gpu.spec.l2.resident == 1048576);
    const GpuOrigin& origin = gpu.origins.at("sm.clustered");
    CHECK(origin.from == NumberSource::kAssumed);
    CHECK(origin.note == "clusters of four");
    CHECK(gpu.origins.at("hbm.bandwidth").written == "1 TB/s");
  }

  TEST_CASE("48.1 a number may be that of another key") {
    const LoadedGpu gpu = gpu_of(kExampleGpu);
    CHECK(gpu.spec.tensor.fp8.share == doctest::Approx(0.5));
    CHECK(gpu.origins.at("tensor.fp8.share").written == "0.5");
    CHECK(gpu_errors(changed_gpu("note: tensor.bf16.share", "note: hbm.bandwidth")) ==
          one("g.yaml:27:5: tensor.fp8.share: note: expected a key of the same kind that has a number itself, got "
              "'hbm.bandwidth'"));
    CHECK(gpu_errors(changed_gpu("{from: same,", "{is: 1, from: same,")) ==
          one("g.yaml:27:5: tensor.fp8.share: is: expected none beside from: same"));
  }

  TEST_CASE("48.1 what a number lacks is told") {
    CHECK(
        gpu_errors(changed_gpu("{is: 10, from: data_sheet}", "10"))
            .find(
                "g.yaml:5:3: sm.count: expected how the number was obtained beside it: {is: VALUE, from: SOURCE, note: "
                "...}") == 0);
    CHECK(gpu_errors(changed_gpu("{is: 10, from: data_sheet}", "{is: 10, from: guess}")) ==
          one("g.yaml:5:3: sm.count: from: expected one of data_sheet, published, probe, fit, assumed, same, got "
              "'guess'"));
    CHECK(gpu_errors(changed_gpu(", note: clusters of four", "")) ==
          one("g.yaml:6:3: sm.clustered: note: expected which rows, which page or why"));
    CHECK(gpu_errors(changed_gpu("is: 10, from", "was: 10, from")) ==
          one("g.yaml:5:11: sm.count: expected is, from and note, got 'was'"));
    CHECK(gpu_errors(changed_gpu("{is: 10, from", "{from")) ==
          one("g.yaml:5:3: sm.count: is: missing; expected a whole number such as 8"));
    CHECK(gpu_errors(changed_gpu("{is: 10, from", "{is: 0, from")) ==
          one("g.yaml:5:3: sm.count: expected 1 to 4096, got '0'"));
    CHECK(gpu_errors(changed_gpu("{is: 1 TB/s,", "{is: 1 TiB/s,")).find("did you mean 'TB/s'?") != std::string::npos);
  }

  TEST_CASE("48.1 unknown and missing keys, and contradictions, all at once") {
    CHECK(gpu_errors(changed_gpu("bandwidth: {is: 1 TB/s", "bandwith: {is: 1 TB/s")) ==
          "g.yaml:1:1: hbm.bandwidth: missing; expected {is: ..., from: ..., note: ...} with a bandwidth such as 256 "
          "GB/s\n"
          "g.yaml:38:3: hbm.bandwith: unknown key; did you mean 'bandwidth'?\n2 errors in machine g.yaml");
    CHECK(gpu_errors(changed_gpu("clustered: {is: 8", "clustered: {is: 11")) ==
          one("g.yaml:6:3: sm.clustered: expected at most sm.count, 10, got 11"));
    CHECK(gpu_errors(changed_gpu("limit: {is: 50 W", "limit: {is: 9 W"))
              .find("power.idle: expected less than power.limit, 9 W, got 10 W") != std::string::npos);
    CHECK(gpu_errors(changed_gpu("idle: {is: 10 W", "idle: {is: 9000 W")).find("expected less than power.peak, ") !=
          std::string::npos);
    CHECK(gpu_errors("- 1\n").find("expected a GPU: sections with numbers, got no map") != std::string::npos);
    CHECK(gpu_errors("a: [\n").find("not valid YAML") != std::string::npos);
  }

  TEST_CASE("48.2 --set, a base and optional sections") {
    const LoadedGpu set = gpu_of(kExampleGpu, {"hbm.bandwidth=3 TB/s"});
    CHECK(set.spec.hbm.bandwidth == doctest::Approx(3000));
    CHECK(set.origins.at("hbm.bandwidth").from == NumberSource::kSet);
    CHECK(set.sha256 != gpu_of(kExampleGpu).sha256);
    CHECK(gpu_of(changed_gpu("clusters of four", "as it were")).sha256 == gpu_of(kExampleGpu).sha256);
    CHECK(gpu_errors(kExampleGpu, {"hbm.bandwith=3 TB/s"}) ==
          one("--set hbm.bandwith=3 TB/s: hbm.bandwith: unknown key of a GPU; did you mean 'hbm.bandwidth'?"));
    CHECK(gpu_errors(kExampleGpu, {"sm.burst_clock=1.6 GHz"}) ==
          one("--set sm.burst_clock=1.6 GHz: sm.burst_clock: unknown key of a GPU; a burst's clock follows from what a "
              "product draws: expected power.peak"));

    const TemporaryFolder folder;
    std::ofstream(folder.path() / "base.yaml") << kExampleGpu;
    const std::string child = (folder.path() / "child.yaml").string();
    std::ofstream(child) << "schema: kernbench.gpu/1\nkind: gpu\nname: child\nbase: base.yaml\n"
                            "hbm: {bandwidth: {is: 2 TB/s, from: data_sheet}}\n";
    const LoadedGpu derived = load_gpu(child);
    CHECK(derived.spec.name == "child");
    CHECK(derived.spec.hbm.bandwidth == doctest::Approx(2000));
    CHECK(derived.spec.sm.count == 10);
    REQUIRE(derived.bases.size() == 1);

    CHECK(gpu_of(kExampleGpu).spec.tensor.fp16.given == false);
    const std::string half = changed_gpu("    launch: {is: 50 ns, from: assumed, note: a round number}\n", "");
    CHECK(gpu_errors(half).find("tensor.fp8.launch: missing") != std::string::npos);
  }

  TEST_CASE("48.2 a second YAML document is refused, in the file and in its base") {
    for (const char* more : {"---\nname: other\n", "...\n---\n", "---\nschema: kernbench.gpu/1\nkind: gpu\n"}) {
      const std::string errors = gpu_errors(std::string(kExampleGpu) + more);
      CHECK_MESSAGE(errors.find("expected one GPU in a file, got a second YAML document") != std::string::npos, errors);
      const TemporaryFolder folder;
      std::ofstream(folder.path() / "base.yaml") << kExampleGpu << more;
      const std::string child = (folder.path() / "child.yaml").string();
      std::ofstream(child) << "schema: kernbench.gpu/1\nkind: gpu\nname: child\nbase: base.yaml\n";
      CHECK_THROWS_WITH_AS(static_cast<void>(load_gpu(child)), doctest::Contains("got a second YAML document"),
                           ConfigError);
    }
  }

  TEST_CASE("48.2 a file that is based on itself is refused") {
    const TemporaryFolder folder;
    const std::string path = (folder.path() / "g.yaml").string();
    std::ofstream(path) << "schema: kernbench.gpu/1\nkind: gpu\nname: g\nbase: g.yaml\n";
    CHECK_THROWS_WITH_AS(static_cast<void>(load_gpu(path)), doctest::Contains("not based on itself"), ConfigError);
  }

  TEST_CASE("48.3 a GPU's file is known by its kind") {
    CHECK(is_gpu_file(kernbench::source_dir() + "/topology/h200.yaml"));
    CHECK(is_gpu_file(kernbench::source_dir() + "/topology/h100.yaml"));
    CHECK_FALSE(is_gpu_file(kernbench::source_dir() + "/topology/milestone_1h.yaml"));
    CHECK_FALSE(is_gpu_file(kernbench::source_dir() + "/topology/there_is_none.yaml"));
  }

  TEST_CASE("48.1 every GPU that comes along is valid, and every key has a meaning") {
    for (const auto& entry : std::filesystem::directory_iterator(kernbench::source_dir() + "/topology")) {
      if (is_gpu_file(entry.path().string())) CHECK_NOTHROW(static_cast<void>(load_gpu(entry.path().string())));
    }
    for (const GpuKey& key : gpu_keys()) CHECK_MESSAGE(key.meaning.size() > 3, key.path);
  }
}
