#include "tests/collectives_calculator/system.hpp"

namespace calc {

System::System(Calendar& calendar, const Topology& topology)
    : calendar_(calendar),
      topology_(topology),
      machine_(topology.machine()),
      network_(calendar, topology),
      per_packet_(machine_.packet_bytes / machine_.burst),
      memories_(topology.nodes().size()) {
  const Machine& m = machine_;
  for (int i = 0; i < m.pes(); ++i) {
    const DmaEngine engine(calendar, m.setup_latency, m.outstanding_bursts);
    pes_.push_back({Server(calendar), Server(calendar), engine, engine, TcmPort(m.tcm_write_bandwidth),
                    TcmPort(m.tcm_read_bandwidth)});
  }
  for (std::size_t n = 0; n < memories_.size(); ++n) {
    if (topology.nodes()[n].kind == NodeKind::hbm) memories_[n] = std::make_unique<Hbm>(calendar, m);
    if (topology.nodes()[n].kind == NodeKind::sram) memories_[n] = std::make_unique<Sram>(calendar, m);
  }
}

const Route* System::route(int source, int destination, Traffic traffic) {
  auto& route = routes_[{{source, destination}, traffic}];
  if (!route) route = std::make_unique<Route>(topology_.route(source, destination, traffic));
  return route.get();
}

System::Bursts System::bursts(Bytes address, Bytes bytes) const {  // 4.2, 4.3
  const std::int64_t first = address / machine_.burst;
  return {first, (address + bytes - 1) / machine_.burst - first + 1};
}

System::Bursts System::packet_of(const Bursts& all, int packet) const {
  const std::int64_t before = packet * per_packet_;
  return {all.first + before, std::min(per_packet_, all.count - before)};
}

Time System::send_data(int pe, const Route* route, Bytes bytes, std::function<void(Time, Time)> arrived) {
  const auto [head, tail] = pes_[pe].out.pass(calendar_.now(), calendar_.now(), bytes);
  network_.hand_over(std::make_unique<Packet>(Packet{route, bytes, head, tail, 0, std::move(arrived)}), Traffic::data);
  return tail;
}

Time System::write_to_memory(int pe, int memory, const Route* route, Bursts bursts, Bytes bytes,
                             std::function<void(Time)> taken) {
  Access access;
  access.write = true;
  access.asker = topology_.pe(pe);
  access.order = issued_++;
  access.burst = bursts.first;
  access.bursts = static_cast<int>(bursts.count);
  access.bytes = bytes;
  access.taken = [this, bytes, port = route->hops.back().link, taken = std::move(taken)](Time done, Time room) {
    network_.give_back_port_room(port, bytes, room + topology_.links()[port].wiring.latency);  // 4.18
    taken(done);
  };
  return send_data(pe, route, bytes, [this, memory, access = std::move(access)](Time, Time tail) {
    memories_[memory]->arrive(access, tail);
  });
}

void System::post(int from, Label label, int destination, Bytes slot, Bytes bytes, Action left, Action landed) {
  const Route* way = route(topology_.pe(from), destination, Traffic::data);
  const int count = static_cast<int>(divide_up(bytes, machine_.packet_bytes));
  const Node& node = topology_.nodes()[destination];
  const int to = node.kind != NodeKind::pe
                     ? -1
                     : (node.package * machine_.dies.count() + node.die) * machine_.pes_per_die() + node.place;
  const auto issue = [this, from, way, count, destination, to, slot, bytes, left = std::move(left),
                      landed = std::move(landed)](int i) {
    const Bytes before = i * machine_.packet_bytes, size = std::min(machine_.packet_bytes, bytes - before);
    const Action then = i + 1 == count ? landed : Action();
    Time out = 0;
    if (to >= 0) {
      out = send_data(from, way, size, [this, to, size, then](Time head, Time tail) {
        const Time end = pes_[to].in.pass(head, tail, size).second;
        if (then) calendar_.at(end, then);
      });
    } else {
      out = write_to_memory(from, destination, way, this->bursts(slot + before, size), size, [this, then](Time done) {
        if (then) calendar_.at(done, then);
      });
    }
    if (left && i + 1 == count) calendar_.at(out, left);
  };
  pes_[from].writer.submit({label.purpose, label.queue, label.piece, count, nullptr, issue}, calendar_.now());
}

void System::read(int pe, Label label, int memory, Bytes address, Bytes bytes, Action done) {
  const Bursts all = bursts(address, bytes);
  const int node = topology_.pe(pe), count = packets(all);
  const Route* way = route(memory, node, Traffic::data);
  const Time ahead = route(node, memory, Traffic::data)->latency;
  const auto credits = [this, all](int i) { return static_cast<int>(packet_of(all, i).count); };
  const auto issue = [this, pe, node, memory, way, all, count, ahead, done = std::move(done)](int i) {
    const Bursts part = packet_of(all, i);
    Access access;
    access.asker = node;
    access.order = issued_++;
    access.burst = part.first;
    access.bursts = static_cast<int>(part.count);
    access.bytes = part.count * machine_.burst;
    const Action then = i + 1 == count ? done : Action();
    access.ready = [this, pe, way, bytes = access.bytes, bursts = access.bursts, then](Time ready) {
      const auto arrived = [this, pe, bytes, bursts, then](Time head, Time tail) {
        const Time end = pes_[pe].in.pass(head, tail, bytes).second;
        pes_[pe].reader.release(bursts, end);
        if (then) calendar_.at(end, then);
      };
      network_.hand_over(std::make_unique<Packet>(Packet{way, bytes, ready, ready, 0, arrived}), Traffic::data);
    };
    memories_[memory]->arrive(std::move(access), calendar_.now() + ahead);
  };
  pes_[pe].reader.submit({label.purpose, label.queue, label.piece, count, credits, issue}, calendar_.now());
}

void System::write(int pe, Label label, Bytes address, Bytes bytes, Time at, Action done) {
  const Bursts all = bursts(address, bytes);
  const int node = topology_.pe(pe), memory = topology_.hbm(pe), count = packets(all);
  const Route* way = route(node, memory, Traffic::data);
  const Time back = route(memory, node, Traffic::data)->latency;
  const auto credits = [this, all](int i) { return static_cast<int>(packet_of(all, i).count); };
  const auto issue = [this, pe, memory, way, all, count, back, done = std::move(done)](int i) {
    const Bursts part = packet_of(all, i);
    const Action then = i + 1 == count ? done : Action();
    const auto taken = [this, pe, back, bursts = static_cast<int>(part.count), then](Time at) {
      pes_[pe].writer.release(bursts, at + back);
      if (then) calendar_.at(at + back, then);
    };
    write_to_memory(pe, memory, way, part, part.count * machine_.burst, taken);
  };
  pes_[pe].writer.submit({label.purpose, label.queue, label.piece, count, credits, issue}, at);
}

void System::credit(int from, int to, Action there) {
  const Time now = calendar_.now();
  const Route* way = route(topology_.pe(from), topology_.pe(to), Traffic::credit);
  if (machine_.credit_bytes == 0) return calendar_.at(now + way->latency, std::move(there));
  const auto arrived = [this, there = std::move(there)](Time, Time tail) { calendar_.at(tail, there); };
  network_.hand_over(std::make_unique<Packet>(Packet{way, machine_.credit_bytes, now, now, 0, arrived}),
                     Traffic::credit);
}

}  // namespace calc
