// A machine file in which no two values are equal, and helpers to change and read it. Line numbers matter to the tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

inline constexpr std::string_view kExample = R"(schema: kernbench.machine/1
name: example.m-1
system:
  packages: {rows: 3, columns: 5}
  arrangement: torus
  package_link: {bandwidth: 1 GB/s, latency: 25 ns, switch_latency: 1 ns, buffer: 26 KiB}
  host_link: {bandwidth: 2 GB/s, latency: 2 ns}
  io_processor_latency: 3 ns
package:
  dies: {rows: 6, columns: 7}
  die_to_die: {connections: 220, bandwidth: 3 GB/s, port_latency: 4 ns, buffer: 27 KiB}
die:
  routers: {rows: 10, columns: 11}
  router: {hop_latency: 5 ns, link_bandwidth: 4 GB/s, virtual_channels: 3, buffer: 28 KiB}
  wire: {delay: 6 ps/mm, pe_to_router: 7 um, hbm_to_router: 8 um, router_to_router: 9 um, sram_to_router: 24 um}
  hbm:
    bandwidth: 5 GB/s
    pseudo_channels: 4
    burst: 64 B
    read_latency: 10 ns
    turnaround: 11 ns
    write_batch: 35
    write_queue: 72
    port_buffer: 37 KiB
    model: own_dram
    capacity: 1 GiB
  sram: {capacity: 2 GiB, bandwidth: 6 GB/s, latency: 12 ns, router: 29, port_buffer: 38 KiB}
pe:
  clock: 1.7 GHz
  control_latency: 13 ns
  scheduler_latency: 14 ns
  tcm: {capacity: 3 GiB, read_bandwidth: 7 GB/s, write_bandwidth: 8 GB/s}
  dma: {setup_latency: 15 ns, outstanding_bursts: 12}
  stream_depth: 13
  output_depth: 14
  fetch_bandwidth: 9 GB/s
  store_bandwidth: 10 GB/s
  mac:
    macs_per_cycle: 15
    fill_cycles: 16
    operand_registers: 17
    accumulators: 18
    tile: {m: 19, k: 20, n: 21}
  vector: {lanes: 22, latency_cycles: 23}
  message_queue: {slots: 30, slot_bytes: 31 KiB, credit_bytes: 32 B, tier: hbm, wait: poll, wake_latency: 33 ns,
    poll_interval: 34 ns, consumer: inline}
simulation:
  packet_bytes: 128 B
)";

/// kExample with the first `from` replaced by `to`.
inline std::string changed(std::string_view from, std::string_view to, std::string text = std::string(kExample)) {
  const auto at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("not in the example: " + std::string(from));
  return text.replace(at, from.size(), to);
}

/// What parse_machine says about `text`; "" where it has no complaint.
inline std::string errors_of(std::string_view text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_machine(text, "m.yaml", overrides);
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// The message of a single error: `line` and the closing count.
inline std::string one_error(std::string_view line) {
  std::string text(line);
  return text.append("\n1 error in machine m.yaml");
}

}  // namespace kernbench
