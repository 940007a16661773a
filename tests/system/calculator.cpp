// The calculator: plan (ADR-0006), pipeline (ADR-0005) and harvest (ADR-0008).
#include "tests/system/calculator.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/system/calculator_array.hpp"
#include "tests/system/calculator_matrices.hpp"
#include "tests/system/calculator_memory.hpp"
#include "tests/system/calculator_program.hpp"

namespace kernbench::calculator {
namespace {

struct Tile {
  std::vector<Block> streamed_a;  ///< empty where the operand is resident
  std::vector<Block> streamed_b;
  Bytes a_bytes = 0;
  Bytes b_bytes = 0;
  Bytes sum_bytes = 0;    ///< of what is added to its output, with the last of it
  std::int64_t sum = -1;  ///< the output that has to be stored in TCM first (32.6); -1: none
  std::int64_t output = 0;
  bool first_of_output = false;
  bool last_of_output = false;
  TileShape valid;
  Time submitted = 0;
};

struct Output {
  Block block;
  Bytes bytes = 0;
  std::int64_t writes = -1;  ///< of the writer's transfers, by number; -1: it stays in TCM
  std::int64_t added = 0;    ///< elements that the vector unit adds to it
};

/// Element `index` of a sequence of times: drops out of a maximum where negative, unknown where not yet calculated.
Time at(const std::vector<Time>& times, std::int64_t index) {
  if (index < 0) return 0;
  return index < static_cast<std::int64_t>(times.size()) ? times[static_cast<std::size_t>(index)] : kUnknown;
}

std::int64_t size(const std::vector<Time>& times) { return static_cast<std::int64_t>(times.size()); }

struct Interval {
  Time start = 0;
  Time end = 0;
};

/// The PE: each function calculates the next element of one recurrence, or returns false if a term is unknown.
class Pe {
 public:
  Pe(const MachineSpec& machine, const Run& run)
      : machine_(machine),
        pe_(machine.pe),
        facts_(facts_of(run, machine.pe.mac.rates)),
        matrices_(matrices_of(machine, run, facts_)),
        program_(program_of(run, machine.pe.mac.tile)),
        sums_in_hbm_(run.mapping && run.mapping->sums_in_hbm),
        channels_(machine.die.hbm),
        reader_(machine, false),
        writer_(machine, true) {}

  void run() {
    for (;;) {
      while (call() || dispatch() || fetch() || convert() || multiply() || add() || store() || reader_.issue_next() ||
             writer_.issue_next()) {
        continue;
      }
      // Everything still unknown follows from the turn of a packet that waits, and comes after the earliest of these.
      // At one instant reads come before writes (4.17).
      const Time read = reader_.next_turn(channels_);
      const Time write = writer_.next_turn(channels_);
      if (read == kUnknown && write == kUnknown) return;
      (read <= write ? reader_ : writer_).serve_next(channels_);
    }
  }

  void record(Outcome& outcome) const;

 private:
  bool call();  ///< 14.1, 14.2
  void load(const Load& load);
  void submit(const Step& step);
  [[nodiscard]] Time completion(const Call& wait) const;
  bool dispatch();  ///< 5.3
  bool fetch();     ///< 5.4
  bool convert();   ///< 34.9
  bool multiply();  ///< 5.5
  bool add();       ///< 5.7, of kept sums
  bool store();     ///< 5.6, 5.8, 5.9
  void submit(const Step& step, std::int64_t i, std::int64_t j);
  [[nodiscard]] Time operands_delivered(std::int64_t tile) const;
  [[nodiscard]] Time slot_free(std::int64_t output) const;
  [[nodiscard]] const Tile& tile(std::int64_t index) const { return tiles_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::int64_t tiles() const { return static_cast<std::int64_t>(tiles_.size()); }

  const MachineSpec& machine_;
  const PeSpec& pe_;
  const Facts facts_;
  const Matrices matrices_;
  const Program program_;
  const bool sums_in_hbm_;
  PseudoChannels channels_;
  DmaEngine reader_;
  DmaEngine writer_;
  Time now_ = 0;  ///< when the kernel's next call starts
  std::vector<Interval> calls_;
  std::vector<Tile> tiles_;                                     ///< of all composites so far
  std::vector<Output> outputs_;                                 ///< of all composites so far
  std::vector<std::size_t> outputs_until_;                      ///< by composite
  std::vector<std::size_t> loads_;                              ///< transfers of the reader, by load
  std::vector<std::pair<std::size_t, std::size_t>> transfers_;  ///< of the reader, by tile: from, to before
  std::vector<Time> g_, d_;                                     ///< names of ADR-0005: G, D, Fs, Fe, Ms, Me by tile
  std::vector<Time> fs_, fe_, ms_, me_;
  std::vector<Time> cs_, ce_;      ///< conversions
  std::vector<Time> ready_;        ///< R: operands in registers as the array takes them
  std::vector<Time> ss_, se_;      ///< by output
  std::vector<Time> result_;       ///< when the output is in its accumulators
  std::vector<Interval> adds_;     ///< work of the vector unit
  std::vector<Time> left_;         ///< by output: when the vector unit is through with it, or with those before it
  std::vector<Time> added_;        ///< by output: when it can be stored
  std::int64_t writes_ = 0;        ///< outputs that leave the PE
  std::deque<std::int64_t> kept_;  ///< in TCM, in the order in which they are fetched again
  Time weights_free_ = 0;          ///< when the weights of the next tile may be loaded (31.6)
};

void Pe::load(const Load& load) {
  const Matrix& matrix = load.of == Load::Of::kA ? matrices_.a : load.of == Load::Of::kB ? matrices_.b : matrices_.sums;
  std::vector<Block> blocks;
  Bytes bytes = 0;
  for (std::int64_t row = load.rows.begin; row < load.rows.end; ++row) {
    for (std::int64_t column = load.columns.begin; column < load.columns.end; ++column) {
      blocks.push_back(matrix.tile(row, column));
      bytes += matrix.tile_bytes(row, column);
    }
  }
  if (bytes == matrix.bytes()) blocks = matrix.whole();  // 6.6
  loads_.push_back(reader_.transfers().size());
  reader_.submit(packets_of(blocks, machine_), bytes, now_);
}

void Pe::submit(const Step& step) {
  for (std::int64_t i = step.rows.begin; i < step.rows.end; ++i) {
    for (std::int64_t j = step.columns.begin; j < step.columns.end; ++j) submit(step, i, j);
  }
  outputs_until_.push_back(outputs_.size());
}

void Pe::submit(const Step& step, std::int64_t i, std::int64_t j) {
  for (std::int64_t k = step.inner.begin; k < step.inner.end; ++k) {  // 6.2
    Tile tile;
    if (program_.streams_a) tile.streamed_a = {matrices_.a.tile(i, k)};
    if (program_.streams_b) tile.streamed_b = {matrices_.b.tile(k, j)};
    tile.a_bytes = matrices_.a.tile_bytes(i, k);
    tile.b_bytes = matrices_.b.tile_bytes(k, j);
    tile.output = static_cast<std::int64_t>(outputs_.size());
    tile.first_of_output = k == step.inner.begin;
    tile.last_of_output = k + 1 == step.inner.end;
    if (tile.last_of_output && step.adds) tile.sum_bytes = matrices_.sums.tile_bytes(i, j);
    if (tile.last_of_output && step.adds && !sums_in_hbm_) {
      tile.sum = kept_.front();
      kept_.pop_front();
    }
    tile.valid = {matrices_.a.valid_rows(i), matrices_.a.valid_columns(k), matrices_.b.valid_columns(j)};
    tile.submitted = now_;
    tiles_.push_back(std::move(tile));
  }
  const Matrix& to = step.keeps ? matrices_.sums : matrices_.c;
  if (step.keeps && !sums_in_hbm_) kept_.push_back(static_cast<std::int64_t>(outputs_.size()));
  Output output{to.tile(i, j), to.tile_bytes(i, j)};
  if (!step.keeps || sums_in_hbm_) output.writes = writes_++;
  if (step.adds) output.added = matrices_.c.valid_rows(i) * matrices_.c.valid_columns(j);
  outputs_.push_back(output);
}

Time Pe::completion(const Call& wait) const {
  const auto which = static_cast<std::size_t>(wait.which);
  if (wait.kind == Call::Kind::kWaitLoad) return reader_.transfers()[loads_[which]].done();
  Time complete = 0;  // 5.10
  for (std::size_t o = which == 0 ? 0 : outputs_until_[which - 1]; o < outputs_until_[which]; ++o) {
    const auto write = static_cast<std::size_t>(outputs_[o].writes);
    const Time stored = at(se_, static_cast<std::int64_t>(o));
    if (stored == kUnknown) return kUnknown;
    complete = std::max(complete, outputs_[o].writes < 0 ? stored : writer_.transfers()[write].done());
  }
  return complete;
}

bool Pe::call() {
  if (calls_.size() == program_.calls.size()) return false;
  const Call& next = program_.calls[calls_.size()];
  const bool waits = next.kind == Call::Kind::kWaitLoad || next.kind == Call::Kind::kWaitComposite;
  const Time complete = waits ? completion(next) : 0;
  if (complete == kUnknown) return false;
  calls_.push_back({now_, now_ + pe_.control.value});
  now_ = std::max(calls_.back().end, complete);
  if (next.kind == Call::Kind::kLoad) load(program_.loads[static_cast<std::size_t>(next.which)]);
  if (next.kind == Call::Kind::kComposite) submit(program_.steps[static_cast<std::size_t>(next.which)]);
  return true;
}

bool Pe::dispatch() {
  const std::int64_t t = size(d_);
  if (t == tiles()) return false;
  const Time g = std::max({tile(t).submitted, at(d_, t - 1), at(fe_, t - pe_.stream_depth)});
  if (g == kUnknown) return false;
  const Time d = g + pe_.scheduler.value;
  g_.push_back(g);
  d_.push_back(d);
  const Tile& next = tile(t);
  const std::size_t first = reader_.transfers().size();
  if (!next.streamed_a.empty()) reader_.submit(packets_of(next.streamed_a, machine_), next.a_bytes, d);
  if (!next.streamed_b.empty()) reader_.submit(packets_of(next.streamed_b, machine_), next.b_bytes, d);
  transfers_.emplace_back(first, reader_.transfers().size());
  return true;
}

Time Pe::operands_delivered(std::int64_t t) const {
  if (t >= size(d_)) return kUnknown;
  Time delivered = 0;
  const auto [first, end] = transfers_[static_cast<std::size_t>(t)];
  for (std::size_t i = first; i < end; ++i) delivered = std::max(delivered, reader_.transfers()[i].done());
  return delivered;
}

bool Pe::fetch() {
  const std::int64_t t = size(fe_);
  if (t == tiles()) return false;
  const Time fs = std::max(
      {at(d_, t), operands_delivered(t), at(fe_, t - 1), at(me_, t - pe_.mac.operand_registers), at(se_, tile(t).sum)});
  if (fs == kUnknown) return false;
  fs_.push_back(fs);
  fe_.push_back(fs + pe_.fetch.time_for(tile(t).a_bytes + tile(t).b_bytes + tile(t).sum_bytes).value);
  return true;
}

bool Pe::convert() {
  const std::int64_t t = size(ready_);
  if (t == tiles() || at(fe_, t) == kUnknown) return false;
  if (!facts_.converts) {
    ready_.push_back(at(fe_, t));
    return true;
  }
  const std::int64_t turns = ceil_div(tile(t).valid.k * tile(t).valid.n, pe_.vector.lanes);
  const std::int64_t cycles = ceil_div(turns * 1'000'000, pe_.vector.rates.convert);
  cs_.push_back(std::max(at(fe_, t), at(ce_, t - 1)));
  ce_.push_back(cs_.back() + pe_.clock.time_for(cycles).value);
  ready_.push_back(ce_.back() + pe_.clock.time_for(pe_.vector.latency_cycles).value);
  return true;
}

bool Pe::multiply() {
  const std::int64_t t = size(me_);
  if (t == tiles()) return false;
  Time ms = std::max(at(ready_, t), at(me_, t - 1));
  if (tile(t).first_of_output) ms = std::max(ms, at(se_, tile(t).output - pe_.mac.accumulators));
  if (ms == kUnknown) return false;
  const ArrayUse use = use_of(pe_.mac, tile(t).valid, tile(t).last_of_output, facts_.rate);
  const auto time = [&](Cycles cycles) { return pe_.clock.time_for(cycles).value; };
  const Time loaded = std::max(at(ready_, t), weights_free_) + time(use.load);
  ms_.push_back(ms);
  me_.push_back(std::max(ms, loaded) + time(use.work));
  weights_free_ = me_.back() - time(use.last_stream);
  if (tile(t).last_of_output) result_.push_back(me_.back() + time(use.drain + pe_.mac.fill_cycles));
  return true;
}

bool Pe::add() {
  const std::int64_t o = size(added_);
  const Time result = at(result_, o);
  if (o == static_cast<std::int64_t>(outputs_.size()) || result == kUnknown) return false;
  const Time begins = std::max(result, at(left_, o - 1));
  const std::int64_t elements = outputs_[static_cast<std::size_t>(o)].added;
  const Time work = pe_.clock.time_for(ceil_div(elements, pe_.vector.lanes)).value;
  left_.push_back(begins + work);
  if (elements == 0) {
    added_.push_back(std::max(begins, at(added_, o - 1)));
    return true;
  }
  adds_.push_back({begins, begins + work});
  added_.push_back(begins + work + pe_.clock.time_for(pe_.vector.latency_cycles).value);
  return true;
}

/// Of the output that is the writer's transfer `o`.
Time Pe::slot_free(std::int64_t o) const {
  if (o < 0) return 0;
  if (o >= static_cast<std::int64_t>(writer_.transfers().size())) return kUnknown;
  return writer_.transfers()[static_cast<std::size_t>(o)].left_port;
}

bool Pe::store() {
  const std::int64_t o = size(se_);
  if (at(added_, o) == kUnknown) return false;
  const Output& output = outputs_[static_cast<std::size_t>(o)];
  const bool leaves = output.writes >= 0;
  const Time ss = std::max({at(added_, o), at(se_, o - 1), leaves ? slot_free(output.writes - pe_.output_depth) : 0});
  if (ss == kUnknown) return false;
  ss_.push_back(ss);
  se_.push_back(ss + pe_.store.time_for(output.bytes).value);
  if (!leaves) return true;
  writer_.submit(packets_of({output.block}, machine_), output.bytes, se_.back());
  return true;
}

/// Adds the records of one stage (8.1 to 8.4).
void add_stage(Outcome& outcome, const std::string& name, std::vector<Interval> intervals, Bytes bytes,
               std::int64_t macs, bool of_composite) {
  if (intervals.empty()) return;
  Stage& stage = outcome.stages[name];
  stage.records = static_cast<std::int64_t>(intervals.size());
  stage.bytes = bytes;
  stage.macs = macs;
  std::sort(intervals.begin(), intervals.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
  Time covered = intervals.front().start;
  for (const Interval& interval : intervals) {
    stage.busy += interval.end - interval.start;
    stage.wall += std::max<Time>(0, interval.end - std::max(covered, interval.start));
    covered = std::max(covered, interval.end);
  }
  outcome.pe_start = std::min(outcome.pe_start, intervals.front().start);
  outcome.pe_end = std::max(outcome.pe_end, covered);
  if (!of_composite) return;
  outcome.composite_start = std::min(outcome.composite_start, intervals.front().start);
  outcome.composite_end = std::max(outcome.composite_end, covered);
}

std::vector<Interval> intervals_of(const std::vector<Time>& starts, const std::vector<Time>& ends) {
  std::vector<Interval> intervals;
  for (std::size_t i = 0; i < starts.size(); ++i) intervals.push_back({starts[i], ends[i]});
  return intervals;
}

/// A record per transfer from `first` to before `end`; returns their bytes.
Bytes add_transfers(Outcome& outcome, const std::string& name, const DmaEngine& engine, std::size_t first,
                    std::size_t end, bool of_composite) {
  std::vector<Interval> intervals;
  Bytes bytes = 0;
  for (std::size_t i = first; i < end; ++i) {
    const Transfer& transfer = engine.transfers()[i];
    intervals.push_back({transfer.taken_up, transfer.done()});
    bytes += transfer.bytes;
  }
  add_stage(outcome, name, std::move(intervals), bytes, 0, of_composite);
  return bytes;
}

void Pe::record(Outcome& outcome) const {
  Bytes fetched = 0;
  Bytes stored = 0;
  std::int64_t macs = 0;
  for (const Tile& t : tiles_) {
    const TileShape& counted = pe_.mac.rows > 0 ? t.valid : pe_.mac.tile;  // 31.8
    fetched += t.a_bytes + t.b_bytes + t.sum_bytes;
    macs += counted.m * counted.k * counted.n;
  }
  for (const Output& o : outputs_) stored += o.bytes;
  outcome.tiles = tiles();
  add_stage(outcome, "control", calls_, 0, 0, false);
  // What is loaded comes before all that is streamed, or nothing is streamed.
  outcome.hbm_read = add_transfers(outcome, "load", reader_, 0, loads_.size(), false);
  add_stage(outcome, "schedule", intervals_of(g_, d_), 0, 0, true);
  outcome.hbm_read += add_transfers(outcome, "dma_in", reader_, loads_.size(), reader_.transfers().size(), true);
  add_stage(outcome, "fetch", intervals_of(fs_, fe_), fetched, 0, true);
  add_stage(outcome, "convert", intervals_of(cs_, ce_), 0, 0, true);
  add_stage(outcome, "mac", intervals_of(ms_, me_), 0, macs, true);
  add_stage(outcome, "vector", adds_, 0, 0, true);
  add_stage(outcome, "store", intervals_of(ss_, se_), stored, 0, true);
  outcome.hbm_written = add_transfers(outcome, "dma_out", writer_, 0, writer_.transfers().size(), true);
}

}  // namespace

Outcome calculate(const MachineSpec& machine, const Run& run) {
  MachineSpec with_tile = machine;
  if (run.mapping) with_tile.pe.mac.tile = run.mapping->tile;  // 32.1
  Pe pe(with_tile, run);
  pe.run();
  Outcome outcome;
  outcome.pe_start = outcome.composite_start = kUnknown;
  pe.record(outcome);
  return outcome;
}

}  // namespace kernbench::calculator
