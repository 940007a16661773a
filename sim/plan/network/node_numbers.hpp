// How the nodes of a network are numbered (adr/0016, 16.2): package by package, in each its routers, PEs, HBM
// controllers, SRAMs, switch and host; the switch between packages, if any, is the last node.
#pragma once

#include <cstdint>

namespace kernbench {

struct NodeNumbers {
  std::int32_t dies = 0;         ///< a package
  std::int32_t die_routers = 0;  ///< a die
  std::int32_t die_hbms = 0;     ///< controllers of a die

  [[nodiscard]] constexpr std::int32_t routers() const { return dies * die_routers; }
  [[nodiscard]] constexpr std::int32_t per_package() const { return io_switch() + 2; }

  // Within a package.
  [[nodiscard]] constexpr std::int32_t router(std::int32_t die, std::int32_t router) const {
    return die * die_routers + router;
  }
  [[nodiscard]] constexpr std::int32_t pe(std::int32_t die, std::int32_t at) const {
    return routers() + router(die, at);
  }
  [[nodiscard]] constexpr std::int32_t hbm(std::int32_t die, std::int32_t at) const {
    return 2 * routers() + die * die_hbms + at;
  }
  [[nodiscard]] constexpr std::int32_t sram(std::int32_t die) const { return hbm(dies, 0) + die; }
  [[nodiscard]] constexpr std::int32_t io_switch() const { return sram(dies); }
  [[nodiscard]] constexpr std::int32_t host() const { return io_switch() + 1; }
};

}  // namespace kernbench
