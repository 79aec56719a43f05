// Eight doubles side by side (four with AVX, two without): the same arithmetic on as many
// constraints or bodies at once. The type is GCC's and Clang's vector extension, so it compiles for
// every target; where the machine has the width, one operation is one instruction.
#pragma once

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include <cmath>
#include <cstring>

namespace stiction {

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#elif defined(__AVX__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
using Lanes = double __attribute__((vector_size(8 * kLanes)));

using LaneMask = decltype(Lanes{} < Lanes{});

/// The next multiple of kLanes: loops over vectors of such sizes leave nothing over.
constexpr int whole_lanes(int size) { return (size + kLanes - 1) / kLanes * kLanes; }

inline Lanes all_lanes(double x) { return Lanes{} + x; }
inline Lanes max_of(Lanes a, Lanes b) { return a > b ? a : b; }
inline Lanes min_of(Lanes a, Lanes b) { return a < b ? a : b; }
inline Lanes sqrt_of(Lanes a) {
#if defined(__AVX512F__)
  return _mm512_sqrt_pd(a);  // the compiler would take the roots one by one
#elif defined(__AVX__)
  return _mm256_sqrt_pd(a);
#else
  for (int k = 0; k < kLanes; ++k) a[k] = std::sqrt(a[k]);
  return a;
#endif
}

inline bool any_of(LaneMask mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi64_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) !=
         0;
#else
  bool any = false;
  for (int k = 0; k < kLanes; ++k) any = any || mask[k] != 0;
  return any;
#endif
}

inline Lanes load_lanes(const double* x) {
  Lanes lanes;
  std::memcpy(&lanes, x, sizeof lanes);
  return lanes;
}
inline void store_lanes(Lanes lanes, double* x) { std::memcpy(x, &lanes, sizeof lanes); }
inline double sum_of(Lanes a) {
#if defined(__AVX512F__)
  return _mm512_reduce_add_pd(a);
#else
  double sum = a[0];
  for (int k = 1; k < kLanes; ++k) sum += a[k];
  return sum;
#endif
}

#if defined(__AVX512F__)
// Two steps of a transposition, from pairs of rows to quads: [a0 b0 c0 d0 a4 b4 c4 d4] and so on.
inline void make_quads(Lanes a, Lanes b, Lanes c, Lanes d, Lanes quad[4]) {
  const Lanes even_ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes odd_ab = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const Lanes even_cd = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
  const Lanes odd_cd = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  quad[0] = __builtin_shufflevector(even_ab, even_cd, 0, 1, 8, 9, 4, 5, 12, 13);
  quad[1] = __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 8, 9, 4, 5, 12, 13);
  quad[2] = __builtin_shufflevector(even_ab, even_cd, 2, 3, 10, 11, 6, 7, 14, 15);
  quad[3] = __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 10, 11, 6, 7, 14, 15);
}
#endif

/// x[k] = component k of the four numbers at `from[at[lane]]`.
inline void load_quads(const double* from, const int at[kLanes], Lanes x[4]) {
#if defined(__AVX512F__)
  Lanes halves[4];  // lanes k and k + 4
  for (int k = 0; k < 4; ++k) {
    const __m512d low = _mm512_castpd256_pd512(_mm256_loadu_pd(from + at[k]));
    halves[k] = _mm512_insertf64x4(low, _mm256_loadu_pd(from + at[k + 4]), 1);
  }
  make_quads(halves[0], halves[1], halves[2], halves[3], x);
#else
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int k = 0; k < 4; ++k) x[k][lane] = from[at[lane] + k];
  }
#endif
}

/// The inverse of `load_quads`.
inline void store_quads(const Lanes x[4], double* to, const int at[kLanes]) {
#if defined(__AVX512F__)
  Lanes halves[4];
  make_quads(x[0], x[1], x[2], x[3], halves);
  for (int k = 0; k < 4; ++k) {
    _mm256_storeu_pd(to + at[k], _mm512_castpd512_pd256(halves[k]));
    _mm256_storeu_pd(to + at[k + 4], _mm512_extractf64x4_pd(halves[k], 1));
  }
#else
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int k = 0; k < 4; ++k) to[at[lane] + k] = x[k][lane];
  }
#endif
}

/// Six numbers, a twist or a wrench, on a cache line of their own; the last two are zero.
struct alignas(64) Row6 {
  double x[8] = {};
};

#if defined(__AVX512F__)

inline Lanes load(const Row6& row) {
  Lanes x;
  std::memcpy(&x, row.x, sizeof x);
  return x;
}
inline void store(Lanes x, Row6& row) { std::memcpy(row.x, &x, sizeof x); }

inline Lanes low_halves(Lanes a, Lanes b) {
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
}
inline Lanes high_halves(Lanes a, Lanes b) {
  return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}

/// x[k] = component k of the rows that `at` names, one per lane.
inline void load_transposed(const Row6* rows, const int at[kLanes], Lanes x[6]) {
  Lanes first[4], last[4];
  make_quads(load(rows[at[0]]), load(rows[at[1]]), load(rows[at[2]]), load(rows[at[3]]), first);
  make_quads(load(rows[at[4]]), load(rows[at[5]]), load(rows[at[6]]), load(rows[at[7]]), last);
  for (int k = 0; k < 4; ++k) x[k] = low_halves(first[k], last[k]);
  for (int k = 0; k < 2; ++k) x[k + 4] = high_halves(first[k], last[k]);
}

/// The inverse of `load_transposed`.
inline void store_transposed(const Lanes x[6], Row6* rows, const int at[kLanes]) {
  Lanes first[4], last[4];
  make_quads(x[0], x[1], x[2], x[3], first);
  make_quads(x[4], x[5], Lanes{}, Lanes{}, last);
  for (int k = 0; k < 4; ++k) store(low_halves(first[k], last[k]), rows[at[k]]);
  for (int k = 0; k < 4; ++k) store(high_halves(first[k], last[k]), rows[at[k + 4]]);
}

/// The sum of rows begin .. end.
inline Row6 sum_of_rows(const Row6* begin, const Row6* end) {
  Lanes sum = {};
  for (; begin != end; ++begin) sum += load(*begin);
  Row6 result;
  store(sum, result);
  return result;
}

#else

/// x[k] = component k of the rows that `at` names, one per lane.
inline void load_transposed(const Row6* rows, const int at[kLanes], Lanes x[6]) {
  for (int k = 0; k < 6; ++k) {
    for (int lane = 0; lane < kLanes; ++lane) x[k][lane] = rows[at[lane]].x[k];
  }
}

/// The inverse of `load_transposed`.
inline void store_transposed(const Lanes x[6], Row6* rows, const int at[kLanes]) {
  for (int k = 0; k < 6; ++k) {
    for (int lane = 0; lane < kLanes; ++lane) rows[at[lane]].x[k] = x[k][lane];
  }
}

/// The sum of rows begin .. end.
inline Row6 sum_of_rows(const Row6* begin, const Row6* end) {
  Row6 sum;
  for (; begin != end; ++begin) {
    for (int k = 0; k < 6; ++k) sum.x[k] += begin->x[k];
  }
  return sum;
}

#endif

}  // namespace stiction
