// The machine file's schema for editors: completion, hover text and red underlines while a file is written.
#pragma once

#include <string>

namespace kernbench {

/// A JSON Schema (draft 2020-12) of the machine file, from the same table as everything else. It knows keys, units and
/// words; ranges and contradictions are for load_machine.
std::string machine_json_schema();

}  // namespace kernbench
