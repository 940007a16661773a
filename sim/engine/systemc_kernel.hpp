// One process, several simulations, one after the other (adr/0001-engine.md, 1.19).
#pragma once

namespace kernbench {

/// Puts SystemC's kernel, which is global, as it is in a new process. Call it between two simulations: modules, events
/// and processes of the one before must be gone.
void renew_systemc();

}  // namespace kernbench
