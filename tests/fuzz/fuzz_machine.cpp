// Any text is a machine or a ConfigError, and a machine written out is the same machine.
#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/machine/schema.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const kernbench::LoadedMachine machine = kernbench::parse_machine(text, "m.yaml");
    kernbench::MachineSpec again;
    for (const auto& key : kernbench::machine_keys()) {
      kernbench::read_value(key, kernbench::written_value(key, machine.spec), again);
    }
    require(kernbench::canonical_form(again) == kernbench::canonical_form(machine.spec));
  } catch (const kernbench::ConfigError& error) {
    require(std::string(error.what()).size() < 200'000);
  }
  return 0;
}
