#include "benches/io/files/gzip.hpp"

#include <zlib.h>

#include "sim/base/errors.hpp"

namespace kernbench {

std::string gzipped(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemory = 8;
  z_stream stream{};
  if (::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw SimulationError("a gzip file cannot be made: out of memory");
  }
  std::string packed(::deflateBound(&stream, bytes.size()), '\0');
  // zlib takes what it reads as not constant, and changes nothing.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());  // NOLINT
  stream.avail_out = static_cast<uInt>(packed.size());
  const int end = ::deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (end != Z_STREAM_END) throw SimulationError("a gzip file cannot be made of more than 4 GiB");
  return packed;
}

}  // namespace kernbench
