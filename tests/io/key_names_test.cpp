// Keys of a machine file in a sentence.
#include "benches/io/text/key_names.hpp"

#include <doctest/doctest.h>

using kernbench::names_by_section;

TEST_SUITE("ADR-0056") {
  TEST_CASE("56.7 keys that are named, a section all of whose keys are in one word") {
    CHECK(names_by_section({{"nccl.ll.start", true}, {"nccl.ll.bandwidth", true}, {"nccl.channels", false}}) ==
          "nccl.ll.*");
    CHECK(names_by_section({{"nccl.ll.start", true}, {"nccl.ll.bandwidth", true}, {"nccl.channels", true}}) ==
          "nccl.*");
    CHECK(names_by_section({{"sm.count", true}, {"sm.clock", false}, {"hbm.bandwidth", true}}) ==
          "sm.count, hbm.bandwidth");
    CHECK(names_by_section({{"sm.count", false}}).empty());
  }
}
