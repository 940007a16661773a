// What the links of a network have to carry where it is known who sends how much to whom (adr/0016, 16.6-16.9).
#pragma once

#include <cstdint>
#include <vector>

#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

class LinkLoads {
 public:
  /// The plan outlives it.
  explicit LinkLoads(const NetworkPlan& plan) : plan_(plan), bytes_(plan.links.size()) {}

  /// `bytes` go from endpoint `source` to endpoint `destination`.
  void add(std::int32_t source, std::int32_t destination, Bytes bytes);
  /// To several, over each link once (adr/0065).
  void add_once(std::int32_t source, const std::vector<std::int32_t>& destinations, Bytes bytes);
  /// By link.
  [[nodiscard]] const std::vector<Bytes>& bytes() const { return bytes_; }

 private:
  void load(std::int32_t link, Bytes bytes);

  const NetworkPlan& plan_;
  std::vector<Bytes> bytes_;
};

}  // namespace kernbench
