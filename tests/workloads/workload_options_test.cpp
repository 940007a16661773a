// Axes of a workload have options that nobody else has (adr/0063-workloads.md).
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "benches/workloads/workload.hpp"

namespace kernbench {
namespace {

struct OptionsAsked {
  std::int64_t first = 1;
  std::int64_t second = 1;
};

/// What registering says of two axes with these options.
std::string refusal(const std::string& first, const std::string& second) {
  Axes<OptionsAsked> axes;
  axes.count({"first", first, "One"}, &OptionsAsked::first, 1, 9);
  axes.count({"second", second, "Another"}, &OptionsAsked::second, 1, 9);
  try {
    register_workload({.name = "options-test", .axes = axes.all()}, Bench{});
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace
}  // namespace kernbench

TEST_SUITE("ADR-0063") {
  TEST_CASE("63.1 an axis whose option is taken is named when the workload registers") {
    using kernbench::refusal;
    const std::string rest = " is one of every workload, or of another axis";
    CHECK(refusal("--memory", "--second") == "workload options-test: axis first needs another option: --memory" + rest);
    CHECK(refusal("--first", "--second,--first") ==
          "workload options-test: axis second needs another option: --first" + rest);
  }
}
