// Temporary and rename, in the folder of the target: a rename does not cross file systems.
#include "benches/harness/write_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "sim/base/errors.hpp"

namespace kernbench {

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) throw ConfigError("cannot make the folder " + path.parent_path().string() + ": " + error.message());
  const std::filesystem::path temporary = path.string() + ".tmp" + std::to_string(::getpid());
  errno = 0;
  std::ofstream file(temporary, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    const std::string why = std::strerror(errno);
    std::filesystem::remove(temporary, error);
    throw ConfigError("cannot write " + path.string() + ": " + why);
  }
  std::filesystem::rename(temporary, path, error);
  if (error) {
    const std::string why = error.message();
    std::filesystem::remove(temporary, error);
    throw ConfigError("cannot write " + path.string() + ": " + why);
  }
}

std::string read_file(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  if (file && file.peek() != std::ifstream::traits_type::eof()) bytes << file.rdbuf();
  if (file.bad() || !file.is_open()) throw ConfigError("cannot read " + path.string() + ": " + std::strerror(errno));
  return std::move(bytes).str();
}

}  // namespace kernbench
