// What trace commands say beside their tables: once, first, and where the table is a document on stderr.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace {

const std::string kPoint = kernbench::source_dir() + "/benches/reference/nvidia-h200/traces/overlap/42ch_256threads/";

/// A GEMM, and a copy that was not launched in it: a warning.
std::string trace_with_warning(int copies) {
  std::string text =
      R"({"traceEvents":[{"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":1,"dur":1,"args":{"correlation":1}},)"
      R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":500,"dur":10,"args":{"correlation":1}})";
  for (int i = 0; i < copies; ++i) {
    text += R"(,{"ph":"X","cat":"gpu_memcpy","name":"copy","pid":0,"tid":7,"ts":)" + std::to_string(2 * i) +
            R"(,"dur":1,"args":{}})";
  }
  return text + "]}";
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.34 warnings of several files that are alike are one line; a table without rows has no head") {
    const Workplace place;
    for (int rank = 0; rank < 3; ++rank) {
      kernbench::write_file(place.path() / ("rank" + std::to_string(rank) + ".json"), trace_with_warning(2 + rank));
    }
    const Ended ended = place.run(kProgram, {"trace", "collectives", "."});
    CHECK(ended.exit_code == 0);
    CHECK_MESSAGE(lines_of(ended.err) == 2, ended.err);  // without launch, without operator
    CHECK(has(ended.err, "rank0.json: 2 GPU events of 2.000"));
    CHECK(has(ended.err, "; and 2 other files alike"));
    CHECK(ended.out.starts_with("collectives: no rows: "));
  }

  TEST_CASE("40.11 40.34 a merge says once what its files have in common, and what --skip-bad left out") {
    const Workplace place;
    for (int rank = 0; rank < 3; ++rank) {
      std::string text = trace_with_warning(2);
      if (rank == 1) text.resize(text.size() - 20);
      kernbench::write_file(place.path() / "in" / ("rank" + std::to_string(rank) + ".json"), text);
    }
    const Ended refused = place.run(kProgram, {"trace", "merge", "in", "--out", "all.json"});
    CHECK(refused.exit_code == 2);
    CHECK(has(refused.err, "rank1.json: truncated: the file ends inside of traceEvents; --skip-bad leaves out"));
    const Ended merged = place.run(kProgram, {"trace", "merge", "in", "--out", "all.json", "--skip-bad"});
    CHECK(merged.exit_code == 0);
    CHECK(has(merged.err, "rank0.json: no baseTimeNanoseconds; and 2 other files alike\n"));
    CHECK(
        has(merged.err, "rank1.json: no collective in common with the first rank: its clock is taken as it is; and 1"));
    CHECK(has(merged.err,
              "rank1.json: 1 event that did not parse left out (--skip-bad); the file is truncated at byte "));
    const Ended checked = place.run(kProgram, {"trace", "check", "in/rank1.json", "--skip-bad"});
    CHECK(has(checked.out, "note: 1 event left out\nnote: truncated at byte "));
  }

  TEST_CASE("40.33 40.34 missing ranks are the first line of a table, a note of JSON, and on stderr beside CSV") {
    const Workplace place;
    const std::vector<std::string> some{"trace", "collectives", kPoint + "rank1.json.gz", kPoint + "rank3.json.gz"};
    const auto with = [&](const std::string& option) {
      std::vector<std::string> arguments = some;
      arguments.push_back(option);
      return place.run(kProgram, arguments);
    };
    const std::string first = "ranks missing: 0, 2 of 4. Of 12 collectives not all ranks are seen: ";
    const Ended text = place.run(kProgram, some);
    CHECK(text.out.starts_with(first));
    CHECK(has(text.out, "≥ "));
    CHECK(text.err.empty());
    const Ended csv = with("--csv");
    CHECK(csv.out.starts_with("channels,threads,group,"));
    CHECK(has(csv.err, first));
    CHECK(has(with("--json").out, "\"" + first));
    const Ended merged = place.run(
        kProgram, {"trace", "merge", kPoint + "rank1.json.gz", kPoint + "rank3.json.gz", "--out", "all.pftrace"});
    CHECK(has(merged.err, "ranks missing: 0, 2 of 4"));
    const Ended report = place.run(kProgram, {"trace", "report", kPoint + "rank1.json.gz", "--out", "report"});
    CHECK(report.exit_code == 0);
  }
}
