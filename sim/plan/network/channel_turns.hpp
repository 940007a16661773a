// Onto which channels packets go on from a channel, from the rules of routing (adr/0016, 16.7-16.9) and not route by
// route: what a packet may do next depends on where it is, and between packages on how far it has come in this row or
// column, never on where it began. So each channel is followed once, and no pair of channels is stored.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/plan/network/channel_dependencies.hpp"

namespace kernbench {

/// A channel's number is link x classes + class.
class ChannelTurns {
 public:
  /// Follows packets from all endpoints to all. `plan` must outlive this.
  explicit ChannelTurns(const NetworkPlan& plan);

  /// Numbers of channels are below this.
  [[nodiscard]] std::int32_t end() const { return static_cast<std::int32_t>(seen_.size()); }
  /// Whether a channel of that number exists and packets come to it.
  [[nodiscard]] bool used(std::int32_t channel) const { return seen_[static_cast<std::size_t>(channel)] != 0; }
  [[nodiscard]] NetworkChannel at(std::int32_t channel) const { return {channel / classes_, channel % classes_}; }
  /// Appends the channels that packets on `channel` go on to, each once; links to endpoints, where nobody waits, are
  /// left out.
  void append_next(std::int32_t channel, std::vector<std::int32_t>& next) const;

 private:
  /// What packets on a channel are about to do; several may be true of one.
  enum Heading : std::uint8_t {
    kArriving = 1,  ///< to a node of this package, or to the package of the next switch
    kLeaving = 2,   ///< in a package: southwards to the switch
    kOnwards = 4    ///< between packages: further in this row or column
  };
  struct Step {
    std::int32_t link = 0;
    std::uint8_t headings = 0;
  };
  struct Entry {
    std::int32_t channel = 0;
    std::int32_t hops = 0;  ///< between packages: links taken in this row or column, this one included
    std::uint8_t headings = 0;
  };
  struct Queue {
    std::vector<Entry> entries;
    std::size_t done = 0;
  };

  void start();
  void follow(Queue& queue);
  void enter(const NetworkLink& in, std::int32_t in_class, std::int32_t in_hops, const Step& step);

  // Appending the steps that can be taken.
  void steps_after(const NetworkChannel& from, std::uint8_t headings, std::vector<Step>& steps) const;
  void add_port(std::int32_t node, Direction direction, std::uint8_t headings, std::vector<Step>& steps) const;
  void add_south(std::int32_t router, std::uint8_t headings, std::vector<Step>& steps) const;
  void add_down(std::int32_t package_switch, std::vector<Step>& steps) const;
  void add_other_packages(std::int32_t package_switch, std::vector<Step>& steps) const;
  void add_from_central(std::int32_t from_package, std::vector<Step>& steps) const;
  void add_between(std::int32_t link, std::uint8_t headings, std::vector<Step>& steps) const;

  [[nodiscard]] std::int32_t channel(const NetworkLink& in, std::int32_t in_class, std::int32_t out) const;
  [[nodiscard]] Direction direction_of(std::int32_t link) const;
  [[nodiscard]] std::int64_t reach(std::int32_t link) const;

  const NetworkPlan& plan_;
  std::int32_t classes_;
  std::vector<std::uint8_t> seen_;  ///< by channel: its headings
  // Those entered but not followed. Between packages they are followed in the order of their hops, so that the first
  // that comes to a channel has come the least far and goes on the furthest.
  Queue in_packages_;
  Queue in_rows_;
  Queue in_columns_;
  std::vector<Step> steps_;
};

}  // namespace kernbench
