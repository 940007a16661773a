#include "tests/plan/systolic_grid.hpp"

#include <functional>
#include <optional>
#include <stdexcept>

namespace kernbench::grid {
namespace {

constexpr std::int64_t kTooLong = 100'000;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

std::int64_t at(const Matrix& matrix, std::int64_t row, std::int64_t column) {
  return matrix.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(column));
}

/// What a register holds: a value, and what it belongs to.
struct Word {
  std::int64_t fold = 0;
  std::int64_t index = 0;  ///< of the step of the fold's stream
  std::int64_t value = 0;
};
using Register = std::optional<Word>;

/// A register in every cell.
class Registers {
 public:
  Registers(std::int64_t rows, std::int64_t columns)
      : columns_(columns), cells_(static_cast<std::size_t>(rows * columns)) {}
  Register& operator()(std::int64_t row, std::int64_t column) {
    return cells_.at(static_cast<std::size_t>(row * columns_ + column));
  }

 private:
  std::int64_t columns_;
  std::vector<Register> cells_;
};

/// Operands that enter an edge of the array, lane by lane and each lane a cycle after the one before it.
class Edge {
 public:
  using Value = std::function<std::int64_t(std::int64_t fold, std::int64_t lane, std::int64_t index)>;
  explicit Edge(Value value) : value_(std::move(value)) {}

  void stream(std::int64_t fold, std::int64_t begins, std::int64_t lanes, std::int64_t length) {
    streams_.push_back({fold, begins, lanes, length});
  }
  [[nodiscard]] Register word(std::int64_t lane, std::int64_t cycle) const {
    for (const Stream& stream : streams_) {
      const std::int64_t index = cycle - lane - stream.begins;
      if (lane < stream.lanes && index >= 0 && index < stream.length) {
        return Word{stream.fold, index, value_(stream.fold, lane, index)};
      }
    }
    return std::nullopt;
  }
  /// Whether the first lane has nothing more to take in.
  [[nodiscard]] bool free(std::int64_t cycle) const {
    return streams_.empty() || cycle >= streams_.back().begins + streams_.back().length;
  }

 private:
  struct Stream {
    std::int64_t fold;
    std::int64_t begins;
    std::int64_t lanes;
    std::int64_t length;
  };
  Value value_;
  std::vector<Stream> streams_;
};

/// What both arrays are: cells, folds, the one that comes next, and what has come of those before.
class Array {
 public:
  Array(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds)
      : rows_(rows), columns_(columns), folds_(folds) {
    for (const Fold& fold : folds) {
      outcome_.folds.emplace_back();
      outcome_.results.emplace_back(fold.a.size(), std::vector<std::int64_t>(fold.b.front().size()));
    }
  }

 protected:
  [[nodiscard]] const Fold& fold(std::int64_t number) const { return folds_.at(static_cast<std::size_t>(number)); }
  [[nodiscard]] std::int64_t height(std::int64_t number) const {
    return static_cast<std::int64_t>(fold(number).a.size());
  }
  [[nodiscard]] std::int64_t inner(std::int64_t number) const {
    return static_cast<std::int64_t>(fold(number).b.size());
  }
  [[nodiscard]] std::int64_t width(std::int64_t number) const {
    return static_cast<std::int64_t>(fold(number).b.front().size());
  }
  [[nodiscard]] bool has_next() const { return next_ < static_cast<std::int64_t>(folds_.size()); }
  /// The array can take another fold: says so of the one before; true if there is one, fetched.
  bool takes_next(std::int64_t cycle) {
    if (next_ > 0 && done(next_ - 1).taken == 0) done(next_ - 1).taken = cycle;
    return has_next() && fold(next_).fetched <= cycle;
  }
  Done& done(std::int64_t number) { return outcome_.folds.at(static_cast<std::size_t>(number)); }
  void leaves(std::int64_t number, std::int64_t row, std::int64_t column, std::int64_t value, std::int64_t cycle) {
    outcome_.results.at(static_cast<std::size_t>(number))
        .at(static_cast<std::size_t>(row))
        .at(static_cast<std::size_t>(column)) = value;
    done(number).left = cycle + 1;
    --results_left_;
  }

  std::int64_t rows_;
  std::int64_t columns_;
  const std::vector<Fold>& folds_;
  std::int64_t next_ = 0;
  std::int64_t macs_left_ = 0;     ///< of folds taken in
  std::int64_t results_left_ = 0;  ///< that have not left
  Outcome outcome_;
};

class OutputStationary : Array {
 public:
  OutputStationary(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds)
      : Array(rows, columns, folds),
        a_(rows, columns),
        b_(rows, columns),
        sums_(rows, columns),
        moving_(rows, columns),
        left_([this](std::int64_t number, std::int64_t lane, std::int64_t i) { return at(fold(number).a, lane, i); }),
        top_([this](std::int64_t number, std::int64_t lane, std::int64_t i) { return at(fold(number).b, i, lane); }) {}

  Outcome run() {
    std::int64_t cycle = 0;
    for (; has_next() || results_left_ > 0; ++cycle) {
      require(cycle < kTooLong, "the array never ends");
      control(cycle);
      move_down(cycle);
      multiply(cycle);
    }
    control(cycle);
    return outcome_;
  }

 private:
  [[nodiscard]] bool stays() const { return next_ > 0 && !fold(next_ - 1).leaves; }

  void control(std::int64_t cycle) {
    if (next_ > 0 && !stays() && macs_left_ == 0 && left_.free(cycle) && !drains_) {
      drains_ = true;
      for (std::int64_t row = 0; row < rows_; ++row) {
        for (std::int64_t column = 0; column < columns_; ++column) {
          if (!sums_(row, column)) continue;
          require(!moving_(row, column), "a result is in the way");
          moving_(row, column) = Word{next_ - 1, row, sums_(row, column)->value};
          sums_(row, column).reset();
        }
      }
    }
    const bool free = next_ == 0 || (stays() ? left_.free(cycle) : drains_ && cells_are_empty());
    if (!free || !takes_next(cycle)) return;
    left_.stream(next_, cycle, height(next_), inner(next_));
    top_.stream(next_, cycle, width(next_), inner(next_));
    macs_left_ += height(next_) * inner(next_) * width(next_);
    if (fold(next_).leaves) results_left_ += height(next_) * width(next_);
    drains_ = false;
    ++next_;
  }
  /// Those that the fold before used.
  bool cells_are_empty() {
    for (std::int64_t row = 0; row < height(next_ - 1); ++row) {
      for (std::int64_t column = 0; column < columns_; ++column) {
        if (moving_(row, column)) return false;
      }
    }
    return true;
  }
  void move_down(std::int64_t cycle) {
    for (std::int64_t column = 0; column < columns_; ++column) {
      if (const Register& out = moving_(rows_ - 1, column)) leaves(out->fold, out->index, column, out->value, cycle);
      for (std::int64_t row = rows_ - 1; row > 0; --row) moving_(row, column) = moving_(row - 1, column);
      moving_(0, column).reset();
    }
  }
  void multiply(std::int64_t cycle) {
    for (std::int64_t row = rows_ - 1; row >= 0; --row) {
      for (std::int64_t column = columns_ - 1; column >= 0; --column) {
        const Register a = a_(row, column) = column > 0 ? a_(row, column - 1) : left_.word(row, cycle);
        const Register b = b_(row, column) = row > 0 ? b_(row - 1, column) : top_.word(column, cycle);
        if (!a || !b) continue;
        require(a->fold == b->fold && a->index == b->index, "operands of two products meet");
        require(!moving_(row, column), "a result is in the way");
        Register& sum = sums_(row, column);
        sum = Word{a->fold, 0, (sum ? sum->value : 0) + a->value * b->value};
        --macs_left_;
      }
    }
  }

  Registers a_;
  Registers b_;
  Registers sums_;
  Registers moving_;  ///< results in the same registers, on their way down
  Edge left_;
  Edge top_;
  bool drains_ = false;
};

class WeightStationary : Array {
 public:
  WeightStationary(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds, bool two_sets)
      : Array(rows, columns, folds),
        two_sets_(two_sets),
        a_(rows, columns),
        sums_(rows, columns),
        coming_(rows, columns),
        weights_(rows, columns),
        left_([this](std::int64_t number, std::int64_t lane, std::int64_t i) { return at(fold(number).a, i, lane); }) {}

  Outcome run() {
    std::int64_t cycle = 0;
    for (; has_next() || streamed_ < next_ || results_left_ > 0; ++cycle) {
      require(cycle < kTooLong, "the array never ends");
      control(cycle);
      multiply(cycle);
      for (std::int64_t number = 0; number < next_; ++number) load(number, cycle);
    }
    control(cycle);
    return outcome_;
  }

 private:
  void control(std::int64_t cycle) {
    if (two_sets_ && left_.free(cycle) && streamed_ > 0 && done(streamed_ - 1).taken == 0) {
      done(streamed_ - 1).taken = cycle;
    }
    if (streamed_ < next_ && cycle >= load_begins_.back() + inner(streamed_) && left_.free(cycle)) {
      left_.stream(streamed_, cycle, inner(streamed_), height(streamed_));
      macs_left_ += height(streamed_) * inner(streamed_) * width(streamed_);
      results_left_ += height(streamed_) * width(streamed_);
      ++streamed_;
    }
    if (streamed_ < next_) return;
    if (two_sets_) {
      if (!has_next() || fold(next_).fetched > cycle) return;
    } else if (macs_left_ > 0 || !left_.free(cycle) || !takes_next(cycle)) {
      return;
    }
    load_begins_.push_back(cycle);
    ++next_;
  }
  void multiply(std::int64_t cycle) {
    for (std::int64_t row = rows_ - 1; row >= 0; --row) {
      for (std::int64_t column = columns_ - 1; column >= 0; --column) {
        const Register a = a_(row, column) = column > 0 ? a_(row, column - 1) : left_.word(row, cycle);
        Register sum = row > 0 ? sums_(row - 1, column) : Register();
        if (a && column < width(a->fold)) {
          if (a->index == 0) weights_(row, column) = coming_(row, column);
          const Register& weight = weights_(row, column);
          require(weight && weight->fold == a->fold, "a weight is not there");
          if (row == 0) sum = Word{a->fold, a->index, 0};
          require(sum && sum->fold == a->fold && sum->index == a->index, "a sum meets another row of A");
          sum->value += weight->value * a->value;
          --macs_left_;
        } else if (sum) {
          require(row >= inner(sum->fold), "a sum passes a cell without its operand");
        }
        sums_(row, column) = sum;
        if (sum && row == rows_ - 1) leaves(sum->fold, sum->index, column, sum->value, cycle);
      }
    }
  }
  /// A row further down each cycle; with two sets each column a cycle after the one before it.
  void load(std::int64_t number, std::int64_t cycle) {
    const std::int64_t begins = load_begins_.at(static_cast<std::size_t>(number));
    for (std::int64_t column = 0; column < width(number); ++column) {
      const std::int64_t step = cycle - begins - (two_sets_ ? column : 0);
      if (step < 0 || step >= inner(number)) continue;
      for (std::int64_t row = rows_ - 1; row > 0; --row) {
        const Register& above = coming_(row - 1, column);
        if (above && above->fold == number) put(row, column, *above);
      }
      put(0, column, {number, 0, at(fold(number).b, inner(number) - 1 - step, column)});
    }
  }
  void put(std::int64_t row, std::int64_t column, Word weight) {
    Register& coming = coming_(row, column);
    const Register& used = weights_(row, column);
    const bool waits =
        coming && coming->fold != weight.fold && row < inner(coming->fold) && (!used || used->fold != coming->fold);
    require(!waits, "a weight is overwritten before its use");
    coming = weight;
  }

  bool two_sets_;
  Registers a_;
  Registers sums_;
  Registers coming_;   ///< weights on their way, and there
  Registers weights_;  ///< in use
  Edge left_;
  std::vector<std::int64_t> load_begins_;  ///< by fold
  std::int64_t streamed_ = 0;              ///< folds whose stream has begun
};

}  // namespace

Outcome output_stationary(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds) {
  return OutputStationary(rows, columns, folds).run();
}

Outcome weight_stationary(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds) {
  return WeightStationary(rows, columns, folds, false).run();
}

Outcome double_buffered(std::int64_t rows, std::int64_t columns, const std::vector<Fold>& folds) {
  return WeightStationary(rows, columns, folds, true).run();
}

}  // namespace kernbench::grid
