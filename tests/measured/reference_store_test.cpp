// The folder of reference data: what lies where, and that what is committed passes the checks.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>
#include <string>

#include "benches/io/files/write_file.hpp"
#include "benches/measured/reference/checks.hpp"
#include "benches/measured/reference/merge.hpp"
#include "benches/measured/reference/store.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/measured/reference_sample.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fs = std::filesystem;
namespace sample = kernbench::reference_sample;
using kernbench::ConfigError;

namespace {

/// A folder with a device of two files, another without a card, and two published ones.
void fill(const fs::path& root) {
  const auto put = [&root](const std::string& file, const kernbench::Results& results) {
    kernbench::write_file(root / file, format_results(results));
  };
  kernbench::write_file(root / "acme-g-100/device.json", format_device(sample::device()));
  put("acme-g-100/gemm.json", sample::results("gpu-gemm", {sample::gemm_row()}));
  put("acme-g-100/distributed_gemm.json", sample::results("gpu-distributed-gemm", {sample::distributed_row()}));
  put("acme-g-100/copy.json", sample::results("gpu-gemm", {}));  // not what its name says
  kernbench::write_file(root / "acme-g-100/traces/a/rank0.json.gz", "x");
  put("without-card/gemm.json", sample::results("gpu-gemm", {}));
  put("published/zine/gemm.json", sample::results("gpu-gemm", {}));
  fs::create_directories(root / "published/blog");
}

}  // namespace

TEST_SUITE("ADR-0022") {
  TEST_CASE("22.1 a file is named by its bench") {
    CHECK(kernbench::reference_file_name("gpu-gemm") == "gemm.json");
    CHECK(kernbench::reference_file_name("gpu-distributed-gemm") == "distributed_gemm.json");
  }

  TEST_CASE("22.1 folders and files are found: devices first, then who published") {
    const TemporaryFolder folder;
    CHECK(kernbench::all_references(folder.path() / "none").empty());
    fill(folder.path());
    const auto found = kernbench::all_references(folder.path());
    REQUIRE(found.size() == 4);
    CHECK(found[0].name == "acme-g-100");
    CHECK_FALSE(found[0].published);
    CHECK(found[0].benches == std::vector<std::string>{"gpu-copy", "gpu-distributed-gemm", "gpu-gemm"});
    CHECK(found[1].name == "without-card");
    CHECK(found[2].name == "published/blog");
    CHECK(found[2].benches.empty());
    CHECK(found[3].name == "published/zine");
    CHECK(found[3].published);
  }

  TEST_CASE("22.1 rows and cards are read; a file of another bench, and no card, are errors that name the file") {
    const TemporaryFolder folder;
    fill(folder.path());
    const auto gemm = kernbench::read_reference(folder.path(), "acme-g-100", "gpu-gemm");
    REQUIRE(gemm);
    CHECK(gemm->rows.size() == 1);
    CHECK_FALSE(kernbench::read_reference(folder.path(), "acme-g-100", "gpu-overlap"));
    CHECK_FALSE(kernbench::read_reference(folder.path(), "nobody", "gpu-gemm"));
    const std::string copy = (folder.path() / "acme-g-100/copy.json").string();
    CHECK_THROWS_WITH_AS((void)kernbench::read_reference(folder.path(), "acme-g-100", "gpu-copy"),
                         (copy + ": bench: expected \"gpu-copy\" for its file name, got \"gpu-gemm\"").c_str(),
                         ConfigError);
    CHECK(kernbench::read_device(folder.path(), "acme-g-100").memory_gbs == 1000);
    CHECK_THROWS_AS((void)kernbench::read_device(folder.path(), "without-card"), ConfigError);
  }

  TEST_CASE("22.11 every committed file passes the checks, in the form in which it would be taken in") {
    const fs::path root = fs::path(kernbench::source_dir()) / kernbench::kReferenceFolder;
    for (const auto& folder : kernbench::all_references(root)) {
      std::optional<kernbench::Device> card;
      if (!folder.published) {
        card = kernbench::read_device(root, folder.name);
        CHECK(card->slug == folder.name);
        CHECK(kernbench::read_file(root / folder.name / "device.json") == format_device(*card));
      }
      for (const std::string& bench : folder.benches) {
        const fs::path file = root / folder.name / kernbench::reference_file_name(bench);
        const auto results = kernbench::read_reference(root, folder.name, bench);
        REQUIRE(results);
        for (const std::string& finding : check_reference(*results, card ? &*card : nullptr, file.string())) {
          FAIL_CHECK(finding);
        }
        CHECK_MESSAGE(kernbench::read_file(file) == format_results(kernbench::canonical_reference(*results)),
                      file.string());
      }
    }
  }
}
