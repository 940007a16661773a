// What the PEs of a GEMM have to do at least, and how fast it can be (adr/0030, 30.7).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/multi_pe_gemm.hpp"
#include "sim/plan/network/network_plan.hpp"

namespace kernbench {

/// What one PE has to do at least.
struct PeWork {
  Picoseconds array;      ///< for which its array is occupied
  Cycles converting = 0;  ///< of its vector unit, on operands (34.8)
  Bytes read = 0;         ///< from memories into TCM
  Bytes given = 0;        ///< of its partition, to whomever
  Bytes written = 0;      ///< to its own partition
  Bytes received = 0;
  std::int64_t taken = 0;  ///< elements of what is received
};

/// What all PEs of a run have to do, and what goes from whom to whom.
class MultiPeWork {
 public:
  explicit MultiPeWork(int pes) : pes_(static_cast<std::size_t>(pes)) {}

  void multiplies(int pe, Picoseconds array, Cycles converting = 0);
  /// `pe` reads `times` times `bytes` of `owner`'s partition.
  void reads(int pe, int owner, Bytes bytes, std::int64_t times = 1);
  /// The tiles of `rect`, from whoever has them.
  void reads(int pe, const PlacedMatrix& matrix, const Rect& rect, std::int64_t times);
  void writes(int pe, Bytes bytes);
  void sends(int from, int to, const MatrixLayout& matrix) { multicasts(from, {to}, matrix); }
  /// To several at once, where routers copy packets; else to one after the other.
  void multicasts(int from, const std::vector<std::int32_t>& to, const MatrixLayout& matrix);
  /// A PE has `bytes` of its TCM in use at one time.
  void takes_tcm(Bytes bytes);

  struct Flow {
    int from = 0;
    int to = 0;
    Bytes bytes = 0;
  };
  struct Message {
    int from = 0;
    std::vector<std::int32_t> to;
    Bytes bytes = 0;
  };
  [[nodiscard]] const std::vector<PeWork>& pes() const { return pes_; }
  [[nodiscard]] const std::vector<Flow>& reads() const { return reads_; }           ///< owner's partition -> reader
  [[nodiscard]] const std::vector<Message>& messages() const { return messages_; }  ///< sender -> receivers
  [[nodiscard]] Bytes tcm() const { return tcm_; }                                  ///< of the PE that takes most

 private:
  PeWork& of(int pe) { return pes_[static_cast<std::size_t>(pe)]; }
  std::vector<PeWork> pes_;
  std::vector<Flow> reads_;
  std::vector<Message> messages_;
  Bytes tcm_ = 0;
};

/// What a PE reads that multiplies `a`, rows of tiles of A, with `b`, columns of tiles of B, into its own partition,
/// one operand loaded first where that helps (30.3).
void add_product(const PlacedGemm& gemm, int pe, const Rect& a, const Rect& b, const PeSpec& spec, MultiPeWork& work);

struct MultiPeGemmBound {
  Picoseconds time;
  std::string resource;  ///< mac, dma_in, hbm, dma_out, vector, or the name of a link: what takes so long
  Bytes brought = 0;     ///< into the TCM of the PE that most comes to
  Bytes crossing = 0;    ///< over all links, a byte once a link
};
/// The largest work of a unit or link, at its full rate: no run on PEs `pes` of the machine is faster.
[[nodiscard]] MultiPeGemmBound multi_pe_gemm_bound(const MultiPeWork& work, const MachineSpec& machine,
                                                   const NetworkPlan& plan, const std::vector<std::int32_t>& pes);

}  // namespace kernbench
