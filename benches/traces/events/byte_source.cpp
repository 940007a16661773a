#include "benches/traces/events/byte_source.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "benches/io/files/file_descriptor.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::size_t kCompressedChunk = std::size_t{256} << 10U;
constexpr int kGzipOnly = 16 + MAX_WBITS;  // of inflateInit2: a gzip header, the largest window

class PlainBytes : public ByteSource {
 public:
  PlainBytes(std::string name, FileDescriptor file) : name_(std::move(name)), file_(std::move(file)) {}

  std::size_t read(char* out, std::size_t most) override {
    while (true) {
      const ssize_t got = ::read(file_.get(), out, most);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw ConfigError(name_ + ": cannot be read: " + std::strerror(errno));
    }
  }
  [[nodiscard]] const std::string& name() const override { return name_; }

 private:
  std::string name_;
  FileDescriptor file_;
};

/// Of one or more gzip members, one after another.
class GzipBytes : public ByteSource {
 public:
  explicit GzipBytes(std::unique_ptr<ByteSource> compressed)
      : compressed_(std::move(compressed)), chunk_(kCompressedChunk) {
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~GzipBytes() override { inflateEnd(&stream_); }
  GzipBytes(const GzipBytes&) = delete;
  GzipBytes& operator=(const GzipBytes&) = delete;

  std::size_t read(char* out, std::size_t most) override {
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(most);
    while (stream_.avail_out == most && !ended_) inflate_some();
    return most - stream_.avail_out;
  }
  [[nodiscard]] const std::string& name() const override { return compressed_->name(); }

 private:
  void inflate_some() {
    if (stream_.avail_in == 0 && !fill()) {
      if (!between_members_) {
        refuse("truncated: its gzip data end at byte " + std::to_string(read_) + ": copy the file again");
      }
      ended_ = true;
      return;
    }
    between_members_ = false;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
      refuse("no valid gzip data at byte " + std::to_string(read_ - stream_.avail_in) + ": " +
             (stream_.msg == nullptr ? "damaged" : stream_.msg) + ": copy the file again");
    }
  }

  bool fill() {
    const std::size_t got = compressed_->read(chunk_.data(), chunk_.size());
    read_ += got;
    stream_.next_in = reinterpret_cast<Bytef*>(chunk_.data());
    stream_.avail_in = static_cast<uInt>(got);
    return got > 0;
  }

  [[noreturn]] void refuse(const std::string& what) const { throw ConfigError(name() + ": " + what); }

  std::unique_ptr<ByteSource> compressed_;
  std::vector<char> chunk_;
  z_stream stream_{};
  std::uint64_t read_ = 0;  ///< compressed bytes
  bool between_members_ = false;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file) {
  const std::string name = printable(file.string());
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!error && std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw ConfigError(name + ": expected a trace file, got no regular file");
  }
  FileDescriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) throw ConfigError(name + ": cannot be opened: " + std::strerror(errno));
  std::array<unsigned char, 2> magic{};
  const bool is_gzip =
      ::pread(descriptor.get(), magic.data(), magic.size(), 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
  auto plain = std::make_unique<PlainBytes>(name, std::move(descriptor));
  if (!is_gzip) return plain;
  return std::make_unique<GzipBytes>(std::move(plain));
}

}  // namespace kernbench::traces
