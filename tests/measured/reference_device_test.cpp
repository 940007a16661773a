// Device cards: read as written, refused with their place.
#include <doctest/doctest.h>

#include <string>

#include "benches/measured/reference/device.hpp"
#include "sim/base/errors.hpp"
#include "tests/measured/reference_sample.hpp"

using kernbench::ConfigError;
using kernbench::Device;
using kernbench::device_slug;
using kernbench::format_device;
using kernbench::parse_device;

namespace {

constexpr const char* kCard = R"({
  "schema": "kernbench.device/1",
  "name": "ACME G-100",
  "slug": "acme-g-100",
  "facts": {
    "sms": 100,
    "l2_bytes": 1000000,
    "compute_capability": "9.0"
  },
  "peaks": {
    "tflops": {
      "bf16": 100.0,
      "fp32": 10.0
    },
    "memory_gbs": 1000.0,
    "link_gbs": 100.0,
    "power_w": 500.0
  },
  "basis": "datasheet",
  "source": "the ACME G-100 data sheet"
}
)";

/// What is said of the card with one piece replaced.
std::string message(const std::string& what, const std::string& by) {
  std::string text = kCard;
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  try {
    (void)parse_device(text.replace(at, what.size(), by), "device.json");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_SUITE("ADR-0022") {
  TEST_CASE("22.1 a slug is the name in lower case, each run of other characters one dash") {
    CHECK(device_slug("NVIDIA H200") == "nvidia-h200");
    CHECK(device_slug("NVIDIA A100-SXM4-80GB") == "nvidia-a100-sxm4-80gb");
    CHECK(device_slug(" (GB200) / NVL\xC3\xA4 72 ") == "gb200-nvl-72");
    CHECK(device_slug("--").empty());
  }

  TEST_CASE("22.2 a card is read as it was written, and written again as the same bytes") {
    CHECK(format_device(kernbench::reference_sample::device()) == kCard);
    CHECK(format_device(parse_device(kCard, "device.json")) == kCard);
  }

  TEST_CASE("22.2 links and power limit may be absent or null, facts too") {
    CHECK(message("\"link_gbs\": 100.0,\n", "\"link_gbs\": null,\n") == "no error");
    std::string text = kCard;
    const std::string links = ",\n    \"link_gbs\": 100.0,\n    \"power_w\": 500.0";
    const Device device = parse_device(text.replace(text.find(links), links.size(), ""), "device.json");
    CHECK_FALSE(device.link_gbs);
    CHECK_FALSE(device.power_w);
    CHECK(message(
              "\"facts\": {\n    \"sms\": 100,\n    \"l2_bytes\": 1000000,\n    \"compute_capability\": \"9.0\"\n  },",
              "") == "no error");
  }

  TEST_CASE("22.2 what is malformed is refused with file, path, what was expected and what stands there") {
    CHECK(message("device/1", "device/2") ==
          "device.json: schema: expected \"kernbench.device/1\", got \"kernbench.device/2\"");
    CHECK(message("\"ACME G-100\"", "\"\"") == "device.json: name: expected a text that is not empty, got \"\"");
    CHECK(message("acme-g-100", "g100") ==
          "device.json: slug: expected \"acme-g-100\", which the name gives, got \"g100\"");
    CHECK(message("\"sms\": 100", "\"sms\": [100]") ==
          "device.json: facts.sms: expected a number or a string, got [100]");
    CHECK(message("100.0,\n      \"fp32\"", "0,\n      \"fp32\"") ==
          "device.json: peaks.tflops.bf16: expected a number above 0, got 0");
    CHECK(message("\"bf16\": 100.0,\n      \"fp32\": 10.0", "") ==
          "device.json: peaks.tflops: expected the peak of one dtype at least, got {}");
    CHECK(message("\"memory_gbs\": 1000.0,", "") == "device.json: peaks.memory_gbs: is missing");
    CHECK(message("\"power_w\": 500.0", "\"power_w\": \"500 W\"") ==
          "device.json: peaks.power_w: expected a number, got \"500 W\"");
    CHECK(message("\"datasheet\"", "\"guess\"") ==
          "device.json: basis: expected \"datasheet\" or \"computed\", got \"guess\"");
    CHECK(message("\"the ACME G-100 data sheet\"", "\"\"") ==
          "device.json: source: expected a text that is not empty, got \"\"");
    CHECK(message("\"schema\"", "schema").find("device.json:2:3: not valid JSON: ") == 0);
    CHECK(message("1000000", "1e999").find(": not valid JSON: number overflow parsing '1e999'") != std::string::npos);
  }
}
