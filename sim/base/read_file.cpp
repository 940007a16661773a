#include "sim/base/read_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>

#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = std::size_t{1} << 16U;

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw ConfigError("cannot read " + path.string() + ": " + why);
}

/// Asked before opening: opening a pipe waits for whoever writes to it.
void require_regular(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (error) refuse(path, error.message());
  switch (status.type()) {
    case fs::file_type::regular:
      return;
    case fs::file_type::directory:
      refuse(path, "expected a file, got a folder");
    case fs::file_type::fifo:
      refuse(path, "expected a file, got a pipe; write it to a file first");
    default:
      refuse(path, "expected a file, got a device or a socket");
  }
}

}  // namespace

std::string read_file(const fs::path& path, std::size_t most) {
  require_regular(path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  // By pieces, because some files do not say their size beforehand.
  while (file && bytes.size() <= most) {
    const std::size_t begin = bytes.size();
    bytes.resize(begin + kPiece);
    file.read(bytes.data() + begin, static_cast<std::streamsize>(kPiece));
    bytes.resize(begin + static_cast<std::size_t>(file.gcount()));
  }
  if (!file.is_open() || file.bad()) refuse(path, std::strerror(errno));
  if (bytes.size() > most) {
    refuse(path, "expected at most " + format_quantity(static_cast<std::int64_t>(most), Dimension::kBytes) +
                     ", got a larger file");
  }
  return bytes;
}

}  // namespace kernbench
