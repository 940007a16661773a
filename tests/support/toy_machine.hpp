// What runs of a bench in this process need: a machine that nobody simulates, and silence.
#pragma once

#include <spdlog/spdlog.h>

#include <string>

#include "sim/machine/load_machine.hpp"

[[nodiscard]] inline kernbench::LoadedMachine toy_machine(const std::string& sha256 = "0123456789abcdef") {
  kernbench::LoadedMachine loaded;
  loaded.spec.name = "toy-machine";
  loaded.sha256 = sha256;
  return loaded;
}

/// What a run logs is not what is tested.
inline const bool silent = [] {
  spdlog::set_level(spdlog::level::off);
  return true;
}();
