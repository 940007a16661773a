// The rules of adr/0017 followed picosecond by picosecond: slow, and by other means than the network itself.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/hw/network_fixture.hpp"

namespace kernbench::testing {

/// Flights by arrival; -1 where the packet has not arrived by `end` ps.
std::vector<Flight> run_network_reference(const HandMadeNetwork& made, const std::vector<Injection>& injections,
                                          std::int64_t end);

}  // namespace kernbench::testing
