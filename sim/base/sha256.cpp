// OpenSSL's EVP interface behind one function.
#include "sim/base/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace kernbench {

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("libcrypto could not compute a SHA-256 digest");
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < size; ++i) {
    text += kHex[digest.at(i) >> 4U];
    text += kHex[digest.at(i) & 0xFU];
  }
  return text;
}

}  // namespace kernbench
