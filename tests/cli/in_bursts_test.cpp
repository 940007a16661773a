// What `sim gemm` says of packets that are longer than bursts.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace {

/// The line of a fact, from its name on; "" where there is none.
std::string fact_of(const std::string& text, const std::string& name) {
  const std::size_t found = text.find("\n" + name);
  return found == std::string::npos ? "" : text.substr(found + 1, text.find('\n', found + 1) - found - 1);
}

}  // namespace

TEST_CASE("sim gemm says what packets above a burst cost the truth on one PE, and in bursts nothing") {
  const auto printed = [](const std::string& packet, const std::vector<std::string>& how) {
    const Workplace place;
    std::vector<std::string> arguments{"sim", "gemm", "--m", "512", "--k", "512", "--n", "512", "--wide"};
    arguments.insert(arguments.end(), how.begin(), how.end());
    arguments.insert(arguments.end(), {"--set", "simulation.packet_bytes=" + packet});
    const Ended ended = place.run(kProgram, arguments);
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    return ended.out;
  };
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"--variant", "load_ref"}, {}, {"--map", "block=128x512x128 order=mnk buffers=2"}}) {
    CHECK(fact_of(printed("256 B", how), "packets ").empty());
    const std::string cost = fact_of(printed("4 KiB", how), "packets ");
    CHECK_MESSAGE(has(cost, "of 4 KiB, coarser than bursts: in packets of 256 B it takes "), cost);
  }
  // 37,377.2 ns in bursts: the bench's own row of 512x512x512.
  CHECK(has(fact_of(printed("4 KiB", {"--variant", "load_ref"}), "packets "), " it takes 37,377.2 ns, so this is "));
}
