// What figures say of measured results that they show (ADR-0025).
#pragma once

#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

/// "NVIDIA H200" of a source kind "gpu:NVIDIA H200".
std::string device_of(const Results& measured);

/// A colour for the series at `index` among the measured ones, none that a simulated series has.
const char* measured_colour(std::size_t index);

/// Whether a second run differed by more than 5 % (ADR-0022, 22.10).
bool is_noisy(const Row& row);

/// One line each: device, driver, CUDA and date; and, where some are, how many of the rows shown are noisy.
std::vector<std::string> measured_notes(const std::vector<Results>& measured, const std::vector<const Row*>& shown);

}  // namespace kernbench
