// The op log: one record per operation that a component served, harvested into stage totals as it is written, so that
// memory stays bounded when nobody asks for the records themselves (adr/0008-op-log-and-metrics.md).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "sim/base/check.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/units.hpp"
#include "sim/engine/repetition.hpp"

namespace kernbench {

/// What a component does, as results and traces call it. A component declares its stages beside itself
/// (`inline constexpr Stage kFetchStage{"fetch", 40, 3};`); nothing lists them all.
struct Stage {
  std::string_view name;
  std::int32_t order = 0;  ///< place among a result's stages, in steps of ten
  std::int32_t lane = 0;   ///< place of the component in a trace of its PE, from the top: 0 to 15

  constexpr bool operator==(const Stage& other) const { return order == other.order && name == other.name; }
};

struct OpRecord {
  Picoseconds start;
  Picoseconds end;
  Bytes bytes = 0;
  std::int64_t macs = 0;
  std::int64_t tile = -1;       ///< index in the composite's plan, -1 where there is none
  std::int32_t composite = -1;  ///< in order of issue, -1 outside composites
  Bytes moved = 0;              ///< of its packets, whole bursts; at least `bytes`, 0 where nothing passes links
};

/// Receives every record, e.g. to write a trace.
class OpSink {
 public:
  virtual ~OpSink() = default;
  virtual void record(std::string_view engine, const Stage& stage, const OpRecord& record) = 0;
};

/// First start and last end of a set of records.
struct Span {
  Picoseconds start{INT64_MAX};
  Picoseconds end{};
  void cover(Picoseconds from, Picoseconds to) {
    if (from < start) start = from;
    if (to > end) end = to;
  }
  void cover(const Span& other) { cover(other.start, other.end); }
  [[nodiscard]] bool empty() const { return start.value == INT64_MAX; }
};

/// The records of one stage on one engine. Starts never go back, so the union of the intervals is one running interval.
class OpChannel {
 public:
  OpChannel(std::string engine, const Stage& stage) : engine_(std::move(engine)), stage_(stage) {}

  void record(const OpRecord& op) {
    KB_CHECK(op.start >= open_.start && op.end >= op.start, where() + ": records go back in time");
    ++records_;
    busy_ += (op.end - op.start).value;
    bytes_ += op.bytes;
    macs_ += op.macs;
    moved_ += op.moved;
    span_.cover(op.start + passed_over_, op.end + passed_over_);
    if (op.composite >= 0) composites_.cover(op.start + passed_over_, op.end + passed_over_);
    if (records_ > 1 && op.start <= open_.end) {
      if (op.end > open_.end) open_.end = op.end;
    } else {
      if (records_ > 1) closed_ += open_.end - open_.start;
      open_ = {op.start, op.end};
    }
    if (sink_ != nullptr) sink_->record(engine_, stage_, op);
  }

  void attach(OpSink* sink) { sink_ = sink; }

  /// `times` turns of a loop, `turn` long each, have been passed over; the channel was `before` at the start of the
  /// last.
  void repeat(const OpChannel& before, std::int64_t times, Picoseconds turn) {
    records_ += times * (records_ - before.records_);
    closed_ += times * (wall() - before.wall());
    busy_.repeat(before.busy_, times);
    bytes_.repeat(before.bytes_, times);
    macs_.repeat(before.macs_, times);
    moved_.repeat(before.moved_, times);
    passed_over_ += times * turn;
  }

  [[nodiscard]] const std::string& engine() const { return engine_; }
  [[nodiscard]] const Stage& stage() const { return stage_; }
  [[nodiscard]] std::int64_t records() const { return records_; }
  /// Sums are kept in 128 bits: transfers side by side may be busy for longer than time is counted. Reading one that
  /// 63 bits do not hold throws OverflowError, which names it.
  [[nodiscard]] Picoseconds busy() const { return {busy_.get("busy time of " + where(), kInPicoseconds)}; }
  [[nodiscard]] Picoseconds wall() const { return records_ == 0 ? Picoseconds{} : closed_ + (open_.end - open_.start); }
  [[nodiscard]] Bytes bytes() const { return bytes_.get("bytes of " + where(), kInBytes); }
  [[nodiscard]] std::int64_t macs() const { return macs_.get("MACs of " + where(), kInMacs); }
  [[nodiscard]] Bytes moved() const { return moved_.get("bytes moved by " + where(), kInBytes); }
  [[nodiscard]] const Span& span() const { return span_; }
  /// Of the records that belong to a composite.
  [[nodiscard]] const Span& composite_span() const { return composites_; }

 private:
  [[nodiscard]] std::string where() const { return std::string(stage_.name) + " on " + engine_; }

  std::string engine_;
  Stage stage_;
  OpSink* sink_ = nullptr;
  std::int64_t records_ = 0;
  WideSum busy_;
  Picoseconds closed_{};
  Picoseconds passed_over_{};
  Span open_{Picoseconds{}, Picoseconds{}};
  WideSum bytes_;
  WideSum macs_;
  WideSum moved_;
  Span span_;
  Span composites_;
};

/// All channels of a simulation, in the order in which they were opened.
class OpLog : public Repeated {
 public:
  explicit OpLog(OpSink* sink = nullptr) : sink_(sink) {}
  /// The channel stays valid for the log's life.
  OpChannel& open(std::string engine, const Stage& stage);
  [[nodiscard]] const std::deque<OpChannel>& channels() const { return channels_; }

  void remember(std::size_t loop) override { before_.at(loop) = channels_; }
  [[nodiscard]] std::int64_t repeats(std::size_t loop) override {
    return before_.at(loop).size() == channels_.size() ? 1 : 0;
  }
  void repeat(std::size_t loop, std::int64_t times, Picoseconds turn) override {
    auto before = before_.at(loop).begin();
    for (OpChannel& channel : channels_) channel.repeat(*before++, times, turn);
  }

 private:
  OpSink* sink_;
  std::deque<OpChannel> channels_;
  std::array<std::deque<OpChannel>, kRepeatedLoops> before_;
};

inline OpChannel& OpLog::open(std::string engine, const Stage& stage) {
  OpChannel& channel = channels_.emplace_back(std::move(engine), stage);
  channel.attach(sink_);
  return channel;
}

}  // namespace kernbench
