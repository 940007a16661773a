#include "benches/traces/merge/rank_writer.hpp"

#include <cstring>
#include <limits>
#include <utility>

namespace kernbench::traces {
namespace {

constexpr std::size_t kWriteBytes = 65'536;

}  // namespace

RankWriter::RankWriter(MergedEncoding& encoding, const CollectedEvents& events, MergedNames names, TracePs shift,
                       std::int64_t& next_tid, Write write)
    : encoding_(encoding),
      events_(events),
      names_(std::move(names)),
      shift_(shift),
      next_tid_(next_tid),
      write_(std::move(write)) {}

void RankWriter::flush() {
  if (out_.size() < kWriteBytes) return;
  write_(out_);
  out_.clear();
}

const MergedTrack& RankWriter::lane(std::size_t number) {
  while (lanes_of_track_.size() <= number) {
    MergedTrack lane = names_.tracks[track_];
    const auto place = static_cast<std::int64_t>(lanes_of_track_.size());
    lane.tid = next_tid_++;
    lane.sort_index += place;
    if (place > 0) lane.name += " #" + std::to_string(place + 1);
    encoding_.track(lane, out_);
    lanes_of_track_.push_back(std::move(lane));
  }
  return lanes_of_track_[number];
}

void RankWriter::end_slices(TracePs until) {
  lanes_.close_until(until, [this](std::size_t number, const NestingLanes::Open& open) {
    encoding_.slice_end(lane(number), open.end, open.flows, out_);
  });
}

void RankWriter::write_pending() {
  if (!is_pending_) return;
  is_pending_ = false;
  end_slices(pending_times_.start);
  const std::size_t number = lanes_.place(pending_times_.start, pending_times_.end);
  if (number > 0) ++crossing_;
  encoding_.slice(lane(number), pending_times_, pending_body_, pending_flows_, out_);
  pending_flows_.clear();
  flush();
}

void RankWriter::take_slice(const SortedRecord& record) {
  write_pending();
  is_pending_ = true;
  pending_times_ = {record.head.start + shift_, record.head.end() + shift_};
  pending_body_.assign(record.payload);
}

/// Of the slice that begins there, the innermost; else of the innermost that it lies in.
void RankWriter::take_flow(const SortedRecord& record) {
  StoredFlow stored;
  std::memcpy(&stored, record.payload.data(), sizeof(stored));
  const auto number = events_.flows.number(stored.key);
  if (!number) return;
  FlowPoint flow{*number, stored.phase, record.head.start + shift_, std::string(record.payload.substr(sizeof(stored)))};
  if (is_pending_ && pending_times_.start == flow.time) {
    pending_flows_.push_back(std::move(flow));
    return;
  }
  write_pending();
  NestingLanes::Open* around = lanes_.innermost(flow.time);
  if (around != nullptr) {
    around->flows.push_back(std::move(flow));
  } else {
    encoding_.loose_flow(lane(0), flow, out_);
  }
}

void RankWriter::finish_track() {
  write_pending();
  end_slices(std::numeric_limits<TracePs>::max());
  lanes_of_track_.clear();
  lanes_ = {};
}

void RankWriter::write_all(SortedRecords& records) {
  for (const MergedProcess& process : names_.processes) encoding_.process(process, out_);
  SortedRecord record;
  while (records.next(record)) {
    if (record.head.track != track_) finish_track();
    track_ = record.head.track;
    switch (record.head.kind) {
      case RecordKind::kSlice:
        take_slice(record);
        break;
      case RecordKind::kFlow:
        take_flow(record);
        break;
      case RecordKind::kInstant:
        write_pending();
        end_slices(record.head.start + shift_);
        encoding_.instant(lane(0), record.head.start + shift_, record.payload, out_);
        flush();
        break;
    }
  }
  finish_track();
  write_(out_);
  out_.clear();
}

}  // namespace kernbench::traces
