// Cairo's own writer tries five filters on each row and packs at zlib's level 6: three times the work for a file that
// is a tenth larger, since a figure is flat areas that no filter makes flatter.
#include "benches/results/figures/encode_png.hpp"

#include <zlib.h>

#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace kernbench {
namespace {

constexpr int kLevel = 3;  // the next costs half as much again and saves 7 %

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) bytes += static_cast<char>(value >> shift & 0xFFU);
  return bytes;
}

const Bytef* as_bytes(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast)
}

/// Length, type, data, and the checksum of the last two.
std::string chunk(const char* type, const std::string& data) {
  const std::string body = type + data;
  const auto checksum = ::crc32(0, as_bytes(body), static_cast<uInt>(body.size()));
  return big_endian(data.size()) + body + big_endian(checksum);
}

/// Packs what it is given, piece by piece: the pixels as a whole would be tens of megabytes more.
class Packer {
 public:
  Packer() {
    if (::deflateInit(&stream_, kLevel) != Z_OK) throw std::runtime_error("figures: cannot write a PNG: out of memory");
  }
  ~Packer() { ::deflateEnd(&stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;
  Packer(Packer&&) = delete;
  Packer& operator=(Packer&&) = delete;

  void add(std::string_view bytes) { run(bytes, Z_NO_FLUSH); }
  [[nodiscard]] std::string end() {
    run({}, Z_FINISH);
    return std::move(packed_);
  }

 private:
  void run(std::string_view bytes, int flush) {
    stream_.next_in = const_cast<Bytef*>(as_bytes(bytes));  // NOLINT: zlib takes what it reads as not constant
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = piece_.data();
      stream_.avail_out = static_cast<uInt>(piece_.size());
      ::deflate(&stream_, flush);
      packed_.append(piece_.begin(), piece_.end() - static_cast<std::ptrdiff_t>(stream_.avail_out));
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::array<Bytef, 65536> piece_{};
  std::string packed_;
};

std::string packed(std::span<const std::uint32_t> pixels, std::size_t width, std::size_t stride) {
  Packer packer;
  std::string row(1 + 3 * width, '\0');  // begins with its filter: none
  for (std::size_t begin = 0; begin < pixels.size(); begin += stride) {
    auto at = row.begin() + 1;
    for (const std::uint32_t pixel : pixels.subspan(begin, width)) {
      *at++ = static_cast<char>(pixel >> 16U & 0xFFU);
      *at++ = static_cast<char>(pixel >> 8U & 0xFFU);
      *at++ = static_cast<char>(pixel & 0xFFU);
    }
    packer.add(row);
  }
  return packer.end();
}

}  // namespace

std::string encode_png(std::span<const std::uint32_t> pixels, std::size_t width, std::size_t stride) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  const std::string eight_bits_of_rgb("\x08\x02\x00\x00\x00", 5);
  const std::string header = big_endian(width) + big_endian(pixels.size() / stride) + eight_bits_of_rgb;
  return std::string(kSignature) + chunk("IHDR", header) + chunk("IDAT", packed(pixels, width, stride)) +
         chunk("IEND", "");
}

}  // namespace kernbench
