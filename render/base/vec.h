// SPDX-License-Identifier: Apache-2.0
// Small vectors, matrices and transforms.
//  - Column vectors: a transform stands on the left, `cam_from_world * p_in_world`.
//  - float inside the tracer (Vec2, Vec3), double where poses and imports are composed (Vec3d, Affine3d).
//  - Rgb is a color: linear Rec. 709 primaries unless a name says otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace simulacra {

inline constexpr float kPi = std::numbers::pi_v<float>;
inline constexpr float kInvPi = std::numbers::inv_pi_v<float>;
inline constexpr double kPiD = std::numbers::pi;

template <typename T>
struct Vector2 {
  T x{}, y{};
  constexpr T& operator[](std::size_t i) { return i == 0 ? x : y; }
  constexpr T operator[](std::size_t i) const { return i == 0 ? x : y; }
  friend constexpr Vector2 operator+(Vector2 a, Vector2 b) { return {a.x + b.x, a.y + b.y}; }
  friend constexpr Vector2 operator-(Vector2 a, Vector2 b) { return {a.x - b.x, a.y - b.y}; }
  friend constexpr Vector2 operator*(Vector2 a, T s) { return {a.x * s, a.y * s}; }
  friend constexpr Vector2 operator*(T s, Vector2 a) { return {a.x * s, a.y * s}; }
  friend constexpr bool operator==(Vector2, Vector2) = default;
};

template <typename T>
struct Vector3 {
  T x{}, y{}, z{};
  constexpr Vector3() = default;
  constexpr Vector3(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
  template <typename U>
  constexpr explicit Vector3(const Vector3<U>& o)
      : x(static_cast<T>(o.x)), y(static_cast<T>(o.y)), z(static_cast<T>(o.z)) {}
  constexpr T& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  constexpr T operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }
  friend constexpr Vector3 operator+(Vector3 a, Vector3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend constexpr Vector3 operator-(Vector3 a, Vector3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend constexpr Vector3 operator-(Vector3 a) { return {-a.x, -a.y, -a.z}; }
  friend constexpr Vector3 operator*(Vector3 a, T s) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vector3 operator*(T s, Vector3 a) { return {a.x * s, a.y * s, a.z * s}; }
  friend constexpr Vector3 operator/(Vector3 a, T s) { return {a.x / s, a.y / s, a.z / s}; }
  constexpr Vector3& operator+=(Vector3 b) { return *this = *this + b; }
  constexpr Vector3& operator*=(T s) { return *this = *this * s; }
  friend constexpr bool operator==(Vector3, Vector3) = default;
};

using Vec2 = Vector2<float>;
using Vec2d = Vector2<double>;
using Vec3 = Vector3<float>;
using Vec3d = Vector3<double>;

struct Vec4 {
  float x{}, y{}, z{}, w{};
  friend constexpr bool operator==(Vec4, Vec4) = default;
};

template <typename T>
constexpr T dot(Vector3<T> a, Vector3<T> b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
template <typename T>
constexpr T dot(Vector2<T> a, Vector2<T> b) { return a.x * b.x + a.y * b.y; }
template <typename T>
constexpr Vector3<T> cross(Vector3<T> a, Vector3<T> b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <typename T>
T length(Vector3<T> a) { return std::sqrt(dot(a, a)); }
template <typename T>
constexpr T length_squared(Vector3<T> a) { return dot(a, a); }
/// The zero vector gives NaN: callers that can meet one test first.
template <typename T>
Vector3<T> normalize(Vector3<T> a) { return a / length(a); }
template <typename T>
Vector3<T> min(Vector3<T> a, Vector3<T> b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
template <typename T>
Vector3<T> max(Vector3<T> a, Vector3<T> b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }
inline bool is_finite(Vec3 a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }
inline bool is_finite(Vec3d a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

/// A color or spectrum of three bands. Products are per channel.
struct Rgb {
  float r{}, g{}, b{};
  constexpr Rgb() = default;
  constexpr explicit Rgb(float v) : r(v), g(v), b(v) {}
  constexpr Rgb(float r_, float g_, float b_) : r(r_), g(g_), b(b_) {}
  constexpr float& operator[](std::size_t i) { return i == 0 ? r : i == 1 ? g : b; }
  constexpr float operator[](std::size_t i) const { return i == 0 ? r : i == 1 ? g : b; }
  friend constexpr Rgb operator+(Rgb a, Rgb c) { return {a.r + c.r, a.g + c.g, a.b + c.b}; }
  friend constexpr Rgb operator-(Rgb a, Rgb c) { return {a.r - c.r, a.g - c.g, a.b - c.b}; }
  friend constexpr Rgb operator*(Rgb a, Rgb c) { return {a.r * c.r, a.g * c.g, a.b * c.b}; }
  friend constexpr Rgb operator/(Rgb a, Rgb c) { return {a.r / c.r, a.g / c.g, a.b / c.b}; }
  friend constexpr Rgb operator*(Rgb a, float s) { return {a.r * s, a.g * s, a.b * s}; }
  friend constexpr Rgb operator*(float s, Rgb a) { return a * s; }
  friend constexpr Rgb operator/(Rgb a, float s) { return {a.r / s, a.g / s, a.b / s}; }
  constexpr Rgb& operator+=(Rgb c) { return *this = *this + c; }
  constexpr Rgb& operator*=(Rgb c) { return *this = *this * c; }
  constexpr Rgb& operator*=(float s) { return *this = *this * s; }
  friend constexpr bool operator==(Rgb, Rgb) = default;
};

/// Rec. 709 luminance.
constexpr float luminance(Rgb c) { return 0.2126f * c.r + 0.7152f * c.g + 0.0722f * c.b; }
inline float max_component(Rgb c) { return std::max({c.r, c.g, c.b}); }
constexpr bool is_black(Rgb c) { return c.r == 0 && c.g == 0 && c.b == 0; }
inline bool is_finite(Rgb c) { return std::isfinite(c.r) && std::isfinite(c.g) && std::isfinite(c.b); }

template <typename T>
struct Matrix3 {
  /// Rows.
  std::array<std::array<T, 3>, 3> m{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  constexpr T& operator()(std::size_t r, std::size_t c) { return m[r][c]; }
  constexpr T operator()(std::size_t r, std::size_t c) const { return m[r][c]; }
  constexpr Vector3<T> column(std::size_t c) const { return {m[0][c], m[1][c], m[2][c]}; }
  static constexpr Matrix3 from_columns(Vector3<T> x, Vector3<T> y, Vector3<T> z) {
    Matrix3 r;
    r.m = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return r;
  }
  static constexpr Matrix3 diagonal(T x, T y, T z) {
    Matrix3 r;
    r.m = {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
    return r;
  }
  friend constexpr Vector3<T> operator*(const Matrix3& a, Vector3<T> v) {
    return {a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
            a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
            a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
  }
  friend constexpr Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
    return from_columns(a * b.column(0), a * b.column(1), a * b.column(2));
  }
  friend constexpr bool operator==(const Matrix3&, const Matrix3&) = default;
};

template <typename T>
constexpr Matrix3<T> transpose(const Matrix3<T>& a) {
  Matrix3<T> r;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r(i, j) = a(j, i);
  return r;
}
template <typename T>
constexpr T determinant(const Matrix3<T>& a) { return dot(a.column(0), cross(a.column(1), a.column(2))); }
/// A singular matrix gives infinities or NaN: callers test determinant() first where that can happen.
template <typename T>
constexpr Matrix3<T> inverse(const Matrix3<T>& a) {
  const T inv_det = T(1) / determinant(a);
  const Vector3<T> x = a.column(0), y = a.column(1), z = a.column(2);
  return transpose(Matrix3<T>::from_columns(cross(y, z) * inv_det, cross(z, x) * inv_det, cross(x, y) * inv_det));
}

using Mat3 = Matrix3<float>;
using Mat3d = Matrix3<double>;

/// `target_from_source`: p_target = linear * p_source + translation.
template <typename T>
struct Affine3 {
  Matrix3<T> linear;
  Vector3<T> translation;
  constexpr Vector3<T> point(Vector3<T> p) const { return linear * p + translation; }
  constexpr Vector3<T> vector(Vector3<T> v) const { return linear * v; }
  friend constexpr Affine3 operator*(const Affine3& a, const Affine3& b) {
    return {a.linear * b.linear, a.linear * b.translation + a.translation};
  }
  friend constexpr bool operator==(const Affine3&, const Affine3&) = default;
};
template <typename T>
constexpr Affine3<T> inverse(const Affine3<T>& a) {
  const Matrix3<T> inv = inverse(a.linear);
  return {inv, -(inv * a.translation)};
}
using Affine3d = Affine3<double>;

constexpr Affine3d translation(Vec3d t) { return {Mat3d{}, t}; }
constexpr Affine3d scaling(Vec3d s) { return {Mat3d::diagonal(s.x, s.y, s.z), {}}; }
/// Right-handed rotation about `axis` (any length but 0).
Affine3d rotation(Vec3d axis, double angle_rad);

/// Two unit vectors that complete the unit vector n to a right-handed basis (x, y, n)
/// (Duff et al. 2017, "Building an Orthonormal Basis, Revisited").
inline void orthonormal_basis(Vec3 n, Vec3& x, Vec3& y) {
  const float sign = std::copysign(1.0f, n.z);
  const float a = -1.0f / (sign + n.z), b = n.x * n.y * a;
  x = {1.0f + sign * n.x * n.x * a, sign * b, -sign * n.x};
  y = {b, sign + n.y * n.y * a, -n.y};
}

/// An orthonormal frame; z is the normal.
struct ShadingFrame {
  Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  static ShadingFrame from_normal(Vec3 n) {
    ShadingFrame f;
    f.z = n;
    orthonormal_basis(n, f.x, f.y);
    return f;
  }
  Vec3 to_local(Vec3 v) const { return {dot(v, x), dot(v, y), dot(v, z)}; }
  Vec3 to_world(Vec3 v) const { return x * v.x + y * v.y + z * v.z; }
};

/// Axis-aligned box; empty until something was added.
template <typename T>
struct Box3 {
  Vector3<T> lo{T(INFINITY), T(INFINITY), T(INFINITY)}, hi{T(-INFINITY), T(-INFINITY), T(-INFINITY)};
  bool empty() const { return !(lo.x <= hi.x && lo.y <= hi.y && lo.z <= hi.z); }
  void add(Vector3<T> p) { lo = min(lo, p); hi = max(hi, p); }
  void add(const Box3& b) { lo = min(lo, b.lo); hi = max(hi, b.hi); }
  Vector3<T> center() const { return (lo + hi) * T(0.5); }
  Vector3<T> size() const { return hi - lo; }
};
using Box3f = Box3<float>;
using Box3d = Box3<double>;

}  // namespace simulacra
