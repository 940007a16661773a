// What counts, as what, of which operator and step.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "benches/traces/events/classify.hpp"
#include "benches/traces/events/trace_steps.hpp"
#include "benches/traces/tables/selection.hpp"
#include "benches/traces/tables/timeline.hpp"
#include "tests/support/error_of.hpp"
#include "tests/trace_analysis/small_trace.hpp"

using kernbench::traces::GpuActivity;
using kernbench::traces::RankTrace;
using kernbench::traces::TraceReadOptions;

namespace {

bool warns(const RankTrace& trace, const std::string& part) {
  return std::ranges::any_of(trace.warnings,
                             [&part](const std::string& warning) { return warning.find(part) != std::string::npos; });
}

/// Of the first GPU event: the operator it hangs on; "" none.
std::string op_of_first(const RankTrace& trace) {
  const auto id = trace.gpu_events.at(0).gemm_op;
  if (id == kernbench::traces::kNoId) return "";
  return trace.gemm_shapes[trace.gemm_ops[id].shape].op;
}

GpuActivity activity_of(const std::string& cat, const std::string& name, const std::string& args = "",
                        const TraceReadOptions& options = {}) {
  return read_events({event_text(cat, name, "1", "1", args)}, options).gpu_events.at(0).activity;
}

std::string mm(const std::string& ts, const std::string& dur, const std::string& track = R"("pid":1,"tid":1)",
               const std::string& args = "", const std::string& name = "aten::mm") {
  return event_text("cpu_op", name, ts, dur, args, track);
}

std::string launch(int correlation, const std::string& ts, const std::string& cat = "cuda_runtime",
                   const std::string& track = R"("pid":1,"tid":1)") {
  return event_text(cat, "launch", ts, "1", "\"correlation\":" + std::to_string(correlation), track);
}

std::string kernel(const std::string& correlation, const std::string& ts, const std::string& more = "",
                   const std::string& cat = "kernel") {
  return event_text(cat, "k", ts, "2", "\"correlation\":" + correlation + more, R"("pid":0,"tid":7)");
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.6 an event is linked by a runtime or driver event with its correlation id, beyond 63 bits too") {
    const RankTrace trace =
        read_events({launch(1, "1"), launch(2, "2", "cuda_driver"), kernel("1", "10"), kernel("2", "20"),
                     kernel("3", "30", "", "gpu_memset"),
                     event_text("cuda_runtime", "l", "3", "1", R"("correlation":18446744073709551615)"),
                     kernel("18446744073709551615", "40", "", "gpu_memcpy"), kernel("0", "50"), kernel("-1", "60")});
    REQUIRE(trace.gpu_events.size() == 6);
    const auto linked = [&trace](std::size_t i) { return trace.gpu_events[i].is_linked; };
    CHECK(linked(0));
    CHECK(linked(1));
    CHECK_FALSE(linked(2));
    CHECK(linked(3));
    CHECK_FALSE(linked(4));
    CHECK_FALSE(linked(5));
    CHECK(trace.launches.size() == 3);
    const auto timeline = kernbench::traces::timeline_of(trace, {});
    CHECK(timeline.gpu_events == 3);
    CHECK(timeline.left_out_events == 3);
    CHECK(timeline.left_out == 6'000'000);
    kernbench::traces::TraceSelection all;
    all.unlinked = true;
    CHECK(timeline_of(trace, all).gpu_events == 6);
    CHECK(timeline_of(trace, all).left_out_events == 0);
    CHECK(warns(trace, "3 GPU events of 6.000 µs have no launch"));
  }

  TEST_CASE("40.6 kernels of a graph hang on its one launch; a file without runtime events counts whole, and says so") {
    const RankTrace graph = read_events({launch(5, "1"), kernel("5", "10"), kernel("5", "20")});
    CHECK(timeline_of(graph, {}).gpu_events == 2);
    CHECK(graph.gpu_events[1].launch == graph.gpu_events[0].launch);
    const RankTrace alone = read_events({kernel("5", "10"), kernel("6", "20")});
    CHECK(timeline_of(alone, {}).gpu_events == 2);
    CHECK(warns(alone, "no runtime events"));
  }

  TEST_CASE("40.6 categories of old files") {
    const RankTrace trace =
        read_events({event_text("Runtime", "l", "1", "1", "\"correlation\":1"), kernel("1", "2", "", "Kernel"),
                     kernel("1", "5", "", "Memcpy"), kernel("1", "8", "", "Memset")});
    CHECK(trace.gpu_events.size() == 3);
    CHECK(trace.gpu_events[2].is_linked);
  }

  TEST_CASE("40.6 the calls of any device's runtime or driver are launches") {
    for (const char* cat : {"xpu_runtime", "xpu_driver", "privateuse1_runtime", "mtia_runtime"}) {
      CAPTURE(cat);
      const RankTrace trace = read_events({mm("0", "20"), launch(1, "2", cat), kernel("1", "100")});
      CHECK(trace.gpu_events.at(0).is_linked);
      CHECK(op_of_first(trace) == "aten::mm");
      CHECK_FALSE(warns(trace, "no runtime events"));
    }
    CHECK_FALSE(read_events({launch(1, "2", "runtime_of_others"), kernel("1", "100")}).has_runtime_events);
  }

  TEST_CASE("40.7 communication, copies and computation") {
    for (const char* name : {"ncclDevKernel_AllReduce", "RCCL_x", "void cross_device_reduce_1stage<__half>",
                             "quickreduce", "deep_ep::dispatch", "nvshmem_put", "ROCSHMEM"}) {
      CAPTURE(name);
      CHECK(activity_of("kernel", name) == GpuActivity::kCommunication);
    }
    CHECK(activity_of("kernel", "k", R"("Collective name":"allreduce")") == GpuActivity::kCommunication);
    CHECK(activity_of("kernel", "<script>alert(1)</script>") == GpuActivity::kComputation);
    CHECK(activity_of("gpu_memset", "Memset (Device)") == GpuActivity::kComputation);
    CHECK(activity_of("gpu_memcpy", "Memcpy DtoD") == GpuActivity::kCopy);
    CHECK(activity_of("kernel", "__amd_rocclr_copyBuffer.kd") == GpuActivity::kCopy);
    CHECK(activity_of("kernel", "__amd_rocclr_fillBufferAligned") == GpuActivity::kComputation);
    TraceReadOptions options;
    options.communication = std::regex("^my_|PtoP");
    CHECK(activity_of("kernel", "my_reduce", "", options) == GpuActivity::kCommunication);
    CHECK(activity_of("gpu_memcpy", "Memcpy PtoP", "", options) == GpuActivity::kCommunication);
    CHECK(activity_of("kernel", "not_my_reduce", "", options) == GpuActivity::kComputation);
  }

  TEST_CASE("40.8 the innermost operator around the launch, on its thread") {
    const std::string other = R"("pid":"1","tid":1)";  // a text is another id than the number
    CHECK(op_of_first(read_events({mm("0", "10", R"("pid":1,"tid":1)", "", "aten::addmm"), mm("1", "5"), launch(1, "2"),
                                   kernel("1", "20")})) == "aten::mm");
    CHECK(op_of_first(read_events({mm("0", "10", R"("pid":1,"tid":1)", "", "aten::addmm"), mm("1", "5"), launch(1, "7"),
                                   kernel("1", "20")})) == "aten::addmm");
    CHECK(op_of_first(read_events({mm("0", "10"), launch(1, "10"), kernel("1", "20")})) == "aten::mm");
    CHECK(op_of_first(read_events({mm("0", "10"), launch(1, "10.000001"), kernel("1", "20")})) == "");
    CHECK(op_of_first(read_events({mm("0", "10", other), launch(1, "2"), kernel("1", "20")})) == "");
    CHECK(op_of_first(read_events({mm("0", "10", other), launch(1, "2", "cuda_driver", other), kernel("1", "20")})) ==
          "aten::mm");
  }

  TEST_CASE("40.8 without a launch the External id says the operator, with one it does not") {
    const std::string id = R"("External id":77)";
    const std::string track = R"("pid":1,"tid":1)";
    CHECK(op_of_first(read_events({mm("0", "10", track, id), kernel("1", "20", "," + id)})) == "aten::mm");
    CHECK(op_of_first(read_events({mm("0", "10", track, id), launch(1, "15"), kernel("1", "20", "," + id)})) == "");
    CHECK(op_of_first(read_events({mm("0", "10", track, id), kernel("1", "20", R"(,"External id":78)")})) == "");
  }

  TEST_CASE("40.9 steps are annotations of the CPU by launch, else of the GPU by the event itself") {
    const auto mark = [](const std::string& cat, const std::string& name, const std::string& ts,
                         const std::string& dur) { return event_text(cat, name, ts, dur, "", R"("pid":9,"tid":9)"); };
    const std::vector<std::string> events{launch(1, "1"),    launch(2, "11"),   launch(3, "25"),
                                          kernel("1", "12"), kernel("2", "14"), kernel("3", "30")};
    const auto with = [&events](std::vector<std::string> marks) {
      marks.insert(marks.end(), events.begin(), events.end());
      return marks;
    };
    const auto steps_of = [](const RankTrace& trace) {
      std::string text;
      for (const auto& event : trace.gpu_events) {
        const auto step = step_of(trace, event);
        text += step ? std::to_string(trace.steps[*step].number) + " " : "- ";
      }
      return text;
    };
    const RankTrace cpu = read_events(with({mark("user_annotation", "ProfilerStep#7", "0", "10"),
                                            mark("user_annotation", "ProfilerStep#8", "10", "10"),
                                            mark("gpu_user_annotation", "ProfilerStep#7", "30", "1")}));
    CHECK(steps_of(cpu) == "7 8 - ");
    CHECK(warns(cpu, "1 GPU event of 2.000 µs outside of all 2 steps"));
    const RankTrace gpu = read_events(with({mark("gpu_user_annotation", "ProfilerStep#8", "12", "1"),
                                            mark("gpu_user_annotation", "ProfilerStep#8", "14", "1"),
                                            mark("gpu_user_annotation", "ProfilerStep#9", "30", "1")}));
    CHECK(steps_of(gpu) == "8 8 9 ");
    TraceReadOptions options;
    options.step_mark = std::regex("^iter(?:ation)? (\\d+)");
    CHECK(
        steps_of(read_events(with({mark("user_annotation", "iter 3", "0", "30"), mark("user_annotation", "x", "0", "1"),
                                   mark("user_annotation", "ProfilerStep#1", "0", "30")}),
                             options)) == "3 3 3 ");
    options.step_mark = std::regex("^iter");
    CHECK(steps_of(read_events(
              with({mark("user_annotation", "iter", "10", "30"), mark("user_annotation", "iter", "0", "9")}),
              options)) == "0 1 1 ");
    kernbench::traces::TraceSelection selection;
    selection.steps = kernbench::traces::parse_steps("8..9");
    CHECK(timeline_of(cpu, selection).gpu_events == 1);
    selection.steps = kernbench::traces::parse_steps("3");
    const std::vector<kernbench::traces::PlacedTrace> placed{{{}, 0, cpu}};
    CHECK(::error_of([&] { require_steps(placed, selection); }).find("has none of the steps 3..3: it has 7..8") !=
          std::string::npos);
    for (const char* text : {"", "a", "1..", "..2", "3..2", "1...2", "-1", "99999999999999999999"}) {
      CAPTURE(text);
      CHECK(::error_of([&] { static_cast<void>(kernbench::traces::parse_steps(text)); }).find("--steps") !=
            std::string::npos);
    }
  }

  TEST_CASE("40.12 what makes a table doubtful is said") {
    const std::string ranks = R"("distributedInfo":{"rank":0,"world_size":8})";
    const std::vector<std::string> events{launch(1, "1"),    launch(2, "2"),
                                          kernel("1", "10"), kernel("2", "11"),
                                          mm("1", "1"),      R"({"ph":"X","cat":"kernel","name":"k","dur":1})"};
    const RankTrace trace = SmallTrace(trace_text(events, ranks)).read();
    CHECK(warns(trace, "NO COMMUNICATION among 8 ranks"));
    CHECK(warns(trace, "1 GPU event overlap others of their stream by 1.000 µs"));
    CHECK(warns(trace, "no shapes of 1 of 1 GEMM call"));
    CHECK(warns(trace, "1 event without ts"));
    CHECK(read_events({launch(1, "1"), kernel("1", "10")}).warnings.empty());
  }

  TEST_CASE("40.12 GEMMs that no operator launched, and kernels of graphs, are counted and said") {
    const auto named = [](const std::string& name, int correlation, const std::string& ts) {
      return event_text("kernel", name, ts, "2", "\"correlation\":" + std::to_string(correlation));
    };
    const RankTrace alone = read_events({launch(1, "1"), launch(2, "2"), named("nvjet_a", 1, "10"),
                                         named("nvjet_a", 2, "20"), launch(3, "3"), named("relu", 3, "30")});
    CHECK(warns(alone, "2 kernels of 4.000 µs named like a GEMM without an operator"));
    CHECK_FALSE(warns(alone, "launched by graphs"));
    for (const char* call : {"cudaGraphLaunch", "cuGraphLaunch", "hipGraphLaunch"}) {
      CAPTURE(call);
      const RankTrace graph = read_events({event_text("cuda_runtime", call, "1", "1", "\"correlation\":1"),
                                           named("nvjet_a", 1, "10"), named("relu", 1, "20"), named("relu", 1, "30"),
                                           mm("50", "5"), launch(2, "51"), named("nvjet_b", 2, "60")});
      CHECK(warns(graph, "3 of 4 kernels that compute (75.0 % of their time) launched by graphs"));
      CHECK(warns(graph, "1 kernel of 2.000 µs named like a GEMM"));
    }
  }
}
