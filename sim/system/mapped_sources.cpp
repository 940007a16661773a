#include "sim/system/mapped_sources.hpp"

#include "sim/engine/repetition.hpp"
#include "sim/plan/mapped_program.hpp"

namespace kernbench {

MappedGemm::Piece MappedSource::piece(const MappedGemm& mapped, BlockOf what, const BlockStep& step) const {
  if (what == BlockOf::kSums) return mapped.c(whole, step, tiles);
  return what == BlockOf::kB ? mapped.b(whole, step, tiles) : mapped.a(whole, step, tiles);
}

MappedSources sources_of(const MappedGemm& mapped, const GemmCall& call) {
  const GemmMatrices& matrices = call.matrices;
  const MappedSource added =
      mapped.problem().adds ? MappedSource{matrices.c, matrices.c_tiles} : MappedSource{matrices.kept};
  return {MappedSource{matrices.a, matrices.a_tiles}, MappedSource{matrices.b, matrices.b_tiles}, added};
}

namespace {

class StepText {
 public:
  explicit StepText(Bytes interleaved) : interleaved_(interleaved) {}
  void add(std::int64_t what) { digest_ = Repetition::mixed(digest_, static_cast<std::uint64_t>(what)); }
  void add(const Block& block) {
    add(block.memory);
    add(block.address % interleaved_);
    add(block.stride);
  }
  /// Of a matrix that is not spread its first tile says where all of them are.
  void add(const MappedGemm::Piece& piece, bool spread) {
    add(piece.matrix.rows);
    add(piece.matrix.columns);
    if (piece.whole) return add(piece.matrix.tile(0, 0));
    for (std::int64_t row = 0; row < (spread ? piece.matrix.row_tiles() : 1); ++row) {
      for (std::int64_t column = 0; column < (spread ? piece.matrix.column_tiles() : 1); ++column) {
        add(piece.tiles(row, column));
      }
    }
  }
  [[nodiscard]] std::uint64_t digest() const { return digest_; }

 private:
  Bytes interleaved_;
  std::uint64_t digest_ = 0;
};

/// The composite: its size, what is streamed, and what it leaves where.
void add_product(StepText& text, const MappedGemm& mapped, const GemmCall& call, const MappedSources& sources,
                 const BlockStep& step) {
  const auto piece = [&](BlockOf what) { return sources.at(static_cast<std::size_t>(what)).piece(mapped, what, step); };
  const Residency loaded = mapped.mapping().blocks;
  for (const BlockOf what : {BlockOf::kA, BlockOf::kB}) {
    const MappedGemm::Piece operand = piece(what);
    text.add(operand.matrix.rows);
    text.add(operand.matrix.columns);
    const bool streamed = !(what == BlockOf::kA ? loaded.a : loaded.b);
    if (streamed) text.add(operand, sources.at(static_cast<std::size_t>(what)).tiles != nullptr);
  }
  const bool last = mapped.last_along_k(step);
  text.add(MappedGemm::first_along_k(step) ? 1 : 0);
  text.add(last ? 1 : 0);
  if (last) {
    text.add(mapped.c(call.matrices.c, step, call.matrices.c_tiles), call.matrices.c_tiles != nullptr);
  } else if (mapped.sums_in_hbm()) {
    text.add(mapped.c(call.matrices.kept, step), false);
  }
}

}  // namespace

std::vector<std::uint64_t> texts_of_steps(const MappedGemm& mapped, const GemmCall& call, Bytes interleaved) {
  const MappedSources sources = sources_of(mapped, call);
  MappedProgram program(mapped);
  std::vector<std::uint64_t> texts;
  for (std::int64_t step = 0; step < mapped.steps(); ++step) {
    StepText text(interleaved);
    for (const MappedCall& made : program.next()) {
      text.add(static_cast<std::int64_t>(made.what));
      if (made.what == MappedCall::What::kLoad) {
        const BlockLoad& load = program.load(made.number);
        const MappedSource& source = sources.at(static_cast<std::size_t>(load.what));
        text.add(static_cast<std::int64_t>(load.what));
        text.add(source.piece(mapped, load.what, mapped.at(load.step)), source.tiles != nullptr);
      } else if (made.what == MappedCall::What::kWaitForLoad) {
        text.add(static_cast<std::int64_t>(program.load(made.number).what));
        text.add(program.loads_started() - made.number);
      } else if (made.what == MappedCall::What::kWaitForStep) {
        text.add(step - made.number);
      } else if (made.what == MappedCall::What::kMultiply) {
        add_product(text, mapped, call, sources, mapped.at(step));
      }
    }
    texts.push_back(text.digest());
  }
  return texts;
}

}  // namespace kernbench
