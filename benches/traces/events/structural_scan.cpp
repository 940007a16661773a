// 64 bytes at a time, a bit each. A block with a backslash is read byte by byte: they are rare.
#include "benches/traces/events/structural_scan.hpp"

#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace kernbench::traces {
namespace {

constexpr std::size_t kBlock = 64;

struct BlockMasks {
  std::uint64_t quote = 0;
  std::uint64_t backslash = 0;
  std::uint64_t open = 0;   ///< { and [
  std::uint64_t close = 0;  ///< } and ]
  std::uint64_t comma = 0;
};

#ifdef __SSE2__
BlockMasks masks_of(const char* block) {
  BlockMasks masks;
  for (unsigned part = 0; part < 4; ++part) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + std::size_t{16} * part));
    const auto equal = [part](__m128i in, char character) {
      const int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(in, _mm_set1_epi8(character)));
      return static_cast<std::uint64_t>(static_cast<unsigned>(bits)) << (16 * part);
    };
    const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // [ becomes {, ] becomes }
    masks.quote |= equal(bytes, '"');
    masks.backslash |= equal(bytes, '\\');
    masks.open |= equal(lower, '{');
    masks.close |= equal(lower, '}');
    masks.comma |= equal(bytes, ',');
  }
  return masks;
}
#else
BlockMasks masks_of(const char* block) {
  BlockMasks masks;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char character = block[i];
    if (character == '"') masks.quote |= bit;
    if (character == '\\') masks.backslash |= bit;
    if (character == '{' || character == '[') masks.open |= bit;
    if (character == '}' || character == ']') masks.close |= bit;
    if (character == ',') masks.comma |= bit;
  }
  return masks;
}
#endif

/// Each bit is the parity of those up to it.
std::uint64_t parity_up_to(std::uint64_t bits) {
  for (unsigned shift = 1; shift < kBlock; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// Where a scan stands; true of its functions: it has ended.
class Scan {
 public:
  Scan(const char* text, ScanState& state, ScanFor what) : text_(text), state_(state), what_(what) {}

  [[nodiscard]] bool block(std::size_t at) {
    const BlockMasks masks = masks_of(text_ + at);
    if (masks.backslash != 0 || state_.is_escaped) return bytes(at, at + kBlock);
    const std::uint64_t inside = parity_up_to(masks.quote) ^ (state_.in_string ? ~std::uint64_t{0} : 0);
    state_.in_string = (inside >> (kBlock - 1)) != 0;
    const std::uint64_t close = masks.close & ~inside;
    std::uint64_t marks = (masks.open & ~inside) | close;
    if (state_.depth == 0 || close != 0) marks |= masks.comma & ~inside;
    for (; marks != 0; marks &= marks - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(marks));
      const bool is_open = ((masks.open >> bit) & 1U) != 0;
      const bool is_close = ((masks.close >> bit) & 1U) != 0;
      if (mark(at + bit, is_open, is_close)) return true;
    }
    return false;
  }

  [[nodiscard]] bool bytes(std::size_t begin, std::size_t end) {
    for (std::size_t at = begin; at < end; ++at) {
      if (byte(at)) return true;
    }
    return false;
  }

  [[nodiscard]] const ScanResult& result() const { return result_; }

 private:
  [[nodiscard]] bool byte(std::size_t at) {
    const char character = text_[at];
    if (state_.is_escaped) {
      state_.is_escaped = false;
    } else if (character == '\\') {
      state_.is_escaped = state_.in_string;
    } else if (character == '"') {
      state_.in_string = !state_.in_string;
    } else if (!state_.in_string) {
      const bool is_open = character == '{' || character == '[';
      const bool is_close = character == '}' || character == ']';
      return (is_open || is_close || character == ',') && mark(at, is_open, is_close);
    }
    return false;
  }

  /// A bracket, or else a comma.
  [[nodiscard]] bool mark(std::size_t at, bool is_open, bool is_close) {
    if (is_open) {
      ++state_.depth;
    } else if (is_close) {
      if (state_.depth == 0) {
        result_.close = at;
        return true;
      }
      --state_.depth;
    } else if (state_.depth == 0) {
      result_.comma = at;
      return what_ == ScanFor::kFirstComma;
    }
    return false;
  }

  const char* text_;
  ScanState& state_;
  ScanFor what_;
  ScanResult result_;
};

}  // namespace

ScanResult scan_array(const char* text, std::size_t begin, std::size_t end, ScanState& state, ScanFor what) {
  Scan scan(text, state, what);
  std::size_t at = begin;
  for (; at + kBlock <= end; at += kBlock) {
    if (scan.block(at)) return scan.result();
  }
  static_cast<void>(scan.bytes(at, end));
  return scan.result();
}

}  // namespace kernbench::traces
