#include "benches/harness/figures/write_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>
#include <system_error>

namespace kernbench {

void write_file(const std::filesystem::path& file, std::string_view bytes) {
  std::filesystem::path beside = file;
  beside += ".tmp" + std::to_string(getpid());
  {
    errno = 0;
    std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream) {
      const int reason = errno;
      std::error_code ignored;
      std::filesystem::remove(beside, ignored);
      throw std::system_error(reason != 0 ? reason : EIO, std::generic_category(), "cannot write " + file.string());
    }
  }
  std::filesystem::rename(beside, file);
}

}  // namespace kernbench
