// The stages that components declare: each has a place of its own among those of a result.
#include <doctest/doctest.h>

#include <array>
#include <string>

#include "sim/hw/message/message_queue.hpp"
#include "sim/hw/pe/pe.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0008") {
  TEST_CASE("8.1 stages follow each other in the order of the table, then those of message queues") {
    constexpr std::array kTable{kControlStage,  kLoadStage, kScheduleStage, kDmaInStage, kFetchStage,
                                kConvertStage,  kMacStage,  kVectorStage,   kStoreStage, kDmaOutStage,
                                kStoreOutStage, kSendStage, kReceiveStage};
    for (std::size_t i = 1; i < kTable.size(); ++i) {
      CAPTURE(std::string(kTable.at(i).name));
      CHECK(kTable.at(i - 1).order < kTable.at(i).order);
    }
  }
}
