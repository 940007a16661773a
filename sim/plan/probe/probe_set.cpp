#include "sim/plan/probe/probe_set.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/machine/optional_sections.hpp"
#include "sim/plan/network/link_path.hpp"

namespace kernbench {
namespace {

constexpr Bytes kCrossingBytes = 65'536;

class ProbeSetBuilder {
 public:
  ProbeSetBuilder(const NetworkPlan& plan, const MachineSpec& machine) : plan_(plan), machine_(machine) {
    pe_ = plan.find(NodeKind::kPe, {0, 0, 0});
    own_ = nearest_hbm(plan, 0);
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(plan.nodes.size()); ++node) {
      if (plan.node(node).kind == NodeKind::kHbm) memories_.push_back(node);
    }
  }

  void add(Bytes bytes) {
    bytes_ = bytes;
    both("own-hbm", pe_, own_, plan_.shares_hbm ? "the nearest controller of its die's HBM" : "its own HBM");
    const std::int32_t own_router = plan_.node(own_).at.router;
    near_and_far(
        "die", plan_.shares_hbm ? "other routers of the die" : "another PE of the die",
        plan_.shares_hbm ? "no controller elsewhere on the die" : "one PE on the die",
        [own_router](const NodeLocation& at) { return at.package == 0 && at.die == 0 && at.router != own_router; });
    sram();
    near_and_far("other-die", "another die of the package", "one die in a package",
                 [](const NodeLocation& at) { return at.package == 0 && at.die != 0; });
    near_and_far("other-package", "another package", "one package",
                 [](const NodeLocation& at) { return at.package != 0; });
    host();
    crossing();
    contention();
  }

  ProbeSet take() { return std::move(set_); }

 private:
  using Belongs = std::function<bool(const NodeLocation&)>;

  [[nodiscard]] const std::string& name(std::int32_t node) const { return plan_.node(node).name; }

  /// Of the memories that belong, the first one that is as near, or as far, as any.
  [[nodiscard]] std::optional<std::int32_t> pick(std::int32_t from, const Belongs& belongs, bool far) const {
    std::optional<std::int32_t> best;
    Picoseconds best_way;
    for (const std::int32_t memory : memories_) {
      if (!belongs(plan_.node(memory).at)) continue;
      const Picoseconds way = zero_load_latency(plan_, from, memory);
      if (best && (far ? way <= best_way : way >= best_way)) continue;
      best = memory;
      best_way = way;
    }
    return best;
  }

  void one(const std::string& probe, std::int32_t initiator, std::int32_t memory, ProbeDirection direction,
           const std::string& what) {
    const bool reads = direction == ProbeDirection::kRead;
    set_.probes.push_back({probe,
                           name(initiator) + (reads ? " reads " : " writes ") + what + " (" + name(memory) + ")",
                           {{initiator, memory, direction, bytes_}}});
  }

  void both(const std::string& probe, std::int32_t initiator, std::int32_t memory, const std::string& what) {
    one(probe + "-read", initiator, memory, ProbeDirection::kRead, what);
    one(probe + "-write", initiator, memory, ProbeDirection::kWrite, what);
  }

  void near_and_far(const std::string& probe, const std::string& of_what, const std::string& missing,
                    const Belongs& belongs) {
    const auto near = pick(pe_, belongs, false);
    if (!near) {
      leave_out(probe + "-near", missing);
      leave_out(probe + "-far", missing);
      return;
    }
    const auto far = pick(pe_, belongs, true);
    both(probe + "-near", pe_, *near, "the nearest HBM of " + of_what);
    if (zero_load_latency(plan_, pe_, *far) == zero_load_latency(plan_, pe_, *near)) {
      leave_out(probe + "-far", "all are as far as the nearest");
    } else {
      both(probe + "-far", pe_, *far, "the farthest HBM of " + of_what);
    }
  }

  void sram() {
    const std::string missing = absence(machine_, {"die.sram"});
    if (!missing.empty()) return leave_out("sram", missing);
    both("sram", pe_, plan_.find(NodeKind::kSram, {0, 0, 0}), "its die's SRAM");
  }

  void host() {
    if (const std::string missing = absence(machine_, sections_to_host()); !missing.empty()) {
      for (const char* probe : {"host-to-device", "device-to-host", "host-to-device-far"}) leave_out(probe, missing);
      return;
    }
    const std::int32_t host = plan_.find(NodeKind::kHost, {0, -1, -1});
    const auto far = pick(
        host, [](const NodeLocation&) { return true; }, true);
    const auto pair = [&](const std::string& suffix, std::int32_t memory, const std::string& what) {
      one("host-to-device" + suffix, host, memory, ProbeDirection::kWrite, what);
      one("device-to-host" + suffix, host, memory, ProbeDirection::kRead, what);
    };
    pair("", own_, "the first PE's HBM");
    if (zero_load_latency(plan_, host, *far) == zero_load_latency(plan_, host, own_)) {
      leave_out("host-to-device-far", "all HBM is as far as the first PE's");
    } else {
      pair("-far", *far, "the farthest HBM");
    }
  }

  /// 64 KiB from the PE of the first die that is nearest to another die. It does not depend on the sizes asked for.
  void crossing() {
    if (crossed_) return;
    crossed_ = true;
    const Belongs beyond = [](const NodeLocation& at) { return at.package == 0 && at.die != 0; };
    if (!pick(pe_, beyond, false)) return leave_out("die-to-die", "one die in a package");
    std::int32_t from = pe_;
    std::int32_t to = *pick(pe_, beyond, false);
    for (std::int32_t router = 1; router < plan_.numbers.die_routers; ++router) {
      const std::int32_t pe = plan_.find(NodeKind::kPe, {0, 0, router});
      const std::int32_t memory = *pick(pe, beyond, false);
      if (zero_load_latency(plan_, pe, memory) >= zero_load_latency(plan_, from, to)) continue;
      from = pe;
      to = memory;
    }
    const Bytes asked = bytes_;
    bytes_ = ceil_div(kCrossingBytes, machine_.simulation.packet) * machine_.simulation.packet;
    try {
      check_probe_bytes(machine_, bytes_);
      one("die-to-die", from, to, ProbeDirection::kWrite, "over one connection the nearest HBM of the next die");
    } catch (const ConfigError& error) {
      leave_out("die-to-die", error.what());
    }
    bytes_ = asked;
  }

  void contention() {
    Probe probe;
    for (std::int32_t router = 0; router < plan_.numbers.die_routers; ++router) {
      const std::int32_t pe = plan_.find(NodeKind::kPe, {0, 0, router});
      probe.transfers.push_back({pe, own_, ProbeDirection::kRead, bytes_});
      const std::string count = std::to_string(router + 1);
      probe.name = "contend-" + count;
      probe.what = (router == 0 ? "1 PE reads " : count + " PEs of the die read ") + name(own_) +
                   (router == 0 ? "" : " at once");
      set_.probes.push_back(probe);
    }
  }

  void leave_out(const std::string& probe, const std::string& reason) {
    const auto known = [&](const ProbeLeftOut& out) { return out.name == probe; };
    if (std::ranges::none_of(set_.left_out, known)) set_.left_out.push_back({probe, reason});
  }

  const NetworkPlan& plan_;
  const MachineSpec& machine_;
  std::int32_t pe_ = -1;
  std::int32_t own_ = -1;
  std::vector<std::int32_t> memories_;
  Bytes bytes_ = 0;
  bool crossed_ = false;
  ProbeSet set_;
};

}  // namespace

ProbeSet probe_set(const NetworkPlan& plan, const MachineSpec& machine, const std::vector<Bytes>& sizes) {
  ProbeSetBuilder builder(plan, machine);
  for (const Bytes bytes : sizes) {
    check_probe_bytes(machine, bytes);
    builder.add(bytes);
  }
  return builder.take();
}

}  // namespace kernbench
