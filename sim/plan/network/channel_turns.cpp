#include "sim/plan/network/channel_turns.hpp"

#include <limits>

namespace kernbench {
namespace {

constexpr std::array kDirections{Direction::kEast, Direction::kWest, Direction::kNorth, Direction::kSouth};

}  // namespace

ChannelTurns::ChannelTurns(const NetworkPlan& plan)
    : plan_(plan),
      classes_(static_cast<std::int32_t>(plan.classes)),
      seen_(plan.links.size() * static_cast<std::size_t>(plan.classes), 0) {
  start();
  follow(in_packages_);
  follow(in_rows_);
  follow(in_columns_);
  follow(in_packages_);  // those that have come from other packages
}

void ChannelTurns::append_next(std::int32_t channel, std::vector<std::int32_t>& next) const {
  const auto from = at(channel);
  const auto& in = plan_.link(from.link);
  std::vector<Step> steps;
  steps_after(from, seen_[static_cast<std::size_t>(channel)], steps);
  for (const Step& step : steps) next.push_back(this->channel(in, from.channel_class, step.link));
}

/// What endpoints send: those on a router, and a host on its package's switch.
void ChannelTurns::start() {
  const NetworkLink from_endpoint;  // in class 0 and a dimension of its own: all that matters of it
  for (std::int32_t node = 0; node < static_cast<std::int32_t>(plan_.nodes.size()); ++node) {
    const auto kind = plan_.routing.places[static_cast<std::size_t>(node)].kind;
    steps_.clear();
    if (kind == NodeKind::kRouter) {
      for (const auto direction : {Direction::kEast, Direction::kWest, Direction::kNorth}) {
        add_port(node, direction, kArriving, steps_);
      }
      add_south(node, kArriving | kLeaving, steps_);
    } else if (kind == NodeKind::kSwitch && plan_.node(node).at.package >= 0) {
      add_down(node, steps_);
      add_other_packages(node, steps_);
    }
    for (const Step& step : steps_) enter(from_endpoint, 0, 0, step);
    if (!plan_.routing.columns_first || kind != NodeKind::kRouter) continue;
    for (Step step : steps_) {
      step.headings = kArriving;
      if (plan_.link(step.link).dimension != kUp) enter(from_endpoint, 1, 0, step);
    }
  }
}

void ChannelTurns::follow(Queue& queue) {
  for (; queue.done < queue.entries.size(); ++queue.done) {
    const Entry entry = queue.entries[queue.done];
    const auto from = at(entry.channel);
    steps_.clear();
    steps_after(from, entry.headings, steps_);
    for (const Step& step : steps_) enter(plan_.link(from.link), from.channel_class, entry.hops, step);
  }
}

void ChannelTurns::enter(const NetworkLink& in, std::int32_t in_class, std::int32_t in_hops, const Step& step) {
  const auto& link = plan_.link(step.link);
  Entry entry{channel(in, in_class, step.link), 0, step.headings};
  const bool between = link.dimension == kPackageX || link.dimension == kPackageY;
  if (between) {
    entry.hops = in.dimension == link.dimension ? in_hops + 1 : 1;
    if (entry.hops < reach(step.link)) entry.headings |= kOnwards;
  }
  auto& seen = seen_[static_cast<std::size_t>(entry.channel)];
  entry.headings &= static_cast<std::uint8_t>(~seen);
  if (entry.headings == 0) return;
  seen |= entry.headings;
  auto& queue = !between ? in_packages_ : link.dimension == kPackageX ? in_rows_ : in_columns_;
  queue.entries.push_back(entry);
}

void ChannelTurns::steps_after(const NetworkChannel& from, std::uint8_t headings, std::vector<Step>& steps) const {
  const std::int32_t link = from.link;
  const auto& in = plan_.link(link);
  const bool rows_first = !plan_.routing.columns_first || from.channel_class == 0;
  switch (in.dimension) {
    case kMeshX:
      add_port(in.to, direction_of(link), kArriving, steps);
      if (!rows_first) return;
      add_port(in.to, Direction::kNorth, kArriving, steps);
      add_south(in.to, kArriving, steps);
      return;
    case kMeshY:
      if (!rows_first) {
        add_port(in.to, Direction::kEast, kArriving, steps);
        add_port(in.to, Direction::kWest, kArriving, steps);
      }
      if (direction_of(link) == Direction::kSouth) {
        add_south(in.to, headings, steps);
      } else {
        add_port(in.to, Direction::kNorth, kArriving, steps);
      }
      return;
    case kUp:
      add_other_packages(in.to, steps);
      return;
    case kDown:
      add_port(in.to, Direction::kNorth, kArriving, steps);
      return;
    case kPackageX:
    case kPackageY:
      add_between(link, headings, steps);
      return;
    default:  // to an endpoint
      return;
  }
}

void ChannelTurns::add_port(std::int32_t node, Direction direction, std::uint8_t headings,
                            std::vector<Step>& steps) const {
  const auto link = plan_.routing.port(node, direction);
  if (link >= 0) steps.push_back({link, headings});
}

/// Only those that leave the package go from its last row to the switch.
void ChannelTurns::add_south(std::int32_t router, std::uint8_t headings, std::vector<Step>& steps) const {
  const auto south = plan_.routing.port(router, Direction::kSouth);
  if (plan_.link(south).dimension == kUp) headings &= kLeaving;
  if (headings != 0) steps.push_back({south, headings});
}

void ChannelTurns::add_down(std::int32_t package_switch, std::vector<Step>& steps) const {
  const auto columns = plan_.routing.columns;
  const auto first = static_cast<std::size_t>(plan_.node(package_switch).at.package * columns);
  for (std::size_t column = 0; column < static_cast<std::size_t>(columns); ++column) {
    steps.push_back({plan_.routing.down[first + column], kArriving});
  }
}

void ChannelTurns::add_other_packages(std::int32_t package_switch, std::vector<Step>& steps) const {
  const auto& routing = plan_.routing;
  if (routing.packages.count() == 1) return;
  const auto package = static_cast<std::size_t>(plan_.node(package_switch).at.package);
  switch (routing.arrangement) {
    case PackageArrangement::kFullyConnected:
      for (std::int32_t i = 0; i + 1 < routing.packages.count(); ++i) {
        steps.push_back({routing.to_packages[package] + i, kArriving});
      }
      return;
    case PackageArrangement::kSwitched:
      steps.push_back({routing.to_packages[package], kArriving});
      return;
    default:
      for (const auto direction : kDirections) add_port(package_switch, direction, kArriving, steps);
  }
}

/// From the switch between packages to all of them but the one that a packet came from.
void ChannelTurns::add_from_central(std::int32_t from_package, std::vector<Step>& steps) const {
  for (std::int32_t to = 0; to < plan_.routing.packages.count(); ++to) {
    if (to != from_package) steps.push_back({plan_.routing.to_packages.back() + to, kArriving});
  }
}

/// After a link between packages.
void ChannelTurns::add_between(std::int32_t link, std::uint8_t headings, std::vector<Step>& steps) const {
  const auto& in = plan_.link(link);
  if (plan_.node(in.to).at.package < 0) {
    add_from_central(plan_.node(in.from).at.package, steps);
    return;
  }
  if ((headings & kOnwards) != 0) add_port(in.to, direction_of(link), kArriving, steps);
  if ((headings & kArriving) == 0) return;
  if (in.dimension == kPackageX) {
    // None has links in these directions where packages are fully connected or switched.
    add_port(in.to, Direction::kNorth, kArriving, steps);
    add_port(in.to, Direction::kSouth, kArriving, steps);
  }
  add_down(in.to, steps);
}

std::int32_t ChannelTurns::channel(const NetworkLink& in, std::int32_t in_class, std::int32_t out) const {
  return out * classes_ + next_class(&in, plan_.link(out), in_class);
}

/// Of a link of a router's or switch's port.
Direction ChannelTurns::direction_of(std::int32_t link) const {
  const auto from = plan_.link(link).from;
  for (const auto direction : kDirections) {
    if (plan_.routing.port(from, direction) == link) return direction;
  }
  return Direction::kEast;  // fully connected and switched: not one of a port's
}

/// How many links a packet takes at most in this row or column of packages and in this direction (16.9).
std::int64_t ChannelTurns::reach(std::int32_t link) const {
  const auto& routing = plan_.routing;
  const bool wraps =
      routing.arrangement == PackageArrangement::kRing || routing.arrangement == PackageArrangement::kTorus;
  if (!wraps) return std::numeric_limits<std::int64_t>::max();  // as far as there are ports
  const auto size = plan_.link(link).dimension == kPackageX ? routing.packages.columns : routing.packages.rows;
  const auto direction = direction_of(link);
  const bool forward = direction == Direction::kEast || direction == Direction::kSouth;
  return forward ? size / 2 : (size - 1) / 2;
}

}  // namespace kernbench
