#include "benches/io/files/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "benches/io/files/disk.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

using namespace std::chrono_literals;

/// How long a program that was killed may take to go: its forked children end right after it, and hold the lock till
/// then.
constexpr auto kPatience = 1000ms;
constexpr auto kPause = 20ms;

}  // namespace

FolderLock::FolderLock(std::filesystem::path folder, const std::string& who, const std::string& remedy)
    : path_(std::move(folder)) {
  disk::make_folders(path_);
  folder_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder_.get() < 0) disk::refuse("cannot open the folder " + path_.string(), errno);
  for (auto waited = 0ms; ::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0; waited += kPause) {
    if (errno != EWOULDBLOCK && errno != EINTR) disk::refuse("cannot lock the folder " + path_.string(), errno);
    if (waited >= kPatience) throw ConfigError(who + " is writing to " + path_.string() + ": " + remedy);
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace kernbench
