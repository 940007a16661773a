// Keys of either kind of machine, read and changed in one way.
#include "sim/machine/topology_key.hpp"

#include <doctest/doctest.h>

#include "sim/base/capacity_error.hpp"
#include "tests/machine/example_gpu.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

MachineSpec example(const std::vector<std::string>& overrides = {}) {
  MachineSpec machine;
  machine.gpu = std::make_shared<const LoadedGpu>(gpu_of(kExampleGpu, overrides));
  return machine;
}

/// One PE, without links of any kind.
MachineSpec alone(const std::vector<std::string>& overrides = {}) {
  return load_machine(kernbench::source_dir() + "/topology/tpu_v4_core.yaml", overrides).spec;
}

std::string wrong_with(const std::string& key, const std::string& value, MachineSpec machine) {
  read_value(topology_key(key), value, machine);
  return error_of([&] { require_consistent(machine); });
}

}  // namespace

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.5 a machine that is changed is refused for what it leaves out, as one that is read") {
    for (const std::string key : {"package.dies.rows", "system.packages.columns"}) {
      CAPTURE(key);
      const std::string wrong = wrong_with(key, "2", alone());
      CHECK(wrong.find(": missing section; expected the keys ") != std::string::npos);
      const std::string read = error_of([&] { static_cast<void>(alone({key + "=2"})); });
      CHECK(read.find(wrong.substr(wrong.find(" as there are several"))) != std::string::npos);
      CHECK(wrong_with(key, "1", alone()).empty());
      CHECK(wrong_with(key, "2", milestone()).empty());
    }
    CHECK(wrong_with("package.dies.rows", "2", alone()) ==
          "package.die_to_die: missing section; expected the keys connections, bandwidth, port_latency, buffer, as "
          "there are several dies");
  }

  TEST_CASE("3.13 a machine has no key of what it is without") {
    for (const char* key : {"die.sram.capacity", "die.wire.sram_to_router", "package.die_to_die.bandwidth",
                            "pe.message_queue.slots", "system.io_processor_latency"}) {
      CAPTURE(key);
      CHECK_FALSE(has_key(alone(), topology_key(key)));
      CHECK(has_key(milestone(), topology_key(key)));
    }
    CHECK(has_key(alone(), topology_key("package.dies.rows")));
    CHECK(has_key(alone({"die.sram.capacity=1 MiB"}), topology_key("die.sram.bandwidth")));
    CHECK(left_out_with(alone(), topology_key("die.sram.capacity")) == "die.sram");
    CHECK(left_out_with(example(), topology_key("nvlink.bandwidth")) == "nvlink");
    CHECK(left_out_with(alone(), topology_key("sm.count")).empty());
  }
}

TEST_SUITE("ADR-0035") {
  TEST_CASE("35.13 a number of a GPU changes as --set changes it, and those that are the same follow") {
    for (const std::string setting : {"sm.count=20", "hbm.bandwidth=1.5 TB/s", "tensor.bf16.share=0.25",
                                      "l2.energy=2 pJ/B", "tensor.fp8.share=0.75", "power.period=2000 us"}) {
      CAPTURE(setting);
      MachineSpec machine = example();
      const std::size_t equals = setting.find('=');
      read_value(topology_key(setting.substr(0, equals)), setting.substr(equals + 1), machine);
      const MachineSpec set = example({setting});
      CHECK(machine_sha256(machine) == machine_sha256(set));
      CHECK(machine_sha256(machine) != machine_sha256(example()));
      for (const TopologyKey& key : number_keys(set)) {
        CAPTURE(key.path());
        CHECK(written_value(key, machine) == written_value(key, set));
        GpuSpec one = machine.gpu->spec;
        GpuSpec other = set.gpu->spec;
        CHECK(key.gpu()->ref(one) == key.gpu()->ref(other));
      }
    }
    MachineSpec machine = example();
    read_value(topology_key("tensor.bf16.share"), "0.25", machine);
    CHECK(machine.gpu->spec.tensor.fp8.share == doctest::Approx(0.25));
    CHECK(number_of(topology_key("tensor.fp8.share"), machine) == 250'000);
  }

  TEST_CASE("35.13 a value out of range is refused, and one that contradicts another") {
    MachineSpec machine = example();
    CHECK(error_of([&] { read_value(topology_key("sm.count"), "0", machine); }) == "expected 1 to 4096, got '0'");
    CHECK(error_of([&] { read_value(topology_key("sm.count"), "many", machine); }).find("expected a whole number") ==
          0);
    CHECK(machine.gpu->spec.sm.count == 10);
    require_consistent(machine);
    read_value(topology_key("sm.clustered"), "11", machine);
    CHECK_THROWS_WITH_AS(require_consistent(machine), "sm.clustered: expected at most sm.count, 10, got 11",
                         CapacityError);
  }

  TEST_CASE("35.13 no path is a key of both kinds, and a machine has those of its own") {
    for (const MachineKey& key : machine_keys()) CHECK(find_gpu_key(key.path) == nullptr);
    CHECK(has_key(example(), topology_key("sm.count")));
    CHECK_FALSE(has_key(example(), topology_key("nvlink.bandwidth")));
    CHECK_FALSE(has_key(example(), topology_key("die.hbm.bandwidth")));
    CHECK_FALSE(has_key(milestone(), topology_key("sm.count")));
    CHECK(number_of(topology_key("die.hbm.bandwidth"), milestone()) == 256'000'000'000);
    CHECK_FALSE(topology_key("pe.mac.dataflow").dimension().has_value());
    CHECK(nearest_key(MachineKind::kGpu, "hbm.bandwith") == "hbm.bandwidth");
    CHECK(is_any_section("hbm"));
    CHECK(names_in_any("hbm") == "bandwidth, capacity, energy");
  }
}
