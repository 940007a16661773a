#include "sim/plan/network/max_min.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace kernbench {
namespace {

class Filling {
 public:
  Filling(const std::vector<Bandwidth>& capacities, const std::vector<FlowResources>& flows)
      : flows_(flows), rates_(flows.size(), 0.0), growing_(flows.size(), true) {
    for (const Bandwidth& capacity : capacities) resources_.push_back({static_cast<double>(capacity.bytes_per_second)});
    for (const FlowResources& flow : flows) {
      if (flow.empty()) throw std::invalid_argument("max_min_rates: a flow that uses no resource has no limit");
      for (const std::int32_t used : flow) ++at(used).growing;
    }
  }

  std::vector<double> fill() {
    for (std::size_t left = flows_.size(); left > 0;) {
      const Resource& next = resources_[fullest()];
      const double level = next.left / next.growing;
      for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
        if (growing_[flow]) rates_[flow] += level;
      }
      for (Resource& resource : resources_) {
        resource.left -= level * resource.growing;
        resource.full = resource.full || &resource == &next;
      }
      left -= stop_flows();
    }
    return rates_;
  }

 private:
  struct Resource {
    double left = 0;
    std::int32_t growing = 0;  ///< flows that use it and still grow
    bool full = false;
  };

  Resource& at(std::int32_t index) { return resources_.at(static_cast<std::size_t>(index)); }

  [[nodiscard]] std::size_t fullest() const {
    std::size_t best = resources_.size();
    for (std::size_t i = 0; i < resources_.size(); ++i) {
      const Resource& one = resources_[i];
      if (one.growing == 0) continue;
      if (best == resources_.size() || one.left / one.growing < resources_[best].left / resources_[best].growing) {
        best = i;
      }
    }
    return best;
  }

  std::size_t stop_flows() {
    std::size_t stopped = 0;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      const auto is_full = [this](std::int32_t used) { return at(used).full; };
      if (!growing_[flow] || std::ranges::none_of(flows_[flow], is_full)) continue;
      growing_[flow] = false;
      ++stopped;
      for (const std::int32_t used : flows_[flow]) --at(used).growing;
    }
    return stopped;
  }

  const std::vector<FlowResources>& flows_;
  std::vector<double> rates_;
  std::vector<bool> growing_;
  std::vector<Resource> resources_;
};

}  // namespace

std::vector<double> max_min_rates(const std::vector<Bandwidth>& capacities, const std::vector<FlowResources>& flows) {
  return Filling(capacities, flows).fill();
}

}  // namespace kernbench
