// A trace read back the way a viewer reads it: events sorted by time, then a stack of open slices on every track.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

struct DecodedSlice {
  std::string track;  ///< as the viewer names it, e.g. "pe0.dma_in #2"
  std::string name;
  std::string category;
  std::int64_t start_ps = 0;
  std::int64_t end_ps = 0;
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::string> texts;
  std::uint64_t flow = 0;  ///< 0: none

  /// The track without its lane number.
  [[nodiscard]] std::string engine() const { return track.substr(0, track.find(" #")); }
};

struct DecodedTrace {
  std::string title;
  std::vector<std::string> tracks;   ///< below the title, from the top
  std::vector<DecodedSlice> slices;  ///< of these tracks, by start; ties in file order
  DecodedSlice run;                  ///< the slice over everything
};

/// The whole file, decompressed where it is compressed. Throws std::runtime_error where it is cut short.
std::string read_decompressed(const std::filesystem::path& path);

/// Throws std::runtime_error for anything a viewer would drop or misdraw: a slice without an end, one that overlaps
/// another of its track, a track without a name, an interned name that is not there.
DecodedTrace decode_perfetto(const std::string& bytes);
DecodedTrace decode_chrome(const std::string& text);
