#include "sim/system/probe/run_probe.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "sim/hw/host/host_dma.hpp"
#include "sim/system/launch.hpp"

namespace kernbench {
namespace {

/// A host that takes part, with a way to each memory it uses.
struct ProbeHost {
  HostDma dma;
  std::map<std::int32_t, NetworkRoute> routes;

  ProbeHost(System& system, OpLog& log, std::int32_t node)
      : dma(("host" + std::to_string(node)).c_str(), system.calendar(), log, system.machine()) {}
};

class ProbeLaunch : public Launch, private TransferListener {
 public:
  explicit ProbeLaunch(const std::vector<ProbeTransfer>& transfers) : transfers_(transfers) {}

  void start(System& system) override {
    system_ = &system;
    for (const ProbeTransfer& transfer : transfers_) submit(transfer);
  }
  [[nodiscard]] bool done() const override { return left_ == 0; }
  [[nodiscard]] Picoseconds end() const override { return std::ranges::max(ends_); }
  [[nodiscard]] std::string what() const override { return "a transfer"; }

  /// Of each transfer.
  [[nodiscard]] const std::vector<Picoseconds>& ends() const { return ends_; }

 private:
  void submit(const ProbeTransfer& asked) {
    ends_.emplace_back();
    ++left_;
    const bool reads = asked.direction == ProbeDirection::kRead;
    Transfer transfer{.block = {0, 1, asked.bytes, asked.bytes}, .bytes = asked.bytes};
    transfer.stage = reads ? kLoadStage : kStoreOutStage;
    transfer.tile = static_cast<std::int64_t>(ends_.size()) - 1;
    transfer.listener = this;
    MemoryPort& port = system_->memory_at(asked.memory);
    const NetworkNode& initiator = system_->plan().node(asked.initiator);
    if (initiator.kind == NodeKind::kHost) {
      ProbeHost& host = host_at(asked.initiator);
      transfer.route =
          &host.routes.try_emplace(asked.memory, system_->network(), asked.initiator, asked.memory, port).first->second;
      if (host.routes.size() == 1) host.dma.memory.bind(*transfer.route);
      host.dma.submit(transfer, {});
      return;
    }
    const std::int32_t pe = pe_at(initiator.at);
    transfer.route = &system_->route(pe, asked.memory);
    DmaEngine& engine = reads ? system_->pe(pe).reader() : system_->pe(pe).writer();
    engine.submit(transfer, {});
  }

  void transferred(const Transfer& transfer, Picoseconds at) override {
    ends_.at(static_cast<std::size_t>(transfer.tile)) = at;
    --left_;
  }

  [[nodiscard]] std::int32_t pe_at(const NodeLocation& at) const {
    const NodeNumbers& numbers = system_->plan().numbers;
    return (at.package * numbers.dies + at.die) * numbers.die_routers + at.router;
  }

  ProbeHost& host_at(std::int32_t node) {
    auto& host = hosts_[node];
    if (!host) host = std::make_unique<ProbeHost>(*system_, log_, node);
    return *host;
  }

  const std::vector<ProbeTransfer>& transfers_;
  System* system_ = nullptr;
  OpLog log_;
  std::map<std::int32_t, std::unique_ptr<ProbeHost>> hosts_;
  std::vector<Picoseconds> ends_;
  std::int64_t left_ = 0;
};

}  // namespace

ProbeRun run_probe(const MachineSpec& machine, const std::vector<ProbeTransfer>& transfers,
                   const RunSettings& settings) {
  System system(machine, {.sink = settings.sink});
  ProbeLaunch launch(transfers);
  run_launches(system, {&launch}, settings.limit);
  return {launch.ends(), system.network().packet_hops(), system.activity(), system.calendar().wakeups()};
}

}  // namespace kernbench
