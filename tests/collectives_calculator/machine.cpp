#include "tests/collectives_calculator/machine.hpp"

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>

namespace calc {
namespace {

// 3.2: "512 GB/s" in base units: ps, B/s, Hz, B, um, ps/mm.
std::int64_t quantity(const std::string& text) {
  static const std::map<std::string, double> units = {
      {"", 1},       {"ps", 1},     {"ns", 1e3},    {"us", 1e6},       {"B/s", 1},           {"kB/s", 1e3},
      {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}, {"Hz", 1},         {"kHz", 1e3},         {"MHz", 1e6},
      {"GHz", 1e9},  {"B", 1},      {"KiB", 1024},  {"MiB", 1048576.}, {"GiB", 1073741824.}, {"um", 1},
      {"mm", 1e3},   {"ps/mm", 1},  {"ns/mm", 1e3}};
  std::istringstream in(text);
  double number = 0;
  std::string unit;
  in >> number >> unit;
  return std::llround(number * units.at(unit));
}

std::int64_t get(const YAML::Node& section, const char* key) {
  if (!section[key]) throw std::runtime_error(std::string("missing key ") + key);
  return quantity(section[key].as<std::string>());
}

std::int64_t get_or(const YAML::Node& section, const char* key, std::int64_t otherwise) {
  return section[key] ? get(section, key) : otherwise;
}

Grid grid(const YAML::Node& node) { return {node["rows"].as<int>(), node["columns"].as<int>()}; }

}  // namespace

Tier tier_named(const std::string& name) {
  static const std::map<std::string, Tier> names = {{"tcm", Tier::tcm}, {"sram", Tier::sram}, {"hbm", Tier::hbm}};
  return names.at(name);
}

Arrangement arrangement_named(const std::string& name) {
  static const std::map<std::string, Arrangement> names = {{"ring", Arrangement::ring},
                                                           {"mesh", Arrangement::mesh},
                                                           {"torus", Arrangement::torus},
                                                           {"fully_connected", Arrangement::fully_connected},
                                                           {"switched", Arrangement::switched}};
  return names.at(name);
}

Machine read_machine(const YAML::Node& root) {
  const auto system = root["system"], package = root["package"], die = root["die"], pe = root["pe"];
  const auto link = system["package_link"], host = system["host_link"], crossing = package["die_to_die"];
  const auto router = die["router"], wire = die["wire"], hbm = die["hbm"], sram = die["sram"];
  const auto queue = pe["message_queue"], tcm = pe["tcm"];
  Machine m;
  m.packages = grid(system["packages"]);
  m.dies = grid(package["dies"]);
  m.routers = grid(die["routers"]);
  m.arrangement = arrangement_named(system["arrangement"].as<std::string>());
  m.package_link = {get(link, "bandwidth"), get(link, "latency"), get(link, "buffer")};
  m.host_link = {get(host, "bandwidth"), get(host, "latency"), m.package_link.buffer};  // 16.5
  m.die_to_die = {get(crossing, "bandwidth"), get(crossing, "port_latency"), get(crossing, "buffer")};
  m.die_to_die_connections = static_cast<int>(get(crossing, "connections"));
  m.switch_hop = get(link, "switch_latency");
  m.router_hop = get(router, "hop_latency");
  m.io_processor_latency = get(system, "io_processor_latency");
  m.router_bandwidth = get(router, "link_bandwidth");
  m.router_buffer = get(router, "buffer");
  m.virtual_channels = static_cast<int>(get(router, "virtual_channels"));
  const auto delay = [&](const char* key) { return divide_up(get(wire, key) * get(wire, "delay"), 1000); };  // 3.12
  m.pe_wire = delay("pe_to_router");
  m.hbm_wire = delay("hbm_to_router");
  m.sram_wire = delay("sram_to_router");
  m.router_wire = delay("router_to_router");
  m.hbm_bandwidth = get(hbm, "bandwidth");
  m.pseudo_channels = static_cast<int>(get(hbm, "pseudo_channels"));
  m.burst = get(hbm, "burst");
  m.hbm_read_latency = get(hbm, "read_latency");
  m.turnaround = get_or(hbm, "turnaround", 16'000);
  m.write_batch = static_cast<int>(get_or(hbm, "write_batch", 16));
  m.write_queue = static_cast<int>(get_or(hbm, "write_queue", 32));
  m.hbm_port_buffer = get_or(hbm, "port_buffer", 16384);
  m.sram_bandwidth = get(sram, "bandwidth");
  m.sram_latency = get(sram, "latency");
  m.sram_router = static_cast<int>(get(sram, "router"));
  m.sram_port_buffer = get_or(sram, "port_buffer", 16384);
  m.clock = get(pe, "clock");
  m.control_latency = get(pe, "control_latency");
  m.setup_latency = get(pe["dma"], "setup_latency");
  m.outstanding_bursts = static_cast<int>(get(pe["dma"], "outstanding_bursts"));
  m.tcm_capacity = get(tcm, "capacity");
  m.tcm_read_bandwidth = get(tcm, "read_bandwidth");
  m.tcm_write_bandwidth = get(tcm, "write_bandwidth");
  m.lanes = static_cast<int>(get(pe["vector"], "lanes"));
  m.vector_latency_cycles = static_cast<int>(get(pe["vector"], "latency_cycles"));
  m.slots = static_cast<int>(get(queue, "slots"));
  m.slot_bytes = get(queue, "slot_bytes");
  m.credit_bytes = get(queue, "credit_bytes");
  m.tier = tier_named(queue["tier"].as<std::string>());
  m.poll = queue["wait"].as<std::string>() == "poll";
  m.inline_consumer = queue["consumer"].as<std::string>() == "inline";
  m.wake_latency = get(queue, "wake_latency");
  m.poll_interval = get(queue, "poll_interval");
  m.packet_bytes = get_or(root["simulation"], "packet_bytes", 256);
  return m;
}

}  // namespace calc
