#include "sim/plan/network/link_loads.hpp"

#include "sim/base/checked.hpp"

namespace kernbench {

void LinkLoads::add(std::int32_t source, std::int32_t destination, Bytes bytes, std::set<std::int32_t>* once) {
  if (bytes == 0) return;
  for (std::int32_t link = plan_.first_link(source);;) {
    if (once == nullptr || once->insert(link).second) {
      Bytes& sum = bytes_[static_cast<std::size_t>(link)];
      sum = checked_add(sum, bytes, "bytes over a link", kInBytes);
    }
    const std::int32_t to = plan_.link(link).to;
    if (to == destination) return;
    link = plan_.next_link(to, destination);
  }
}

}  // namespace kernbench
