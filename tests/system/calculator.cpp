// The calculator: kernel (ADR-0014), plan (ADR-0006), pipeline (ADR-0005) and harvest (ADR-0008).
#include "tests/system/calculator.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/system/calculator_array.hpp"
#include "tests/system/calculator_memory.hpp"

namespace kernbench::calculator {
namespace {

struct Tile {
  std::vector<Block> streamed_a;  ///< empty where the operand is resident
  std::vector<Block> streamed_b;
  Bytes a_bytes = 0;
  Bytes b_bytes = 0;
  std::int64_t output = 0;
  bool first_of_output = false;
  bool last_of_output = false;
  TileShape valid;
};

struct Output {
  Block block;
  Bytes bytes = 0;
};

/// 6.1 to 6.8.
struct Plan {
  Matrix a;
  Matrix b;
  Matrix c;
  std::int64_t rate = 0;  ///< millionths
  bool converts = false;
  std::vector<Tile> tiles;
  std::vector<Output> outputs;
};

/// 34.1 and 34.4.
struct Facts {
  Bytes operand = 0;
  Bytes result = 0;
  std::int64_t rate = 0;
};

Facts facts_of(const std::string& dtype, const MacRates& rates) {
  const std::map<std::string, Facts> all{{"bf16", {2, 2, 1'000'000}},          {"fp16", {2, 2, rates.fp16}},
                                         {"fp8_e4m3", {1, 2, rates.fp8_e4m3}}, {"fp8_e5m2", {1, 2, rates.fp8_e5m2}},
                                         {"int8", {1, 4, rates.int8}},         {"tf32", {4, 4, rates.tf32}},
                                         {"fp32", {4, 4, rates.fp32}}};
  return all.at(dtype);
}

Plan make_plan(const MachineSpec& machine, const Run& run, bool stream_a, bool stream_b) {
  const TileShape& tile = machine.pe.mac.tile;
  const Bytes burst = machine.die.hbm.burst;
  const Bytes stripe = burst * machine.die.hbm.pseudo_channels;
  const auto after = [&](const Matrix& matrix) { return ceil_div(matrix.end(), stripe) * stripe; };  // 6.3
  Plan plan;
  const Facts facts = facts_of(run.dtype, machine.pe.mac.rates);
  const Bytes b_element = run.dtype_b.empty() ? facts.operand : facts_of(run.dtype_b, machine.pe.mac.rates).operand;
  plan.converts = !run.dtype_b.empty();
  plan.a = {0, run.m, run.k, tile.m, tile.k, run.row_major, burst, facts.operand};
  plan.b = {after(plan.a), run.k, run.n, tile.k, tile.n, run.row_major, burst, b_element};
  plan.c = {after(plan.b), run.m, run.n, tile.m, tile.n, run.row_major, burst, facts.result};
  plan.rate = facts.rate;

  const std::int64_t mt = ceil_div(run.m, tile.m);
  const std::int64_t kt = ceil_div(run.k, tile.k);
  const std::int64_t nt = ceil_div(run.n, tile.n);
  for (std::int64_t i = 0; i < mt; ++i) {
    for (std::int64_t j = 0; j < nt; ++j) {
      for (std::int64_t k = 0; k < kt; ++k) {  // 6.2
        Tile step;
        if (stream_a) step.streamed_a = {plan.a.tile(i, k)};
        if (stream_b) step.streamed_b = {plan.b.tile(k, j)};
        step.a_bytes = plan.a.tile_bytes(i, k);
        step.b_bytes = plan.b.tile_bytes(k, j);
        step.output = i * nt + j;
        step.first_of_output = k == 0;
        step.last_of_output = k + 1 == kt;
        step.valid = {std::min(tile.m, run.m - i * tile.m), std::min(tile.k, run.k - k * tile.k),
                      std::min(tile.n, run.n - j * tile.n)};
        plan.tiles.push_back(std::move(step));
      }
      plan.outputs.push_back({plan.c.tile(i, j), plan.c.tile_bytes(i, j)});
    }
  }
  return plan;
}

/// Element `index` of a sequence of times: drops out of a maximum where negative, unknown where not yet calculated.
Time at(const std::vector<Time>& times, std::int64_t index) {
  if (index < 0) return 0;
  return index < static_cast<std::int64_t>(times.size()) ? times[static_cast<std::size_t>(index)] : kUnknown;
}

std::int64_t size(const std::vector<Time>& times) { return static_cast<std::int64_t>(times.size()); }

/// The PE: each function calculates the next element of one recurrence, or returns false if a term is unknown.
class Pe {
 public:
  explicit Pe(const MachineSpec& machine)
      : machine_(machine),
        pe_(machine.pe),
        channels_(machine.die.hbm),
        reader_(machine, false),
        writer_(machine, true) {}

  /// Transfers a whole matrix to TCM; `run` tells when it is there.
  void load(const Matrix& matrix, Time submitted) {
    reader_.submit(packets_of(matrix.whole(), machine_), matrix.bytes(), submitted);
  }
  void submit(Plan plan, Time submitted) {
    plan_ = std::move(plan);
    submitted_ = submitted;
    loads_ = reader_.transfers().size();
  }

  /// Calculates all that follows from what was submitted.
  void run() {
    for (;;) {
      while (dispatch() || fetch() || convert() || multiply() || store() || reader_.issue_next() ||
             writer_.issue_next())
        continue;
      // Everything still unknown follows from the turn of a packet that waits, and comes after the earliest of these.
      // At one instant reads come before writes (4.17).
      const Time read = reader_.next_turn(channels_);
      const Time write = writer_.next_turn(channels_);
      if (read == kUnknown && write == kUnknown) return;
      (read <= write ? reader_ : writer_).serve_next(channels_);
    }
  }

  [[nodiscard]] const DmaEngine& reader() const { return reader_; }
  [[nodiscard]] const DmaEngine& writer() const { return writer_; }
  void record(Outcome& outcome) const;

 private:
  bool dispatch();  ///< 5.3
  bool fetch();     ///< 5.4
  bool convert();   ///< 34.9
  bool multiply();  ///< 5.5
  bool store();     ///< 5.6, 5.8, 5.9
  [[nodiscard]] Time operands_delivered(std::int64_t tile) const;
  [[nodiscard]] Time slot_free(std::int64_t output) const;
  [[nodiscard]] const Tile& tile(std::int64_t index) const { return plan_.tiles[static_cast<std::size_t>(index)]; }
  [[nodiscard]] std::int64_t tiles() const { return static_cast<std::int64_t>(plan_.tiles.size()); }

  const MachineSpec& machine_;
  const PeSpec& pe_;
  PseudoChannels channels_;
  DmaEngine reader_;
  DmaEngine writer_;
  Plan plan_;
  Time submitted_ = kUnknown;
  std::size_t loads_ = 0;               ///< transfers of the reader before the composite's
  std::vector<std::size_t> transfers_;  ///< of the reader, up to and with those of tile t
  std::vector<Time> g_, d_;             ///< names of ADR-0005: G, D, Fs, Fe, Ms, Me by tile
  std::vector<Time> fs_, fe_, ms_, me_;
  std::vector<Time> cs_, ce_;  ///< conversions
  std::vector<Time> ready_;    ///< R: operands in registers as the array takes them
  std::vector<Time> ss_, se_;  ///< by output
  std::vector<Time> result_;   ///< when the output is in its accumulators
  Time weights_free_ = 0;      ///< when the weights of the next tile may be loaded (31.6)
};

bool Pe::dispatch() {
  const std::int64_t t = size(d_);
  if (t == tiles()) return false;
  const Time g = std::max({submitted_, at(d_, t - 1), at(fe_, t - pe_.stream_depth)});
  if (g == kUnknown) return false;
  const Time d = g + pe_.scheduler.value;
  g_.push_back(g);
  d_.push_back(d);
  const Tile& next = tile(t);
  if (!next.streamed_a.empty()) reader_.submit(packets_of(next.streamed_a, machine_), next.a_bytes, d);
  if (!next.streamed_b.empty()) reader_.submit(packets_of(next.streamed_b, machine_), next.b_bytes, d);
  transfers_.push_back(reader_.transfers().size());
  return true;
}

Time Pe::operands_delivered(std::int64_t t) const {
  if (t >= size(d_)) return kUnknown;
  Time delivered = 0;
  const std::size_t first = t == 0 ? loads_ : transfers_[static_cast<std::size_t>(t) - 1];
  for (std::size_t i = first; i < transfers_[static_cast<std::size_t>(t)]; ++i)
    delivered = std::max(delivered, reader_.transfers()[i].done());
  return delivered;
}

bool Pe::fetch() {
  const std::int64_t t = size(fe_);
  if (t == tiles()) return false;
  const Time fs = std::max({at(d_, t), operands_delivered(t), at(fe_, t - 1), at(me_, t - pe_.mac.operand_registers)});
  if (fs == kUnknown) return false;
  fs_.push_back(fs);
  fe_.push_back(fs + pe_.fetch.time_for(tile(t).a_bytes + tile(t).b_bytes).value);
  return true;
}

bool Pe::convert() {
  const std::int64_t t = size(ready_);
  if (t == tiles() || at(fe_, t) == kUnknown) return false;
  if (!plan_.converts) {
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
  const ArrayUse use = use_of(pe_.mac, tile(t).valid, tile(t).last_of_output, plan_.rate);
  const auto time = [&](Cycles cycles) { return pe_.clock.time_for(cycles).value; };
  const Time loaded = std::max(at(ready_, t), weights_free_) + time(use.load);
  ms_.push_back(ms);
  me_.push_back(std::max(ms, loaded) + time(use.work));
  weights_free_ = me_.back() - time(use.last_stream);
  if (tile(t).last_of_output) result_.push_back(me_.back() + time(use.drain + pe_.mac.fill_cycles));
  return true;
}

Time Pe::slot_free(std::int64_t o) const {
  if (o < 0) return 0;
  if (o >= static_cast<std::int64_t>(writer_.transfers().size())) return kUnknown;
  return writer_.transfers()[static_cast<std::size_t>(o)].left_port;
}

bool Pe::store() {
  const std::int64_t o = size(se_);
  const Time ss = std::max({at(result_, o), at(se_, o - 1), slot_free(o - pe_.output_depth)});
  if (ss == kUnknown) return false;
  const Output& output = plan_.outputs[static_cast<std::size_t>(o)];
  ss_.push_back(ss);
  se_.push_back(ss + pe_.store.time_for(output.bytes).value);
  writer_.submit(packets_of({output.block}, machine_), output.bytes, se_.back());
  return true;
}

struct Interval {
  Time start = 0;
  Time end = 0;
};

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
  for (const Tile& t : plan_.tiles) {
    const TileShape& counted = pe_.mac.rows > 0 ? t.valid : pe_.mac.tile;  // 31.8
    fetched += t.a_bytes + t.b_bytes;
    macs += counted.m * counted.k * counted.n;
  }
  for (const Output& o : plan_.outputs) stored += o.bytes;
  outcome.tiles = tiles();
  outcome.hbm_read = add_transfers(outcome, "load", reader_, 0, loads_, false);
  add_stage(outcome, "schedule", intervals_of(g_, d_), 0, 0, true);
  outcome.hbm_read += add_transfers(outcome, "dma_in", reader_, loads_, reader_.transfers().size(), true);
  add_stage(outcome, "fetch", intervals_of(fs_, fe_), fetched, 0, true);
  add_stage(outcome, "convert", intervals_of(cs_, ce_), 0, 0, true);
  add_stage(outcome, "mac", intervals_of(ms_, me_), 0, macs, true);
  add_stage(outcome, "store", intervals_of(ss_, se_), stored, 0, true);
  outcome.hbm_written = add_transfers(outcome, "dma_out", writer_, 0, writer_.transfers().size(), true);
}

/// A kernel's calls (14.1, 14.2): `now` is when the next one starts.
class Kernel {
 public:
  explicit Kernel(Time control_latency) : control_latency_(control_latency) {}
  /// load, ref, composite or store; returns when its effect begins.
  Time call() {
    calls_.push_back({now_, now_ + control_latency_});
    return now_ = calls_.back().end;
  }
  void wait(Time completion) { now_ = std::max(call(), completion); }
  [[nodiscard]] const std::vector<Interval>& calls() const { return calls_; }

 private:
  Time control_latency_;
  Time now_ = 0;
  std::vector<Interval> calls_;
};

}  // namespace

Outcome calculate(const MachineSpec& machine, const Run& run) {
  const bool load_a = run.variant == "load_ref" || run.variant == "load_load";
  const bool load_b = run.variant == "load_load";
  if (!load_a && run.variant != "ref_ref") throw std::invalid_argument("variant " + run.variant);

  Plan plan = make_plan(machine, run, !load_a, !load_b);
  Pe pe(machine);
  Kernel kernel(machine.pe.control.value);
  // 14.3: A is loaded or referenced, then B; then the loads are waited for.
  for (const auto& [matrix, loaded] : {std::pair(plan.a, load_a), std::pair(plan.b, load_b)}) {
    const Time effect = kernel.call();
    if (loaded) pe.load(matrix, effect);
  }
  pe.run();
  const std::size_t loads = pe.reader().transfers().size();
  for (std::size_t i = 0; i < loads; ++i) kernel.wait(pe.reader().transfers()[i].done());
  pe.submit(std::move(plan), kernel.call());
  pe.run();
  Time complete = 0;  // 5.10
  for (const Transfer& output : pe.writer().transfers()) complete = std::max(complete, output.done());
  kernel.wait(complete);

  Outcome outcome;
  outcome.pe_start = outcome.composite_start = kUnknown;
  add_stage(outcome, "control", kernel.calls(), 0, 0, false);
  pe.record(outcome);
  return outcome;
}

}  // namespace kernbench::calculator
