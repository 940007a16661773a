#include "sim/plan/network/link_loads.hpp"

#include <set>

#include "sim/base/checked.hpp"

namespace kernbench {

template <class Visit>
void LinkLoads::over_route(std::int32_t source, std::int32_t destination, Visit visit) const {
  for (std::int32_t link = plan_.first_link(source);; link = plan_.next_link(plan_.link(link).to, destination)) {
    visit(link);
    if (plan_.link(link).to == destination) return;
  }
}

void LinkLoads::load(std::int32_t link, Bytes bytes) {
  Bytes& sum = bytes_[static_cast<std::size_t>(link)];
  sum = checked_add(sum, bytes, "bytes over a link", kInBytes);
}

void LinkLoads::add(std::int32_t source, std::int32_t destination, Bytes bytes) {
  if (bytes == 0) return;
  over_route(source, destination, [&](std::int32_t link) { load(link, bytes); });
}

void LinkLoads::add_once(std::int32_t source, const std::vector<std::int32_t>& destinations, Bytes bytes) {
  std::set<std::int32_t> links;
  for (const std::int32_t destination : destinations) {
    over_route(source, destination, [&](std::int32_t link) { links.insert(link); });
  }
  for (const std::int32_t link : links) load(link, bytes);
}

}  // namespace kernbench
