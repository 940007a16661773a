#include "benches/traces/merge/sorted_records.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::size_t kWriteChunk = std::size_t{1} << 20U;
constexpr std::size_t kMostOfRun = std::size_t{256} << 10U;  // of a run in memory
constexpr std::size_t kLeastOfRun = std::size_t{16} << 10U;

struct StoredHead {
  RecordHead head;
  std::uint64_t size = 0;
};

/// As they are to come out.
auto record_order(const RecordHead& head) { return std::tuple(head.track, head.start, head.kind, -head.duration); }

[[noreturn]] void fail(const std::filesystem::path& folder, const char* what) {
  throw SimulationError("a temporary file in " + printable(folder.string()) + " cannot be " + what + ": " +
                        std::strerror(errno));
}

}  // namespace

SortedRecords::SortedRecords(std::filesystem::path folder, std::size_t memory)
    : folder_(folder.empty() ? "." : std::move(folder)), memory_(memory) {}

void SortedRecords::add(const RecordHead& head, std::string_view payload) {
  entries_.push_back({head, payloads_.size(), static_cast<std::uint32_t>(payload.size())});
  payloads_ += payload;
  if (payloads_.size() + entries_.size() * sizeof(Entry) >= memory_) spill();
}

void SortedRecords::write(std::string_view bytes) {
  if (!write_all(file_.get(), bytes)) fail(folder_, "written");
  written_ += bytes.size();
}

void SortedRecords::spill() {
  if (entries_.empty()) return;
  if (file_.get() < 0) {
    std::string name = (folder_ / ".kernbench-XXXXXX").string();
    file_ = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (file_.get() < 0) fail(folder_, "made");
    ::unlink(name.c_str());
  }
  std::ranges::stable_sort(entries_, {}, [](const Entry& entry) { return record_order(entry.head); });
  Run& run = runs_.emplace_back();
  run.at = written_;
  std::string chunk;
  for (const Entry& entry : entries_) {
    const StoredHead stored{entry.head, entry.size};
    chunk.append(reinterpret_cast<const char*>(&stored), sizeof(stored));
    chunk.append(payloads_, entry.offset, entry.size);
    if (chunk.size() < kWriteChunk) continue;
    write(chunk);
    chunk.clear();
  }
  write(chunk);
  run.end = written_;
  entries_.clear();
  payloads_.clear();
}

void SortedRecords::finish() {
  spill();
  payloads_ = {};
  entries_ = {};
}

/// So that `wanted` bytes from `used` on are in memory.
void SortedRecords::fill(Run& run, std::size_t wanted) const {
  std::memmove(run.buffer.data(), run.buffer.data() + run.used, run.filled - run.used);
  run.filled -= run.used;
  run.used = 0;
  if (run.buffer.size() < wanted) run.buffer.resize(wanted);
  while (run.filled < wanted) {
    const std::size_t most = std::min<std::uint64_t>(run.buffer.size() - run.filled, run.end - run.at);
    const ssize_t got = ::pread(file_.get(), run.buffer.data() + run.filled, most, static_cast<off_t>(run.at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(folder_, "read");
    run.filled += static_cast<std::size_t>(got);
    run.at += static_cast<std::uint64_t>(got);
  }
}

/// False at the run's end.
bool SortedRecords::advance(Run& run) const {
  if (run.used == run.filled && run.at == run.end) return false;
  StoredHead stored;
  if (run.filled - run.used < sizeof(stored)) fill(run, sizeof(stored));
  std::memcpy(&stored, run.buffer.data() + run.used, sizeof(stored));
  const std::size_t whole = sizeof(stored) + stored.size;
  if (run.filled - run.used < whole) fill(run, whole);
  run.front = {stored.head, run.used + sizeof(stored), static_cast<std::uint32_t>(stored.size)};
  run.used += whole;
  return true;
}

bool SortedRecords::is_later(std::size_t a, std::size_t b) const {
  return std::tuple(record_order(runs_[a].front.head), a) > std::tuple(record_order(runs_[b].front.head), b);
}

void SortedRecords::start_reading() {
  is_reading_ = true;
  const std::size_t share = std::clamp(memory_ / std::max<std::size_t>(1, runs_.size()), kLeastOfRun, kMostOfRun);
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    runs_[i].buffer.resize(share);
    if (advance(runs_[i])) heap_.push_back(i);
  }
  std::ranges::make_heap(heap_, [this](std::size_t a, std::size_t b) { return is_later(a, b); });
}

bool SortedRecords::next(SortedRecord& record) {
  const auto later = [this](std::size_t a, std::size_t b) { return is_later(a, b); };
  if (!is_reading_) {
    start_reading();
  } else if (!heap_.empty()) {
    std::ranges::pop_heap(heap_, later);
    if (advance(runs_[heap_.back()])) {
      std::ranges::push_heap(heap_, later);
    } else {
      runs_[heap_.back()].buffer = {};
      heap_.pop_back();
    }
  }
  if (heap_.empty()) {
    file_ = {};
    return false;
  }
  const Run& run = runs_[heap_.front()];
  record = {run.front.head, {run.buffer.data() + run.front.offset, run.front.size}};
  return true;
}

}  // namespace kernbench::traces
