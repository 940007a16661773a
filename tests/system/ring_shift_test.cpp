// The worked example of docs/kernels.md runs as it is printed there.
#include "tests/system/ring_shift.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "sim/base/source_dir.hpp"
#include "tests/system/kernel_run.hpp"

using namespace kernbench;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(kernbench::source_dir() + "/" + path);
  REQUIRE(in);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.9 rows go around a ring of PEs, whatever their length, and each arrives at its rank") {
    for (const std::int32_t ranks : {2, 3, 8}) {
      for (const std::int64_t columns : {1, 1000, 20'000}) {  // a piece, a piece, and more than the slots hold
        CAPTURE(ranks);
        CAPTURE(columns);
        for (const std::int32_t steps : {1, ranks}) {
          CHECK(notes_of(ranks, [=](KernelPe pe, Notes*) { return ring_shift(pe, columns, steps); }) == "");
        }
      }
    }
    // It is the values that are looked at: one rank off is found.
    CHECK(notes_of(3, [](KernelPe pe, Notes*) -> Process {
            const MatrixLayout row = pe.tcm(1, 4);
            pe.fill(row, [&](std::int64_t, std::int64_t) { return static_cast<float>(pe.rank()); });
            const Pending sent = co_await pe.send(row, (pe.rank() + 1) % 3);
            co_await pe.wait(sent);
            co_await pe.recv(row, (pe.rank() + 2) % 3);
            pe.expect(row, [&](std::int64_t, std::int64_t) { return static_cast<float>((pe.rank() + 1) % 3); });
          }).find("verification failed: 4 of 4 elements are wrong; first: element [0][0] is ") != std::string::npos);
  }

  TEST_CASE("28.9 the manual shows the ring shift as it is tested") {
    const std::string source = text_of("tests/system/ring_shift.hpp");
    const std::size_t begin = source.find("// ----\n") + 8;
    const std::size_t end = source.find("// ----\n", begin);
    REQUIRE(end != std::string::npos);
    std::string example = source.substr(begin, end - begin);
    const std::string internal = "inline Process";
    REQUIRE(example.find(internal) != std::string::npos);
    example.replace(example.find(internal), internal.size(), "Process");
    CHECK(text_of("docs/kernels.md").find("```cpp\n" + example + "```\n") != std::string::npos);
  }
}
