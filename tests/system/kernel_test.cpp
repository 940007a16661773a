// Kernels: what their calls cost, in which order the variants make them, and what a wrong kernel is told.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::kernel_test {
namespace {

constexpr Picoseconds kControl = from_ns(2);

GemmCall call_of(const GemmProblem& problem, const MachineSpec& machine = milestone()) {
  return {problem, place_gemm(problem, machine)};
}

std::vector<Picoseconds> starts(const std::vector<OpRecord>& records) {
  std::vector<Picoseconds> times;
  times.reserve(records.size());
  for (const OpRecord& op : records) times.push_back(op.start);
  return times;
}

/// Starts of the control calls of a variant, and the records they are compared with.
Observed variant(const std::string& name, const std::string& epilogues = "") {
  GemmProblem problem{32, 128, 32};
  problem.epilogues = parse_epilogues(epilogues);
  Observed run = simulate_gemm(milestone(), problem, name);
  for (const OpRecord& op : run.of("control")) CHECK(op.end - op.start == kControl);
  return run;
}

}  // namespace

TEST_SUITE("ADR-0012") {
  TEST_CASE("12.13 a second kernel of a name is refused, with both places") {
    const GemmKernel second{"load_ref", "shadows the first", {}, nullptr};
    const std::string said = [&second]() -> std::string {
      try {
        const RegisterGemmKernel registered(second);
      } catch (const std::logic_error& error) {
        return error.what();
      }
      return "";
    }();
    CHECK(said.find("the variant 'load_ref' is registered twice: at ") == 0);
    CHECK(said.find("gemm_load_ref.cpp:") != std::string::npos);
    CHECK(said.find("kernel_test.cpp:") != std::string::npos);
    CHECK((find_gemm_kernel("load_ref").run != nullptr));
  }
}

TEST_SUITE("ADR-0014") {
  TEST_CASE("14.1 each call occupies the control processor first; calls follow each other without a gap from time 0") {
    const GemmCall call = call_of({32, 64, 32});
    for (const Picoseconds control : {Picoseconds{0}, Picoseconds{1}, from_ns(7)}) {
      CAPTURE(control);
      MachineSpec machine = milestone();
      machine.pe.control = control;
      const Observed run = simulate(machine, [&](KernelPe pe) -> Process {
        const Operand a = co_await pe.ref(call.matrices.a);
        const Operand b = co_await pe.ref(call.matrices.b);
        static_cast<void>(co_await pe.load(call.matrices.a));
        static_cast<void>(co_await pe.composite(call, a, b));
        static_cast<void>(co_await pe.store(pe.tcm(call.matrices.c), call.matrices.c));
        co_await pe.wait(a);
      });
      const auto calls = run.of("control");
      REQUIRE(calls.size() == 6);
      for (std::size_t i = 0; i < calls.size(); ++i) {
        CHECK(calls[i].start == static_cast<std::int64_t>(i) * control);
        CHECK(calls[i].end == static_cast<std::int64_t>(i + 1) * control);
      }
      // Effects begin at the end of their call.
      CHECK(run.of("load").at(0).start == 3 * control);
      CHECK(run.of("schedule").at(0).start == 4 * control);
      CHECK(run.of("store_out").at(0).start == 5 * control);
    }
  }

  TEST_CASE(
      "14.2 engines run on behind load, composite and store; wait returns with the later of call and completion") {
    const MachineSpec machine = milestone();
    const GemmCall call = call_of({32, 64, 32});
    std::vector<std::int64_t> returned;
    const std::string text = forked([&] {
      Recorder recorder;
      RunSettings settings;
      settings.sink = &recorder;
      const auto kernel = [&](KernelPe pe) -> Process {
        const Operand a = co_await pe.load(call.matrices.a);
        returned.push_back((co_await pe.wait(a)).value);
        returned.push_back((co_await pe.wait(a)).value);  // it is complete: the call alone
        const Pending stored = co_await pe.store(a);
        returned.push_back((co_await pe.wait(stored)).value);
        const Operand b = co_await pe.ref(call.matrices.b);
        returned.push_back((co_await pe.wait(b)).value);  // nothing to wait for
      };
      (void)run_kernel(machine, kernel, settings);
      std::string lines;
      for (const std::int64_t time : returned) lines += std::to_string(time) + " ";
      for (const Logged& logged : recorder.records()) {
        if (logged.stage != "control") lines += logged.stage + " " + std::to_string(logged.op.end.value) + " ";
      }
      return lines;
    });
    const std::int64_t loaded = 2000 + 4000 + 2030 + 8000 + 32'000 + 16'000 + 2030;
    const std::int64_t stored = loaded + 2000 + 2000 + 4000 + 16'000 + 2030 + 2030;
    const auto t = [](std::int64_t time) { return std::to_string(time) + " "; };
    CHECK(text ==
          t(loaded) + t(loaded + 2000) + t(stored) + t(stored + 4000) + "load " + t(loaded) + "store_out " + t(stored));

    // A wait whose call ends one picosecond before, with, and after the completion.
    for (const std::int64_t late : {-1, 0, 1}) {
      CAPTURE(late);
      MachineSpec slow = machine;
      slow.pe.control = {loaded - 2000 + late};  // load takes this after its own call
      const Observed run = simulate(slow, [&](KernelPe pe) -> Process {
        co_await pe.wait(co_await pe.load(call.matrices.a));
        static_cast<void>(co_await pe.ref(call.matrices.b));
      });
      const auto calls = run.of("control");
      REQUIRE(calls.size() == 3);
      CHECK(calls[2].start == std::max(run.of("load").at(0).end, calls[1].end));
      CHECK((calls[2].start > calls[1].end) == (late < 0));
    }
  }

  TEST_CASE("14.2 a loaded matrix is stored whole, from the TCM to where it came from") {
    const GemmCall call = call_of({40, 100, 32});  // ragged: four tiles in slots that they do not fill
    const Observed run = simulate(milestone(), [&](KernelPe pe) -> Process {
      const Operand a = co_await pe.load(call.matrices.a);
      co_await pe.wait(a);
      co_await pe.wait(co_await pe.store(a));
    });
    REQUIRE(run.of("store_out").size() == 1);
    CHECK(run.of("store_out")[0].bytes == 40 * 100 * 2);
    CHECK(run.result.hbm_read == run.result.hbm_written);
    CHECK(run.result.engine.bursts % 2 == 0);  // as many written as read
    CHECK(run.result.pe.end == run.of("store_out")[0].end);
  }

  TEST_CASE("14.3 ref_ref: ref A, ref B, composite, wait composite") {
    const Observed run = variant("ref_ref");
    CHECK(starts(run.of("control")) == std::vector<Picoseconds>{{}, kControl, 2 * kControl, 3 * kControl});
    CHECK(run.of("load").empty());
    CHECK(run.of("schedule").at(0).start == 3 * kControl);
    CHECK(run.result.pe.end == run.of("dma_out").back().end);
  }

  TEST_CASE("14.3 load_ref: load A, ref B, wait A, composite, wait composite") {
    const Observed run = variant("load_ref");
    const Picoseconds loaded = run.of("load").at(0).end;
    CHECK(starts(run.of("control")) == std::vector<Picoseconds>{{}, kControl, 2 * kControl, loaded, loaded + kControl});
    CHECK(run.of("load").at(0).start == kControl);
    CHECK(run.of("schedule").at(0).start == loaded + kControl);
  }

  TEST_CASE("14.3 load_load: load A, load B, wait A, wait B, composite, wait composite") {
    const Observed run = variant("load_load");
    const auto loads = run.of("load");
    REQUIRE(loads.size() == 2);
    CHECK(starts(run.of("control")) ==
          std::vector<Picoseconds>{{},
                                   kControl,
                                   2 * kControl,
                                   loads[0].end,
                                   std::max(loads[0].end + kControl, loads[1].end),
                                   std::max(loads[0].end + kControl, loads[1].end) + kControl});
    CHECK(run.of("dma_in").empty());
  }

  TEST_CASE("14.3 a bias is loaded and waited for first, for each variant") {
    for (const std::string name : {"ref_ref", "load_ref", "load_load"}) {
      CAPTURE(name);
      const Observed run = variant(name, "bias");
      const OpRecord bias = run.of("load").at(0);
      CHECK(bias.bytes == 64);
      const auto calls = run.of("control");
      CHECK(calls.at(0).start == Picoseconds{});
      CHECK(calls.at(1).start == kControl);
      CHECK(calls.at(2).start == bias.end);  // load, wait, then the variant's own calls
      CHECK(calls.size() == variant(name).of("control").size() + 2);
    }
  }

  TEST_CASE("14.4 kernels are known by name; an unknown name is an error that names the nearest") {
    std::vector<std::string> names;
    for (const GemmKernel& kernel : gemm_kernels()) {
      names.push_back(kernel.name);
      CHECK_FALSE(kernel.summary.empty());
      CHECK(&find_gemm_kernel(kernel.name) == &kernel);
    }
    CHECK(names == std::vector<std::string>{"load_load", "load_ref", "ref_ref"});
    CHECK(find_gemm_kernel("load_ref").residency.a);
    CHECK_FALSE(find_gemm_kernel("load_ref").residency.b);
    CHECK_THROWS_WITH_AS((void)find_gemm_kernel("load_rfe"),
                         "unknown variant 'load_rfe': did you mean 'load_ref'? There are: load_load, load_ref, ref_ref",
                         ConfigError);
    CHECK_THROWS_WITH_AS((void)find_gemm_kernel("stationary"),
                         "unknown variant 'stationary'. There are: load_load, load_ref, ref_ref", ConfigError);
  }

  TEST_CASE("14.5 a kernel that waits for what never completes ends in an error that says what waits for what") {
    const GemmCall call = call_of({32, 64, 32});
    // A packet of 16 bursts where there are 8 credits: no machine file can say so.
    MachineSpec starved = milestone();
    starved.simulation.packet = 4096;
    starved.pe.dma.outstanding_bursts = 8;
    const std::string no_credits = failure_of([&] { (void)simulate_gemm(starved, {32, 64, 32}, "load_ref"); });
    CHECK(no_credits.find("deadlock: nothing is left to happen and the kernel has not ended:\n"
                          "  the kernel, rank 0 (pe0) waits since 6 ns in wait for transfer of a matrix: not complete\n"
                          "units whose work is not done:\n") == 0);
    CHECK(no_credits.find("pe0.dma_in.credits: 8 missing") != std::string::npos);
    CHECK(no_credits.find("pe0.dma_in: transfer of a matrix: not complete") != std::string::npos);

    // A plan that promises an output more than it has tiles for.
    const std::string lost = failure_of([&] {
      (void)simulate(milestone(), [&](KernelPe pe) -> Process {
        TilePlan plan = make_gemm_plan(call.problem, call.matrices, milestone().pe);
        plan.outputs += 1;
        co_await pe.wait(co_await pe.composite(plan));
      });
    });
    CHECK(lost.find("deadlock") == 0);
    CHECK(lost.find("pe0: composite 0 (gemm): not complete") != std::string::npos);
    CHECK(failure_of([&] {
            (void)observe([&](RunSettings settings) {
              settings.limit = from_ns(100);
              return run_gemm(milestone(), {32, 64, 32}, "ref_ref", settings);
            });
          }).find("100") != std::string::npos);
  }
}

}  // namespace kernbench::kernel_test
