// Routes are followed destination by destination from everywhere at once, so that a channel is visited once for each.
#include "sim/plan/network/channel_dependencies.hpp"

#include <algorithm>
#include <cstddef>

namespace kernbench {
namespace {

class DependencyGraph {
 public:
  explicit DependencyGraph(const NetworkPlan& plan)
      : plan_(plan),
        classes_(static_cast<std::int32_t>(plan.classes)),
        first_edge_(plan.links.size() * static_cast<std::size_t>(plan.classes), -1),
        visited_(first_edge_.size(), -1) {}

  /// In a package other than its own, what a packet holds depends on the destination's package and on the parallel
  /// connection it takes, number mod connections. One destination of each such kind is followed from everywhere, the
  /// others from their own package's routers and from where others' packets come in.
  void add_all_routes() {
    const auto per_package = plan_.numbers.per_package();
    const auto kinds = plan_.routing.down.front().count;
    for (std::int32_t first = 0; first + per_package <= static_cast<std::int32_t>(plan_.nodes.size());
         first += per_package) {
      std::vector<bool> kind_seen(static_cast<std::size_t>(kinds), false);
      arrivals_.clear();
      const auto io = first + plan_.numbers.io_switch();
      const auto each_endpoint = [&](auto&& follow) {
        for (std::int32_t node = first + plan_.numbers.routers(); node < first + per_package; ++node) {
          if (node != io) follow(node);
        }
      };
      each_endpoint([&](std::int32_t node) {
        auto seen = kind_seen[static_cast<std::size_t>(node % kinds)];
        if (!seen) follow_from_everywhere(node, io);
        seen = true;
      });
      visited_.assign(visited_.size(), -1);
      each_endpoint([&](std::int32_t node) { follow_from_package(node, first); });
    }
  }

  [[nodiscard]] std::vector<std::pair<NetworkChannel, NetworkChannel>> pairs() const {
    std::vector<std::pair<NetworkChannel, NetworkChannel>> pairs;
    pairs.reserve(edges_.size());
    for (std::size_t from = 0; from < first_edge_.size(); ++from) {
      for (auto edge = first_edge_[from]; edge >= 0; edge = edges_[static_cast<std::size_t>(edge)].next) {
        pairs.emplace_back(at(static_cast<std::int32_t>(from)), at(edges_[static_cast<std::size_t>(edge)].to));
      }
    }
    return pairs;
  }

  /// Depth-first search with the path on an explicit stack.
  [[nodiscard]] std::vector<NetworkChannel> cycle() const {
    enum : char { kNew, kOnPath, kDone };
    std::vector<char> state(first_edge_.size(), kNew);
    std::vector<std::int32_t> path;
    std::vector<std::int32_t> next_edge;
    for (std::size_t start = 0; start < first_edge_.size(); ++start) {
      if (state[start] != kNew) continue;
      path.assign(1, static_cast<std::int32_t>(start));
      next_edge.assign(1, first_edge_[start]);
      state[start] = kOnPath;
      while (!path.empty()) {
        const auto edge = next_edge.back();
        if (edge < 0) {
          state[static_cast<std::size_t>(path.back())] = kDone;
          path.pop_back();
          next_edge.pop_back();
          continue;
        }
        const auto to = edges_[static_cast<std::size_t>(edge)].to;
        next_edge.back() = edges_[static_cast<std::size_t>(edge)].next;
        if (state[static_cast<std::size_t>(to)] == kOnPath) return from_path(path, to);
        if (state[static_cast<std::size_t>(to)] == kDone) continue;
        state[static_cast<std::size_t>(to)] = kOnPath;
        path.push_back(to);
        next_edge.push_back(first_edge_[static_cast<std::size_t>(to)]);
      }
    }
    return {};
  }

 private:
  struct Edge {
    std::int32_t to = 0;
    std::int32_t next = -1;  ///< of the same channel's
  };

  [[nodiscard]] std::int32_t channel(std::int32_t link, std::int32_t channel_class) const {
    return link * classes_ + channel_class;
  }

  [[nodiscard]] NetworkChannel at(std::int32_t channel) const { return {channel / classes_, channel % classes_}; }

  [[nodiscard]] std::vector<NetworkChannel> from_path(const std::vector<std::int32_t>& path, std::int32_t first) const {
    std::vector<NetworkChannel> cycle;
    for (auto on = std::find(path.begin(), path.end(), first); on != path.end(); ++on) cycle.push_back(at(*on));
    return cycle;
  }

  /// What endpoints on `router` send to the destination.
  void start_at(std::int32_t router) {
    const NetworkLink from_endpoint;  // in class 0 and a dimension of its own: all that matters of it
    const auto out = plan_.next_link(router, destination_);
    visit(channel(out, next_class(&from_endpoint, plan_.link(out), 0)));
  }

  void visit(std::int32_t channel) {
    auto& stamp = visited_[static_cast<std::size_t>(channel)];
    if (stamp == destination_) return;
    stamp = destination_;
    waiting_.push_back(channel);
  }

  void follow_from_everywhere(std::int32_t destination, std::int32_t io_switch) {
    destination_ = destination;
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(plan_.nodes.size()); ++node) {
      const auto kind = plan_.routing.places[static_cast<std::size_t>(node)].kind;
      const bool has_endpoint =
          kind == NodeKind::kRouter || (kind == NodeKind::kSwitch && plan_.node(node).at.package >= 0);
      if (has_endpoint) start_at(node);
    }
    while (!waiting_.empty()) {
      const auto channel = waiting_.back();
      const auto& link = plan_.link(channel / classes_);
      const bool arrives = link.to == io_switch && link.dimension >= kPackageX;
      if (arrives && std::find(arrivals_.begin(), arrivals_.end(), channel) == arrivals_.end()) {
        arrivals_.push_back(channel);
      }
      follow_next();
    }
  }

  void follow_from_package(std::int32_t destination, std::int32_t first) {
    destination_ = destination;
    for (std::int32_t router = 0; router < plan_.numbers.routers(); ++router) start_at(first + router);
    start_at(first + plan_.numbers.io_switch());
    for (const auto channel : arrivals_) visit(channel);
    while (!waiting_.empty()) follow_next();
  }

  void follow_next() {
    const auto channel = waiting_.back();
    waiting_.pop_back();
    const auto& in = plan_.link(channel / classes_);
    if (in.to == destination_) return;
    const auto out = plan_.next_link(in.to, destination_);
    const auto& link = plan_.link(out);
    if (link.to == destination_) return;  // endpoints take everything: nobody waits there
    const auto next = this->channel(out, next_class(&in, link, channel % classes_));
    add_edge(channel, next);
    visit(next);
  }

  void add_edge(std::int32_t from, std::int32_t to) {
    auto& first = first_edge_[static_cast<std::size_t>(from)];
    for (auto edge = first; edge >= 0; edge = edges_[static_cast<std::size_t>(edge)].next) {
      if (edges_[static_cast<std::size_t>(edge)].to == to) return;
    }
    edges_.push_back({to, first});
    first = static_cast<std::int32_t>(edges_.size()) - 1;
  }

  const NetworkPlan& plan_;
  std::int32_t classes_;
  std::vector<std::int32_t> first_edge_;  ///< by channel: the first of its edges, or -1
  std::vector<Edge> edges_;
  std::vector<std::int32_t> visited_;  ///< by channel: the last destination on whose routes it was seen
  std::vector<std::int32_t> waiting_;  ///< channels of routes to destination_ to be followed further
  std::vector<std::int32_t> arrivals_;
  std::int32_t destination_ = -1;
};

}  // namespace

std::vector<std::pair<NetworkChannel, NetworkChannel>> channel_dependencies(const NetworkPlan& plan) {
  DependencyGraph graph(plan);
  graph.add_all_routes();
  return graph.pairs();
}

std::vector<NetworkChannel> find_dependency_cycle(const NetworkPlan& plan) {
  DependencyGraph graph(plan);
  graph.add_all_routes();
  return graph.cycle();
}

}  // namespace kernbench
