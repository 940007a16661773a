// What the changed copy of the sources calls (find.py): each function does what it replaces, or, for the one mutant
// that KERNBENCH_MUTANT names, something else. What is evaluated at compile time is never changed.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace mutants {

inline constexpr std::size_t kMost = std::size_t{1} << 14;

/// Which mutants a test has come by, a byte each: the file that KERNBENCH_MUTANTS_SEEN names, which all processes of
/// the test write; null where it names none.
inline unsigned char* map_seen() {
  const char* path = std::getenv("KERNBENCH_MUTANTS_SEEN");
  if (path == nullptr) return nullptr;
  const int file = ::open(path, O_RDWR | O_CREAT, 0644);
  void* bytes = file >= 0 && ::ftruncate(file, kMost) == 0
                    ? ::mmap(nullptr, kMost, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                    : MAP_FAILED;
  if (bytes == MAP_FAILED) std::abort();
  return static_cast<unsigned char*>(bytes);
}
inline unsigned char* const seen = map_seen();
inline const int active = std::getenv("KERNBENCH_MUTANT") ? std::atoi(std::getenv("KERNBENCH_MUTANT")) : -1;

constexpr bool on(int id) {
  if (std::is_constant_evaluated()) return false;
  if (seen != nullptr) seen[id] = 1;
  return id == active;
}

template <typename L, typename R>
constexpr auto add(int id, L l, R r) {
  return on(id) ? l - r : l + r;
}
template <typename L, typename R>
constexpr auto subtract(int id, L l, R r) {
  return on(id) ? l + r : l - r;
}
template <typename L, typename R>
constexpr auto multiply(int id, L l, R r) {
  return on(id) ? l + r : l * r;
}
template <typename L, typename R>
constexpr auto divide(int id, L l, R r) {
  return on(id) ? l * r : l / r;
}
template <typename L, typename R>
constexpr auto modulo(int id, L l, R r) {
  return on(id) ? l / r : l % r;
}
template <typename L, typename R>
constexpr bool less(int id, const L& l, const R& r) {
  return on(id) ? l <= r : l < r;
}
template <typename L, typename R>
constexpr bool less_equal(int id, const L& l, const R& r) {
  return on(id) ? l < r : l <= r;
}
template <typename L, typename R>
constexpr bool greater(int id, const L& l, const R& r) {
  return on(id) ? l >= r : l > r;
}
template <typename L, typename R>
constexpr bool greater_equal(int id, const L& l, const R& r) {
  return on(id) ? l > r : l >= r;
}
template <typename L, typename R>
constexpr bool equal(int id, const L& l, const R& r) {
  return on(id) ? !(l == r) : l == r;
}
template <typename L, typename R>
constexpr bool unequal(int id, const L& l, const R& r) {
  return on(id) ? l == r : !(l == r);
}
template <typename R>
constexpr bool both(int id, bool l, R r) {
  return on(id) ? l || r() : l && r();
}
template <typename R>
constexpr bool either(int id, bool l, R r) {
  return on(id) ? l && r() : l || r();
}
template <typename L, typename R>
constexpr L& add_to(int id, L& l, R r) {
  return on(id) ? l -= r : l += r;
}
template <typename L, typename R>
constexpr L& take_from(int id, L& l, R r) {
  return on(id) ? l += r : l -= r;
}
constexpr bool negation(int id, bool value) { return on(id) ? value : !value; }

template <typename T>
constexpr T constant(int id, T value) {
  return on(id) ? static_cast<T>(value + T{1}) : value;
}

template <int kId, typename T>
constexpr T max(const T& l, const T& r) {
  return on(kId) ? std::min(l, r) : std::max(l, r);
}
template <int kId, typename T>
constexpr T max(std::initializer_list<T> values) {
  return on(kId) ? std::min(values) : std::max(values);
}
template <int kId, typename T>
constexpr T min(const T& l, const T& r) {
  return on(kId) ? std::max(l, r) : std::min(l, r);
}
template <int kId, typename T>
constexpr T min(std::initializer_list<T> values) {
  return on(kId) ? std::max(values) : std::min(values);
}

}  // namespace mutants
