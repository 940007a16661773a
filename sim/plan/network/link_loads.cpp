#include "sim/plan/network/link_loads.hpp"

#include <set>

#include "sim/base/checked.hpp"
#include "sim/plan/network/link_path.hpp"

namespace kernbench {

void LinkLoads::load(std::int32_t link, Bytes bytes) {
  Bytes& sum = bytes_[static_cast<std::size_t>(link)];
  sum = checked_add(sum, bytes, "bytes over a link", kInBytes);
}

void LinkLoads::add(std::int32_t source, std::int32_t destination, Bytes bytes) {
  if (bytes == 0) return;
  for (const NetworkChannel& channel : link_path(plan_, source, destination)) load(channel.link, bytes);
}

void LinkLoads::add_once(std::int32_t source, const std::vector<std::int32_t>& destinations, Bytes bytes) {
  std::set<std::int32_t> links;
  for (const std::int32_t destination : destinations) {
    for (const NetworkChannel& channel : link_path(plan_, source, destination)) links.insert(channel.link);
  }
  for (const std::int32_t link : links) load(link, bytes);
}

}  // namespace kernbench
