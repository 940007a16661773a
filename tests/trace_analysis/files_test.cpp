// Which files an argument names, of which rank and point.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "benches/io/files/write_file.hpp"
#include "benches/traces/events/trace_files.hpp"
#include "benches/traces/merge/merge_traces.hpp"
#include "tests/support/error_of.hpp"
#include "tests/trace_analysis/small_trace.hpp"

namespace fs = std::filesystem;
using kernbench::traces::find_trace_files;
using kernbench::traces::read_traces;

namespace {

std::string rank_text(int rank, int world = 2, const std::string& ranks = "[0,1]") {
  const std::string info = "\"distributedInfo\":{\"rank\":" + std::to_string(rank) +
                           ",\"world_size\":" + std::to_string(world) + R"(,"pg_config":[{"pg_name":"0","ranks":)" +
                           ranks + "}]}";
  return trace_text({launched("kernel", "nccl", 1, "1", "1")}, info);
}

class Tree {
 public:
  void add(const std::string& name, const std::string& text) const {
    kernbench::write_file(folder_.path() / name, text);
  }
  [[nodiscard]] const fs::path& path() const { return folder_.path(); }
  /// "channels=28 threads=256 rank=0; ..." in the order of reading.
  [[nodiscard]] std::string places(const std::string& layout = "") const {
    std::string text;
    for (const auto& placed : read_traces(find_trace_files({path()}, layout), {})) {
      for (const auto& [name, value] : placed.axes) text.append(name).append("=").append(value).append(" ");
      text += "rank=" + std::to_string(placed.rank) + "; ";
    }
    return text;
  }
  [[nodiscard]] std::string error(const std::string& layout = "") const {
    return ::error_of([&] { static_cast<void>(places(layout)); });
  }

 private:
  TemporaryFolder folder_;
};

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.4 a sweep's tree says its axes, sorted as numbers; other files are left alone") {
    Tree tree;
    for (const char* point : {"112ch_256threads", "28ch_512threads", "28ch_256threads"}) {
      tree.add(std::string(point) + "/rank1.json", rank_text(1));
      tree.add(std::string(point) + "/rank0.json.gz", gzipped(rank_text(0)));
      tree.add(std::string(point) + "/config.json", "{}");
    }
    CHECK(tree.places() ==
          "channels=28 threads=256 rank=0; channels=28 threads=256 rank=1; channels=28 threads=512 rank=0; "
          "channels=28 threads=512 rank=1; channels=112 threads=256 rank=0; channels=112 threads=256 rank=1; ");
  }

  TEST_CASE("40.4 other trees, by the layouts that are known and by --layout") {
    Tree aorta;
    aorta.add("256thread/nccl_28channels/torch_profiler/rank0/x.json", rank_text(0));
    CHECK(aorta.places() == "threads=256 channels=28 rank=0; ");
    Tree own;
    own.add("bs4/lr-high/trace_1.pt.json", rank_text(1));
    own.add("bs4/lr-high/trace_0.pt.json.gz", rank_text(0));
    own.add("bs4/lr-high/notes.json", "{}");
    CHECK(own.places("bs{batch}/lr-{rate}/trace_{rank}.*json") ==
          "batch=4 rate=high rank=0; batch=4 rate=high rank=1; ");
    CHECK(says(own.error("{x}/nosuch{rank}.json"), "fits none of the traces"));
    for (const char* layout : {"{a}/x.json", "{rank}{rank}", "{rank", "{}{rank}", "x{a}y{a}{rank}"}) {
      CAPTURE(layout);
      CHECK(says(own.error(layout), "--layout"));
    }
    Tree single;
    single.add("some_trace.json", trace_text({launched("kernel", "k", 1, "1", "1")}));
    CHECK(single.places() == "rank=0; ");
    CHECK(says(::error_of([&] { static_cast<void>(find_trace_files({single.path() / "none"}, "")); }),
               "expected a trace"));
    Tree empty;
    CHECK(says(empty.error(), "expected traces"));
  }

  TEST_CASE("40.4 what is no trace among traces is passed over by name; what is damaged is not") {
    for (const std::string stray : {R"({"model": "a", "layers": [1, 2]})", "[1, 2]", "no JSON", "PK\x03\x04"}) {
      CAPTURE(stray);
      Tree tree;
      tree.add("trace_a.json", trace_text({launched("kernel", "k", 1, "1", "1")}));
      tree.add("metadata.json", stray);
      const auto traces = read_traces(find_trace_files({tree.path()}, ""), {});
      REQUIRE(traces.size() == 1);
      REQUIRE(traces[0].trace.warnings.size() == 1);
      CHECK(says(traces[0].trace.warnings[0], "passed over: " + (tree.path() / "metadata.json").string() + ": "));
      CHECK_FALSE(::error_of([&] {
                    static_cast<void>(read_traces(find_trace_files({tree.path() / "metadata.json"}, ""), {}));
                  }).empty());
    }
    Tree placed;
    placed.add("rank0.json", rank_text(0));
    placed.add("metadata_rank1.json", "{}");
    CHECK(placed.places() == "rank=0; ");
    Tree damaged;
    damaged.add("rank0.json", rank_text(0));
    damaged.add("rank1.json", rank_text(1).substr(0, 150));
    CHECK(says(damaged.error(), "truncated"));
    Tree none;
    none.add("a.json", "{}");
    none.add("b.json", "{}");
    CHECK(says(none.error(), "a.json: has no traceEvents"));
  }

  TEST_CASE("40.4 what ranks were merged into is passed over among them, by its content") {
    Tree tree;
    for (int rank = 0; rank < 2; ++rank) tree.add("rank" + std::to_string(rank) + ".json", rank_text(rank));
    const auto merge = [&tree](const std::string& out) {
      const std::vector<kernbench::traces::TraceFile> files = find_trace_files({tree.path()}, "");
      static_cast<void>(kernbench::traces::merge_traces(files, tree.path() / out, {}));
      return files.size();
    };
    for (const char* name : {"rank7.json.gz", "rank8.json", "all.json"}) CHECK(merge(name) == 2);  // again and again
    CHECK(tree.places() == "rank=0; rank=1; ");
    const auto traces = read_traces(find_trace_files({tree.path()}, ""), {});
    CHECK(says(traces[0].trace.warnings.at(0), "rank7.json.gz: is merged of ranks' traces"));
    // Named itself it is a trace, but not one of several to merge.
    CHECK(read_traces(find_trace_files({tree.path() / "rank7.json.gz"}, ""), {}).size() == 1);
    CHECK(says(::error_of([&] {
                 const auto files = find_trace_files({tree.path() / "rank0.json", tree.path() / "rank8.json"}, "");
                 static_cast<void>(kernbench::traces::merge_traces(files, tree.path() / "more.json", {}));
               }),
               "rank8.json: is merged of ranks' traces already"));
  }

  TEST_CASE("40.5 the rank is the file's own word, else the path's; a contradiction is refused") {
    Tree path_only;
    path_only.add("rank3.json", trace_text({launched("kernel", "k", 1, "1", "1")}));
    CHECK(path_only.places() == "rank=3; ");
    Tree contradiction;
    contradiction.add("rank1.json", rank_text(0));
    CHECK(says(contradiction.error(), "distributedInfo says rank 0, the path says 1"));
  }

  TEST_CASE("40.5 two files of one rank, and ranks of different runs, are refused") {
    Tree twice;
    twice.add("a/rank0.json", rank_text(0));
    twice.add("b/rank0.json", rank_text(0));
    CHECK(says(twice.error(), "both are of rank 0"));
    Tree sizes;
    sizes.add("rank0.json", rank_text(0, 2));
    sizes.add("rank1.json", rank_text(1, 4));
    CHECK(says(sizes.error(), "their world sizes differ (2 and 4)"));
    Tree groups;
    groups.add("rank0.json", rank_text(0, 3, "[0,1]"));
    groups.add("rank1.json", rank_text(1, 3, "[0,1,2]"));
    CHECK(says(groups.error(), "their process groups differ"));
    Tree disjoint;  // groups of one name that share no rank are two groups
    disjoint.add("rank0.json", rank_text(0, 4, "[0,2]"));
    disjoint.add("rank1.json", rank_text(1, 4, "[1,3]"));
    CHECK(disjoint.places() == "rank=0; rank=1; ");
  }
}
