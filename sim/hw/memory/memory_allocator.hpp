// Who has which bytes of a memory: first fit, and one message when something does not fit (adr/0028).
#pragma once

#include <map>
#include <string>

#include "sim/base/units.hpp"
#include "sim/plan/block.hpp"

namespace kernbench {

class MemoryAllocator {
 public:
  /// `name` and `key` are what the message calls the memory and its capacity: "the TCM of pe0", "pe.tcm.capacity".
  MemoryAllocator(std::string name, std::string key, Bytes capacity)
      : name_(std::move(name)), key_(std::move(key)), capacity_(capacity) {}

  /// The lowest address, a multiple of `alignment`, from which `bytes` are free. Throws CapacityError, which says what
  /// `what` needs, what is in use, and by whom.
  Address allocate(Bytes bytes, const std::string& what, Bytes alignment = 1);
  /// What was allocated at this address is free again. False, and nothing happens, where nothing was.
  bool release(Address address) { return used_.erase(address) > 0; }
  /// Somebody has room there that holds all of these bytes.
  [[nodiscard]] bool holds(Address address, Bytes bytes) const;

  [[nodiscard]] Bytes capacity() const { return capacity_; }
  [[nodiscard]] Bytes in_use() const;

 private:
  struct Region {
    Bytes bytes = 0;
    std::string what;
  };
  std::string name_;
  std::string key_;
  Bytes capacity_;
  std::map<Address, Region> used_;
};

}  // namespace kernbench
