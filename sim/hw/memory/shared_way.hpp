// One PE's way to a memory of several controllers: a route to each, chosen by address (adr/0064).
#pragma once

#include <utility>
#include <vector>

#include "sim/hw/memory/memory_port.hpp"

namespace kernbench {

class SharedWay : public MemoryWay {
 public:
  /// `routes`: by controller.
  SharedWay(const Interleaving& interleaving, std::vector<MemoryRoute*> routes)
      : interleaving_(interleaving), routes_(std::move(routes)) {}

  [[nodiscard]] Interleaving interleaving() const override { return interleaving_; }
  MemoryRoute& route_to(std::int64_t burst) override {
    return *routes_[static_cast<std::size_t>(interleaving_.controller_of(burst))];
  }

 private:
  Interleaving interleaving_;
  std::vector<MemoryRoute*> routes_;
};

}  // namespace kernbench
