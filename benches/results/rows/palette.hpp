// The colours of all figures; beside the rows, since what a row tells has a colour (cause_words.cpp).
#pragma once

/// The palette of Okabe and Ito: colours that readers with any kind of colour vision tell apart.
namespace kernbench::palette {
inline constexpr const char* kOrange = "#E69F00";
inline constexpr const char* kSkyBlue = "#56B4E9";
inline constexpr const char* kGreen = "#009E73";
inline constexpr const char* kYellow = "#F0E442";
inline constexpr const char* kBlue = "#0072B2";
inline constexpr const char* kVermillion = "#D55E00";
inline constexpr const char* kPurple = "#CC79A7";
inline constexpr const char* kPaleGreen = "#8FD0BD";  ///< tints are for relatives of the full colour
inline constexpr const char* kPaleBlue = "#A6CBE3";
inline constexpr const char* kPaleYellow = "#F8F1A8";
inline constexpr const char* kPaleVermillion = "#F0B48F";
inline constexpr const char* kPalePurple = "#EBC8DC";
inline constexpr const char* kPaleOrange = "#F6D693";
inline constexpr const char* kDeepPurple = "#8A3F6B";
inline constexpr const char* kPaleGrey = "#CFCFCF";
inline constexpr const char* kGrey = "#999999";
inline constexpr const char* kInk = "#1b1f24";  ///< of text and of marks without a colour; light on a dark page
}  // namespace kernbench::palette
