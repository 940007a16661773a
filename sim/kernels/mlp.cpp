// mlp: Y = (silu(X Wgate) x (X Wup)) Wdown, the gated feed-forward layer of a transformer. Each PE has rows of X and Y
// and all weights; what lies between them stays in TCM (adr/0030, 30.11).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sim/base/bf16.hpp"
#include "sim/hw/values/matrix_values.hpp"
#include "sim/system/user_kernel.hpp"

namespace kernbench {

namespace {

/// Columns of a matrix, each so many as a matrix of its own.
using Panels = std::vector<MatrixLayout>;

// The matrices of operand_element().
constexpr std::uint64_t kX = 1;
constexpr std::uint64_t kGate = 2;
constexpr std::uint64_t kUp = 3;
constexpr std::uint64_t kDown = 4;
/// Sums of the gate stay where silu is curved.
float gate_element(std::int64_t row, std::int64_t column) { return operand_element(kGate, row, column) / 64; }

struct Shape {
  std::int64_t model;
  std::int64_t hidden;
  bool fused;
};

/// Y by its definition, row by row: sums in fp32, bf16 where the machine stores (30.13).
class Reference {
 public:
  explicit Reference(const Shape& shape) : shape_(shape) {}

  float operator()(std::int64_t row, std::int64_t column) {
    auto [y, is_new] = rows_.try_emplace(row);
    if (is_new) y->second = multiplied(hidden_row(row), shape_.model, weights(kDown, shape_.hidden, shape_.model));
    return y->second[static_cast<std::size_t>(column)];
  }

 private:
  using Values = std::vector<float>;
  static float stored(float value) { return static_cast<float>(Bf16(value)); }

  const Values& weights(std::uint64_t matrix, std::int64_t rows, std::int64_t columns) {
    Values& values = weights_[matrix];
    if (!values.empty()) return values;
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        values.push_back(matrix == kGate ? gate_element(row, column) : operand_element(matrix, row, column));
      }
    }
    return values;
  }

  static Values multiplied(const Values& row, std::int64_t columns, const Values& matrix) {
    Values sums(static_cast<std::size_t>(columns));
    auto element = matrix.begin();
    for (const float factor : row) {
      for (float& sum : sums) sum += factor * *element++;
    }
    return sums;
  }

  Values hidden_row(std::int64_t row) {
    Values x;
    for (std::int64_t k = 0; k < shape_.model; ++k) x.push_back(operand_element(kX, row, k));
    Values h = multiplied(x, shape_.hidden, weights(kGate, shape_.model, shape_.hidden));
    const Values up = multiplied(x, shape_.hidden, weights(kUp, shape_.model, shape_.hidden));
    for (std::size_t j = 0; j < h.size(); ++j) {
      const float gate = stored(h[j] / (1.0F + std::exp(-h[j])));
      h[j] = stored(gate * (shape_.fused ? up[j] : stored(up[j])));
    }
    return h;
  }

  Shape shape_;
  std::map<std::uint64_t, Values> weights_;
  std::map<std::int64_t, Values> rows_;
};

/// Panels of weights in the order of their use, again for each block: each comes while the one before it is used.
class WeightStream {
 public:
  WeightStream(KernelPe pe, Panels panels, std::int64_t blocks)
      : pe_(pe), panels_(std::move(panels)), uses_(blocks * static_cast<std::int64_t>(panels_.size())) {}

  /// The next one, in TCM; the one before is gone.
  Task<Operand> next() {
    if (used_.done != nullptr) pe_.release(used_);
    if (started_ == 0) coming_ = co_await pe_.load(start());
    used_ = coming_;
    if (started_ < uses_) coming_ = co_await pe_.load(start());
    co_await pe_.wait(used_);
    co_return used_;
  }

 private:
  const MatrixLayout& start() { return panels_[static_cast<std::size_t>(started_++) % panels_.size()]; }

  KernelPe pe_;
  Panels panels_;
  std::int64_t uses_;
  std::int64_t started_ = 0;
  Operand used_;
  Operand coming_;
};

class Mlp {
 public:
  Mlp(KernelPe pe, const KernelArguments& arguments)
      : pe_(pe),
        tile_(pe.machine().pe.mac.tile),
        shape_{arguments.at("model"), arguments.at("hidden"), arguments.at("fused") != 0},
        width_(ceil_div(arguments.at("panel"), tile_.k) * tile_.k),
        block_(arguments.at("block")),
        first_(arguments.at("rows") * pe.rank() / pe.size()),
        end_(arguments.at("rows") * (pe.rank() + 1) / pe.size()),
        weights_(pe, placed_weights(), ceil_div(end_ - first_, block_)),
        reference_(shape_) {}

  Process run() {
    for (std::int64_t row = first_; row < end_; row += block_) {
      const MatrixLayout x = pe_.hbm(std::min(block_, end_ - row), shape_.model);
      pe_.fill(x, operand_values(kX, row));
      const Panels y = panels(x.rows, shape_.model, [this](auto rows, auto columns) { return in_hbm(rows, columns); });
      const MatrixLayout h = pe_.tcm(x.rows, shape_.hidden);
      const Operand loaded = co_await pe_.load(x);
      co_await compute_h(loaded, h).finished();
      if (!shape_.fused) co_await through_hbm(h).finished();
      co_await compute_y(h, y).finished();
      pe_.release(loaded);
      pe_.release(h);
      for (std::size_t p = 0; p < y.size(); ++p) {
        const std::int64_t column = static_cast<std::int64_t>(p) * width_;
        pe_.expect(y[p], [this, row, column](auto r, auto c) { return reference_(row + r, column + c); });
      }
    }
  }

 private:
  /// H = silu(X Wgate) x (X Wup), panel by panel.
  Process compute_h(Operand x, MatrixLayout h) {
    for (std::int64_t first = 0; first < shape_.hidden; first += width_) {
      const MatrixLayout panel = panel_of(h, first);
      const std::int64_t columns = panel.columns;
      GemmCall gate{{h.rows, shape_.model, columns, Layout::kRowMajor, {{VectorOp::kSilu}}}};
      GemmCall up{{h.rows, shape_.model, columns}};
      gate.matrices.c = shape_.fused ? pe_.tcm(h.rows, columns) : in_hbm(h.rows, columns);
      up.matrices.c = shape_.fused ? panel : in_hbm(h.rows, columns);
      if (shape_.fused) {
        up.problem.epilogues = {{VectorOp::kMultiply}};
        up.auxiliary = Operand{gate.matrices.c};
      }
      const Operand gate_weights = co_await weights_.next();
      if (first == 0) co_await pe_.wait(x);
      co_await pe_.wait(co_await pe_.composite(gate, x, gate_weights));
      const Operand up_weights = co_await weights_.next();
      co_await pe_.wait(co_await pe_.composite(up, x, up_weights));
      if (!shape_.fused) {
        const MathProblem multiply{VectorOp::kMultiply, h.rows, columns};
        co_await pe_.wait(co_await pe_.composite(MathCall{multiply, {gate.matrices.c, up.matrices.c, panel}}));
        pe_.release(up.matrices.c);
      }
      pe_.release(gate.matrices.c);
    }
  }

  /// Y = H Wdown, panel by panel, into HBM.
  Process compute_y(MatrixLayout h, Panels y) {
    Operand whole{h};  // panels behind each other
    whole.tiles = [this, h](std::int64_t i, std::int64_t k) {
      const std::int64_t column = k * tile_.k;
      return panel_of(h, column / width_ * width_).tile(i, column % width_ / tile_.k);
    };
    for (const MatrixLayout& panel : y) {
      GemmCall down{{h.rows, shape_.hidden, panel.columns}};
      down.matrices.c = panel;
      const Operand down_weights = co_await weights_.next();
      co_await pe_.wait(co_await pe_.composite(down, whole, down_weights));
    }
  }

  Process through_hbm(MatrixLayout h) {
    const MatrixLayout there = pe_.hbm(h.rows, h.columns);
    co_await pe_.wait(co_await pe_.store(h, there));
    co_await pe_.wait(co_await pe_.load(there, h));
    pe_.release(there);
  }

  /// The columns of H from `first` on that one panel of weights gives: behind those before them.
  [[nodiscard]] MatrixLayout panel_of(MatrixLayout h, std::int64_t first) const {
    h.base += h.rows * first * kElementBytes;
    h.columns = std::min(width_, h.columns - first);
    h.tile_rows = tile_.m;
    h.tile_columns = tile_.k;
    return h;
  }

  /// Room for a result, tile by tile.
  [[nodiscard]] MatrixLayout in_hbm(std::int64_t rows, std::int64_t columns) {
    return pe_.hbm(MatrixLayout{Layout::kBlocked, rows, columns, tile_.m, tile_.n, 0, pe_.machine().die.hbm.burst});
  }

  template <class Place>
  Panels panels(std::int64_t rows, std::int64_t columns, Place place) {
    Panels placed;
    for (std::int64_t first = 0; first < columns; first += width_) {
      placed.push_back(place(rows, std::min(width_, columns - first)));
    }
    return placed;
  }

  /// In the order of their use: gate 0, up 0, gate 1, up 1, ..., down 0, down 1, ...
  Panels placed_weights() {
    const auto weights = [this](std::int64_t rows, std::int64_t columns, const KernelPe::Element& value) {
      std::int64_t first = 0;
      return panels(rows, columns, [&](std::int64_t of_rows, std::int64_t of_columns) {
        const MatrixLayout panel = pe_.hbm(of_rows, of_columns);
        pe_.fill(panel, [&](std::int64_t row, std::int64_t column) { return value(row, first + column); });
        first += of_columns;
        return panel;
      });
    };
    if (first_ == end_) return {};
    const Panels gate = weights(shape_.model, shape_.hidden, gate_element);
    const Panels up = weights(shape_.model, shape_.hidden, operand_values(kUp));
    const Panels down = weights(shape_.hidden, shape_.model, operand_values(kDown));
    Panels order;
    for (std::size_t p = 0; p < gate.size(); ++p) order.insert(order.end(), {gate[p], up[p]});
    order.insert(order.end(), down.begin(), down.end());
    return order;
  }

  KernelPe pe_;
  TileShape tile_;
  Shape shape_;
  std::int64_t width_;
  std::int64_t block_;
  std::int64_t first_;
  std::int64_t end_;
  WeightStream weights_;
  Reference reference_;
};

Process run(KernelPe pe, KernelArguments arguments) {
  Mlp mlp(pe, arguments);
  co_await mlp.run().finished();
}

const RegisterKernel kRegistered(
    {"mlp",
     "Y = (silu(X Wgate) x (X Wup)) Wdown, rows of X and Y over the PEs, what is between in TCM",
     {{"rows", "rows of X and Y, over all PEs", 1024, 1},
      {"model", "columns of X and Y", 512, 1},
      {"hidden", "columns of Wgate and Wup, rows of Wdown", 2048, 1},
      {"block", "rows that a PE works on at a time", 128, 1},
      {"panel", "columns of weights that are loaded at a time, rounded up to whole pe.mac.tile.k", 256, 1},
      {"fused", "0: each composite's result goes through HBM", 1, 0, 1}},
     run});

}  // namespace

}  // namespace kernbench
