// The text of a GPU's file with other numbers (adr/0056): all else stays as it is.
#include "sim/machine/gpu/gpu_text.hpp"

#include <doctest/doctest.h>

#include "sim/base/errors.hpp"

using namespace kernbench;

namespace {

constexpr const char* kText = R"(# A GPU.
# Calibrated: long ago
schema: kernbench.gpu/1
base: other.yaml  # the big one

sm:
  store: {is: 1, from: fit, note: "of } rows"}  # kept
tensor:
  bf16:
    share: {is: 0.5, from: fit, note: it's old}
)";

}  // namespace

TEST_SUITE("ADR-0056") {
  TEST_CASE("56.6 a number takes the place of the old one; what is not there is added to its section") {
    std::string text = with_gpu_number(kText, "sm.store", "{is: 2}");
    CHECK(text.find("  store: {is: 2}  # kept\n") != std::string::npos);
    text = with_gpu_number(text, "tensor.bf16.share", "{is: 0.6}");
    CHECK(text.find("    share: {is: 0.6}\n") != std::string::npos);
    text = with_gpu_number(text, "tensor.fp8.share", "{is: 0.7}");
    text = with_gpu_number(text, "sm.receive", "{is: 3}");
    text = with_gpu_number(text, "hbm.bandwidth", "{is: 4}");
    CHECK(text == R"(# A GPU.
# Calibrated: long ago
schema: kernbench.gpu/1
base: other.yaml  # the big one

sm:
  receive: {is: 3}
  store: {is: 2}  # kept
tensor:
  fp8:
    share: {is: 0.7}
  bf16:
    share: {is: 0.6}
hbm:
  bandwidth: {is: 4}
)");
    CHECK_THROWS_AS(static_cast<void>(with_gpu_number("sm:\n  store: 3\n", "sm.store", "{}")), ConfigError);
  }

  TEST_CASE("56.6 heading and head") {
    std::string text = with_head_key(with_heading_line(kText, "Calibrated: today"), "base", "../x.yaml");
    CHECK(text.find("long ago") == std::string::npos);
    CHECK(text.starts_with("# A GPU.\n# Calibrated: today\nschema:"));
    CHECK(text.find("\nbase: ../x.yaml\n\n") != std::string::npos);
    text = with_head_key(text, "fitted_to", "a.csv");
    CHECK(text.find("\nbase: ../x.yaml\nfitted_to: a.csv\n\n") != std::string::npos);
    CHECK(with_head_key(text, "fitted_to", "a.csv") == text);
  }
}
