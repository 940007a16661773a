// What the parts of a machine have counted, put together (adr/0036).
#include "sim/base/checked.hpp"
#include "sim/system/system.hpp"

namespace kernbench {

namespace {

/// Of links of the network, by what they are part of.
Activity of_links(const NetworkPlan& plan, const std::vector<LinkTotals>& totals) {
  Activity activity;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const NetworkLink& link = plan.links[i];
    const NetworkNode& from = plan.node(link.from);
    Activity one;
    if (from.kind == NodeKind::kRouter) one.router = totals[i].bytes;
    const bool in_mesh = link.dimension == kMeshX || link.dimension == kMeshY;
    const bool between_dies = in_mesh && from.at.die != plan.node(link.to).at.die;
    if (between_dies || link.dimension == kUp || link.dimension == kDown) one.die_to_die = totals[i].bytes;
    if (link.dimension == kPackageX || link.dimension == kPackageY) one.package_link = totals[i].bytes;
    activity += one;
  }
  return activity;
}

}  // namespace

Activity System::activity() const {
  Activity activity;
  for (const auto& place : places_) {
    activity += place->pe->activity();
  }
  for (const auto& hbm : hbms_) {
    Activity one;
    one.hbm = checked_multiply(hbm->bursts(), machine_.die.hbm.burst, "bytes moved by the HBM", kInBytes);
    activity += one;
  }
  for (const auto& sram : sram_) activity.sram += sram->bytes();
  if (network_) activity += of_links(*plan_, network_->totals());
  if (wires_) activity.router = wires_->router_bytes();
  return activity;
}

}  // namespace kernbench
