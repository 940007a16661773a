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

}  // namespace

std::filesystem::path partial_file(const std::filesystem::path& path) { return path.string() + ".partial"; }

TraceFile::TraceFile(std::filesystem::path path) : path_(std::move(path)), temporary_(partial_file(path_)) {
  const int descriptor = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw ConfigError(refusal(std::strerror(errno)));
  file_.reset(::gzdopen(descriptor, path_.extension() == ".gz" ? "wb1" : "wbT"));
  if (!file_) {
    ::close(descriptor);
    ::unlink(temporary_.c_str());
    throw SimulationError(refusal("out of memory"));
  }
  ::gzbuffer(file_.get(), kBufferBytes);
}

TraceFile::~TraceFile() {
  if (temporary_.empty()) return;
  file_.reset();
  ::unlink(temporary_.c_str());
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
  if (failure_.empty()) bring_to_disk();
  if (!failure_.empty()) throw SimulationError(refusal(failure_));
  std::error_code error;
  std::filesystem::rename(temporary_, path_, error);
  if (error) throw SimulationError(refusal(error.message()));
  temporary_.clear();
}

void TraceFile::bring_to_disk() {
  const int descriptor = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0 || ::fsync(descriptor) != 0) failure_ = std::strerror(errno);
  if (descriptor >= 0) ::close(descriptor);
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
