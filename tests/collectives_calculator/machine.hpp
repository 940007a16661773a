// The machine file (ADR-0003), as far as collectives need it; no checks of its own.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "tests/collectives_calculator/units.hpp"

namespace calc {

enum class Tier { tcm, sram, hbm };
enum class Arrangement { ring, mesh, torus, fully_connected, switched };

struct Grid {
  int rows = 1, columns = 1;
  int count() const { return rows * columns; }
};

struct Wiring {  // one direction of a connection
  std::int64_t bandwidth = 0;
  Time latency = 0;
  Bytes buffer = 0;
};

struct Machine {
  Grid packages, dies, routers;
  Arrangement arrangement = Arrangement::ring;
  Wiring package_link, host_link, die_to_die;  // die_to_die: of one connection, the latency of one port
  int die_to_die_connections = 1;
  Time switch_hop = 0, router_hop = 0, io_processor_latency = 0;
  std::int64_t router_bandwidth = 0;
  Bytes router_buffer = 0;
  int virtual_channels = 1;
  Time pe_wire = 0, hbm_wire = 0, sram_wire = 0, router_wire = 0;

  std::int64_t hbm_bandwidth = 0;
  int pseudo_channels = 1;
  Bytes burst = 0;
  Time hbm_read_latency = 0, turnaround = 0;
  int write_batch = 16, write_queue = 32;
  Bytes hbm_port_buffer = 0;

  std::int64_t sram_bandwidth = 0;
  Time sram_latency = 0;
  int sram_router = 0;
  Bytes sram_port_buffer = 0;

  std::int64_t clock = 0;
  Time control_latency = 0, setup_latency = 0;
  Bytes tcm_capacity = 0;
  std::int64_t tcm_read_bandwidth = 0, tcm_write_bandwidth = 0;
  int outstanding_bursts = 0, lanes = 1, vector_latency_cycles = 0;

  int slots = 1;
  Bytes slot_bytes = 0, credit_bytes = 0;
  Tier tier = Tier::tcm;
  bool poll = false, inline_consumer = false;
  Time wake_latency = 0, poll_interval = 0;
  Bytes packet_bytes = 0;

  int pes_per_die() const { return routers.count(); }
  int pes_per_package() const { return dies.count() * pes_per_die(); }
  int pes() const { return packages.count() * pes_per_package(); }
};

Machine read_machine(const YAML::Node& root);
Tier tier_named(const std::string& name);
Arrangement arrangement_named(const std::string& name);

}  // namespace calc
