// Any text is a JSON value or a ConfigError; a document of results, or a device's card, or a ConfigError. What was
// taken is written back so that it is read as the same.
#include <cstddef>
#include <cstdint>
#include <string>

#include "benches/io/text/json.hpp"
#include "benches/measured/reference/checks.hpp"
#include "benches/measured/reference/device.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "tests/fuzz/require.hpp"

namespace {

template <typename Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const kernbench::ConfigError& error) {
    require(std::string(error.what()).size() < 2'000);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  read_or_refuse([&] {
    const std::string written = kernbench::parse_json(text, "f.json").dump();
    require(kernbench::parse_json(written, "f.json").dump() == written);
  });
  read_or_refuse([&] {
    const kernbench::Device device = kernbench::parse_device(text, "f.json");
    const std::string written = kernbench::format_device(device);
    require(kernbench::format_device(kernbench::parse_device(written, "f.json")) == written);
  });
  read_or_refuse([&] {
    const kernbench::Results results = kernbench::parse_results(text, "f.json");
    const std::string written = kernbench::format_results(results);
    require(kernbench::format_results(kernbench::parse_results(written, "f.json")) == written);
    (void)kernbench::check_reference(results, nullptr, "f.json");
  });
  return 0;
}
