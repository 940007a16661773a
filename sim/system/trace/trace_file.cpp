// zlib writes both: its mode "T" passes bytes through uncompressed.
#include "sim/system/trace/trace_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

constexpr unsigned kBufferBytes = 256 * 1024;
constexpr mode_t kMode = 0666;

/// In the folder of `path`; -1, with errno, where that cannot be.
int open_without_name(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  return ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode);
}

}  // namespace

std::filesystem::path partial_file(const std::filesystem::path& path) { return path.string() + ".partial"; }

TraceFile::TraceFile(std::filesystem::path path)
    : path_(std::move(path)),
      temporary_(partial_file(path_)),
      descriptor_(open_without_name(path_)),
      is_named_(descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
  if (is_named_) descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (descriptor_ < 0) throw ConfigError(refusal(std::strerror(errno)));
  const int written = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (written >= 0) file_.reset(::gzdopen(written, path_.extension() == ".gz" ? "wb1" : "wbT"));
  if (!file_) {
    if (written >= 0) ::close(written);
    discard();
    throw SimulationError(refusal("out of memory"));
  }
  ::gzbuffer(file_.get(), kBufferBytes);
}

TraceFile::~TraceFile() {
  file_.reset();
  discard();
}

void TraceFile::discard() {
  if (descriptor_ < 0) return;
  ::close(std::exchange(descriptor_, -1));
  if (is_named_) ::unlink(temporary_.c_str());
}

void TraceFile::write(std::string_view bytes) {
  if (!failure_.empty() || bytes.empty()) return;
  if (::gzwrite(file_.get(), bytes.data(), static_cast<unsigned>(bytes.size())) == 0) remember_failure();
}

void TraceFile::commit() {
  if (failure_.empty()) {
    errno = 0;
    if (::gzclose(file_.release()) != Z_OK)
      failure_ = errno != 0 ? std::strerror(errno) : "the file could not be closed";
  }
  // Before it has a name: one on the disk without its bytes would be a trace that is not whole.
  if (failure_.empty() && ::fsync(descriptor_) != 0) failure_ = std::strerror(errno);
  if (failure_.empty() && !is_named_) name_it();
  if (!failure_.empty()) throw SimulationError(refusal(failure_));
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) throw SimulationError(refusal(error.message()));
  is_named_ = false;  // no longer by that name
}

void TraceFile::name_it() {
  ::unlink(temporary_.c_str());  // of a program that was killed
  const std::string file = "/proc/self/fd/" + std::to_string(descriptor_);
  is_named_ = ::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0;
  if (!is_named_) failure_ = std::strerror(errno);
}

void TraceFile::remember_failure() {
  const int system_error = errno;
  int code = Z_OK;
  const char* message = ::gzerror(file_.get(), &code);
  failure_ = code == Z_ERRNO ? std::strerror(system_error) : message;
}

std::string TraceFile::refusal(const std::string& why) const {
  return "cannot write the trace " + path_.string() + ": " + why;
}

}  // namespace kernbench
