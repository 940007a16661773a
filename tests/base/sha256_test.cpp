// The digest is SHA-256's: the example of FIPS 180-4 and the empty message.
#include "sim/base/sha256.hpp"

#include <doctest/doctest.h>

TEST_CASE("SHA-256 of known messages") {
  CHECK(kernbench::sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(kernbench::sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
