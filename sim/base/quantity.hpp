// Quantities as a person writes them ("256 GB/s", "0.01 ns/mm"), read exactly into integers of one base unit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kernbench {

/// What a quantity measures; in brackets the base unit its integer counts.
enum class Dimension {
  kTime,            ///< ps, ns, us [ps]
  kBandwidth,       ///< B/s, kB/s, MB/s, GB/s, TB/s, powers of 1000 [B/s]
  kFrequency,       ///< Hz, kHz, MHz, GHz [Hz]
  kBytes,           ///< B, KiB, MiB, GiB, TiB, powers of 1024 [B]
  kLength,          ///< um, mm [um]
  kDelayPerLength,  ///< ps/mm, ns/mm [ps/mm]
  kEnergy,          ///< fJ, pJ, nJ [fJ]
  kEnergyPerByte,   ///< fJ/B, pJ/B, nJ/B [fJ/B]
  kPower,           ///< mW, W [mW]
  kPrice,           ///< a plain number, in millionths of a unit that the machine file names
  kRatio,           ///< a plain number, in millionths
  kCount            ///< a plain whole number
};

struct Unit {
  std::string_view name;
  std::int64_t factor = 1;  ///< base units in one of this
};

/// The units a dimension is written in, smallest (the base unit) first. A price, a ratio and a count have none.
std::span<const Unit> units_of(Dimension dimension);

/// "a time such as 4 ns": how messages ask for a quantity.
std::string_view example_of(Dimension dimension);

/// The base units in `text`, exactly: decimals are never rounded and never pass through a double.
/// Throws ConfigError ("expected ..., got ...", without a place) for anything but a non-negative decimal number with a
/// unit of the dimension, for a value that is no whole number of base units, and for one that 63 bits do not hold.
std::int64_t parse_quantity(std::string_view text, Dimension dimension);

/// The shortest exact way to write `value` (in base units, not negative): parse_quantity reads the same value back.
std::string format_quantity(std::int64_t value, Dimension dimension);

}  // namespace kernbench
