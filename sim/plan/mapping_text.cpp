// Mappings as they are written on a command line and in results.
#include <algorithm>
#include <array>
#include <charconv>

#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/gemm_mapping.hpp"

namespace kernbench {

namespace {

constexpr std::array<std::string_view, 7> kParts{"tile", "block", "order", "buffers", "stream", "sums", "split_k"};

constexpr std::string_view kInHbm = "@hbm";

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

TileShape parse_shape(const std::string& text, const std::string& place) {
  const std::vector<std::string> parts = split(text, "x");
  std::array<std::int64_t, 3> sizes{};
  bool good = parts.size() == sizes.size();
  for (std::size_t i = 0; good && i < sizes.size(); ++i) {
    const std::optional<std::int64_t> size = whole_number(parts[i]);
    good = size && *size >= 1 && *size <= kLargestDimension;
    if (good) sizes.at(i) = *size;
  }
  if (!good) throw ConfigError(place + ": expected MxKxN in elements, as 256x512x256, got " + in_quotes(text));
  return {sizes[0], sizes[1], sizes[2]};
}

std::int64_t parse_buffers(const std::string& text, const std::string& place) {
  const std::optional<std::int64_t> buffers = whole_number(text);
  if (buffers && *buffers >= 1 && *buffers <= kMostBuffers) return *buffers;
  throw ConfigError(place + ": expected 1 to " + std::to_string(kMostBuffers) + ", got " + in_quotes(text));
}

namespace {

Residency parse_stream(const std::string& text, const std::string& place) {
  if (text == "none") return {true, true};
  if (text == "a") return {false, true};
  if (text == "b") return {true, false};
  if (text == "ab") return {false, false};
  throw ConfigError(place + ": expected none, a, b or ab, the operands that are streamed tile by tile, got " +
                    in_quotes(text));
}

std::int64_t parse_split(const std::string& text, const std::string& place) {
  const std::optional<std::int64_t> parts = whole_number(text);
  if (parts && *parts >= 1) return *parts;
  throw ConfigError(place + ": expected 1 or more, the PEs that K is split between, got " + in_quotes(text));
}

/// A format, with "@hbm" where they are kept there.
SumStorage parse_sums(const std::string& text, const std::string& place) {
  const auto at = text.find('@');
  const SumFormat format = kSumFormats.parse(text.substr(0, at), place);
  if (at == std::string::npos) return format;
  if (text.substr(at) != kInHbm) {
    throw ConfigError(place + ": expected " + text.substr(0, at) + ", which is kept in TCM, or " + text.substr(0, at) +
                      std::string(kInHbm) + ", got " + in_quotes(text));
  }
  return {format, SumPlace::kHbm};
}

void parse_part(const std::string& name, const std::string& value, const std::string& place, MappingRequest& request) {
  if (name == "tile") request.tile = parse_shape(value, place);
  if (name == "block") request.block = parse_shape(value, place);
  if (name == "order") request.order = kLoopOrders.parse(value, place);
  if (name == "buffers") request.buffers = parse_buffers(value, place);
  if (name == "stream") request.blocks = parse_stream(value, place);
  if (name == "split_k") request.split_k = parse_split(value, place);
  if (name == "sums") request.sums = parse_sums(value, place);
}

std::string_view stream_text(Residency blocks) {
  if (blocks.a && blocks.b) return "none";
  if (blocks.a) return "b";
  return blocks.b ? "a" : "ab";
}

}  // namespace

std::string to_text(const TileShape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.k) + "x" + std::to_string(shape.n);
}

std::string to_text(const GemmMapping& mapping) {
  return "tile=" + to_text(mapping.tile) + " block=" + to_text(mapping.block) +
         " order=" + std::string(kLoopOrders[mapping.order]) + " buffers=" + std::to_string(mapping.buffers) +
         " stream=" + std::string(stream_text(mapping.blocks)) + " sums=" + to_text(mapping.sums);
}

std::string to_text(const SumStorage& sums) {
  return std::string(kSumFormats[sums.format]) + (sums.place == SumPlace::kHbm ? std::string(kInHbm) : "");
}

MappingRequest parse_mapping(std::string_view text, std::string_view place) {
  MappingRequest request;
  std::string separated(trimmed(text));
  if (separated == "auto") return request;
  std::ranges::replace(separated, ',', ' ');
  std::string named;
  for (const std::string& part : split(separated, " ")) {
    if (part.empty()) continue;
    const auto at = part.find('=');
    const std::string name = part.substr(0, at);
    const std::string whole = std::string(place) + " " + in_quotes(text);
    if (std::ranges::find(kParts, name) == kParts.end()) refuse_name("part of a mapping", name, kParts, whole);
    if (at == std::string::npos) throw ConfigError(whole + ": expected " + name + "=VALUE");
    if (named.find(" " + name + " ") != std::string::npos) throw ConfigError(whole + ": " + name + " is given twice");
    named += " " + name + " ";
    parse_part(name, part.substr(at + 1), std::string(place) + " " + name, request);
  }
  if (named.empty()) {
    throw ConfigError(std::string(place) + ": expected auto, or parts of a mapping, as block=256x512x256 order=mnk");
  }
  return request;
}

GemmMapping complete_mapping(const MappingRequest& request) {
  return {request.tile.value(),   request.block.value(),   request.order.value(),
          request.blocks.value(), request.buffers.value(), request.sums.value()};
}

void expect_one_pe(const MappingRequest& request, const std::string& place) {
  if (request.split_k.value_or(1) <= 1) return;
  throw ConfigError(place + " split_k: expected 1 on one PE; with --over several PEs split K");
}

}  // namespace kernbench
