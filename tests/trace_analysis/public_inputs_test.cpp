// Traces as others have reported them, each with what is true of it (../shared/data/public).
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/merge/trace_facts.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/timeline.hpp"
#include "benches/traces/tables/top.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/trace_analysis/several_ranks.hpp"

namespace fs = std::filesystem;
using namespace kernbench::traces;

namespace {

using Texts = std::vector<std::string>;

/// The input's only trace; empty where there is none, which is said.
fs::path public_input(const std::string& name) {
  fs::path file = fs::path(kernbench::source_dir()) / "../shared/data/public" / name / "rank0.json";
  if (fs::exists(file)) return file;
  MESSAGE("skipped: there is no ../shared/data/public/" << name << " beside the source tree");
  return {};
}

std::vector<PlacedTrace> read_input(const fs::path& file, bool skip_bad = false) {
  TraceReadOptions options;
  options.skip_bad = skip_bad;
  return read_traces(find_trace_files({file}, ""), options);
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.24 a grouped product's launches of other grids have no baseline") {
    const fs::path file = public_input("03-shapes-unknown");
    if (file.empty()) return;
    const auto traces = read_input(file);
    const TraceTable causes = causes_table(traces, {}, 5, CausedCalls::kLongest);
    CHECK(column_of(causes, "main_cause") == Texts{"shape not known"});
    CHECK(column_of(causes, "base_us") == Texts{""});
    CHECK(traces[0].trace.warnings.size() == 1);
    std::string shown = table_text(top_table(traces, {}, 5), kernbench::Terminal{.width = 80});
    std::erase_if(shown, [](char character) { return character == ' ' || character == '\n'; });
    CHECK(shown.find("cutlass::device_kernel<grouped_gemm>") != std::string::npos);
  }

  TEST_CASE("40.16 attention and a transpose are no GEMMs") {
    const fs::path file = public_input("04-not-a-gemm");
    if (!file.empty()) CHECK(column_of(gemms_table(read_input(file), {}), "sum_us") == Texts{"40"});
  }

  TEST_CASE("40.17 FLOPs and bytes of complex, accumulated and added-to products") {
    const auto column = [](const std::string& name, const char* wanted) {
      const fs::path file = public_input(name);
      return file.empty() ? Texts{} : column_of(gemms_table(read_input(file), {}), wanted);
    };
    if (public_input("05-complex-flops").empty()) return;
    CHECK(column("05-complex-flops", "flops") == Texts{"134217728"});
    CHECK(column("05-complex-flops", "bytes") == Texts{"1835008"});
    CHECK(column("06-bytes-of-c", "bytes") == Texts{"425984"});
    CHECK(column("06-bytes-of-c", "flop_per_byte") == Texts{"78.76923077"});
    CHECK(column("07-bias-matrix", "bytes") == Texts{"589824", "459776"});
    CHECK(column("07-bias-matrix", "bias") == Texts{"2", "1"});
  }

  TEST_CASE("40.11 inf among arguments, a last event that is bad") {
    if (const fs::path file = public_input("08-inf-in-args"); !file.empty()) {
      CHECK(timeline_of(read_input(file)[0].trace, {}).gpu_events == 2);
      CHECK(read_trace_facts(file, false).gpu_events == 2);
      CHECK(read_trace_facts(file, true).bad_events == 0);
    }
    if (const fs::path file = public_input("11-skip-bad-last"); !file.empty()) {
      const auto traces = read_input(file, true);
      CHECK(traces[0].trace.bad_events == 1);
      CHECK(timeline_of(traces[0].trace, {}).computation == 10'000'000);
      CHECK(read_trace_facts(file, true).bad_events == 1);
    }
  }

  TEST_CASE("40.1 an array of events is a trace") {
    const fs::path file = public_input("12-array-format");
    if (!file.empty()) CHECK(timeline_of(read_input(file)[0].trace, {}).computation == 10'000'000);
  }

  TEST_CASE("40.6 launches on Intel's GPUs") {
    const fs::path file = public_input("13-xpu-launches");
    if (file.empty()) return;
    const auto traces = read_input(file);
    CHECK(traces[0].trace.warnings.empty());
    CHECK(column_of(gemms_table(traces, {}), "count") == Texts{"2"});
    CHECK(column_of(gemms_table(traces, {}), "M") == Texts{"64"});
    CHECK(timeline_of(traces[0].trace, {}).idle_dependency == 90'000'000);
  }
}
