// What colour a cause of the ledger has in every figure.
#pragma once

#include <array>

#include "benches/results/figures/theme.hpp"
#include "benches/results/rows/cause_words.hpp"

namespace kernbench {

/// Of each cause of kCauseWords. The array is green, the memory blue.
inline constexpr std::array kCauseColours{
    palette::kGreen,      palette::kPaleGreen,  palette::kYellow,         palette::kPaleYellow, palette::kBlue,
    palette::kSkyBlue,    palette::kPaleBlue,   palette::kPaleVermillion, palette::kPaleOrange, palette::kOrange,
    palette::kVermillion, palette::kPalePurple, palette::kPaleGrey,       palette::kDeepPurple, palette::kPurple,
    palette::kGrey,       palette::kInk};
static_assert(kCauseColours.size() == kCauseWords.size());

}  // namespace kernbench
