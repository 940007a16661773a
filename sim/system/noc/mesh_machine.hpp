// The machine whose network is that of a mesh of flit routers, as far as packet routers can be (adr/0017).
#pragma once

#include "sim/hw/noc/flit_fabric.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

inline constexpr Picoseconds kMeshCycle{1000};
inline constexpr Bytes kFlitBytes = 32;

/// One die with the mesh's routers; node n is PE n. Throws ConfigError for what packet routers do not have.
[[nodiscard]] MachineSpec mesh_machine(const FlitMeshConfig& mesh);

}  // namespace kernbench
