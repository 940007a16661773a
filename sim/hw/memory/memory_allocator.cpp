#include "sim/hw/memory/memory_allocator.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/base/capacity_error.hpp"

namespace kernbench {

Bytes MemoryAllocator::in_use() const {
  Bytes sum = 0;
  for (const auto& [address, region] : used_) sum += region.bytes;
  return sum;
}

Address MemoryAllocator::allocate(Bytes bytes, const std::string& what, Bytes alignment) {
  const auto aligned = [alignment](Address address) { return ceil_div(address, alignment) * alignment; };
  Address at = 0;
  for (const auto& [address, region] : used_) {
    if (at + bytes <= address) break;
    at = std::max(at, aligned(address + region.bytes));
  }
  if (bytes <= capacity_ - at) {
    if (bytes > 0) used_[at] = {bytes, what};
    return at;
  }
  std::vector<std::pair<std::string, Bytes>> by_user;  // in the order of their first address
  for (const auto& [address, region] : used_) {
    auto user = std::ranges::find(by_user, region.what, &std::pair<std::string, Bytes>::first);
    if (user == by_user.end()) user = by_user.insert(user, {region.what, 0});
    user->second += region.bytes;
  }
  std::string users;
  for (const auto& [user, sum] : by_user) users += (users.empty() ? ": " : ", ") + user + " " + std::to_string(sum);
  throw CapacityError(name_ + " has no room for " + what + ", " + std::to_string(bytes) + " bytes: of " +
                      std::to_string(capacity_) + " (" + key_ + ") " + std::to_string(in_use()) + " are in use" +
                      users);
}

bool MemoryAllocator::holds(Address address, Bytes bytes) const {
  auto region = used_.upper_bound(address);
  if (region == used_.begin()) return false;
  --region;
  return address + bytes <= region->first + region->second.bytes;
}

}  // namespace kernbench
