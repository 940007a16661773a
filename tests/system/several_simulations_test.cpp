// Several simulations in one process, each on a SystemC kernel of its own.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "sim/engine/systemc_kernel.hpp"
#include "sim/machine/memory_model_names.hpp"
#include "sim/plan/collective/algorithm.hpp"
#include "sim/system/collective/run_collective.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench {
namespace {

using Simulation = std::function<std::string()>;

std::string gemm(const MachineSpec& machine, const std::string& variant) {
  Recorder recorder;
  RunSettings settings;
  settings.sink = &recorder;
  settings.verify = true;
  const RunResult result = run_gemm(machine, {64, 96, 40}, variant, settings);
  return to_text(result, recorder.records());
}

std::string ring(std::int64_t count) {
  CollectiveRequest request;
  request.count = count;
  request.grid = {{}, {}, {2, 4}};
  const CollectiveResult result = run_collective(one_die(), find_collective_algorithm("ring").generate(request), {});
  return std::to_string(result.time.value) + " " + std::to_string(result.wakeups) + " " +
         std::to_string(result.link_bytes);
}

/// Machines with each memory model, foreign ones behind TLM-2.0 among them, and what has other modules.
std::vector<Simulation> simulations() {
  std::vector<Simulation> all{[] { return ring(4096); }};
  for (const std::string& model : memory_model_names()) {
    for (const char* variant : {"ref_ref", "load_load"}) {
      all.emplace_back([=] { return gemm(milestone({"die.hbm.model=" + model}), variant); });
    }
  }
  all.emplace_back([] { return gemm(milestone({"pe.stream_depth=1", "simulation.packet_bytes=4096 B"}), "load_ref"); });
  all.emplace_back([] { return ring(512); });
  return all;
}

}  // namespace
}  // namespace kernbench

using namespace kernbench;

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.19 simulations in one process, one after the other, are each as in a process of its own") {
    const std::vector<Simulation> all = simulations();
    REQUIRE(all.size() >= 7);
    std::string alone;
    for (const Simulation& simulation : all) alone += forked(simulation) + "\n";
    const std::string in_turn = forked([&all] {
      std::string text;
      for (int round = 0; round < 3; ++round) {
        for (const Simulation& simulation : all) {
          text += simulation() + "\n";
          renew_systemc();
        }
      }
      return text;
    });
    CHECK(alone.size() > 10'000);
    CHECK_MESSAGE(in_turn == alone + alone + alone, "they differ");
  }

  TEST_CASE("1.19 a renewed kernel is at time zero, and knows no module of before") {
    const std::string text = forked([] {
      std::string found;
      for (int i = 0; i < 3; ++i) {
        {
          const sc_core::sc_signal<bool> object("one");
          sc_core::sc_start(5, sc_core::SC_NS);
          found += std::string(object.name()) + " " + sc_core::sc_time_stamp().to_string() + "; ";
        }
        renew_systemc();
        found += sc_core::sc_time_stamp().to_string() + " " +
                 std::to_string(sc_core::sc_get_top_level_objects().size()) + "; ";
      }
      return found;
    });
    CHECK(text == "one 5 ns; 0 s 0; one 5 ns; 0 s 0; one 5 ns; 0 s 0; ");
  }
}
