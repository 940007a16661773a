// The simulator against the calculator on many more machines, and larger GEMMs, than the default suite takes time for.
#include <doctest/doctest.h>

#include "tests/support/many_cases.hpp"
#include "tests/system/compared.hpp"
#include "tests/system/random_case.hpp"

namespace kernbench {
namespace {

void is_as_calculated(int tiles) {
  const Case any = any_case(tiles);
  RC_LOG() << any << '\n';
  RC_ASSERT(difference_of(any.machine(), any.run) == "");
}

TEST_SUITE("ADR-0005") {
  TEST_CASE("5.1 any run on any machine is as calculated") {
    CHECK(check_many(20, [] { is_as_calculated(4); }));
    CHECK(check_many(2, [] { is_as_calculated(10); }));
  }
}

}  // namespace
}  // namespace kernbench
