// SPDX-License-Identifier: Apache-2.0
#include "render/light/light_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "render/base/error.h"

namespace simulacra {
namespace {

float safe_acos(float x) { return std::acos(std::clamp(x, -1.0f, 1.0f)); }
float sine_of(float cosine) { return std::sqrt(std::max(0.0f, 1 - cosine * cosine)); }

/// cos(max(0, a - b)) from the sines and cosines of angles in [0, pi].
float cos_difference(float sin_a, float cos_a, float sin_b, float cos_b) {
  return cos_a > cos_b ? 1.0f : cos_a * cos_b + sin_a * sin_b;
}

/// Smallest cone that holds two cones (axis, half angle).
void unite_cones(Vec3& axis, float& cos_o, Vec3 other_axis, float other_cos_o) {
  float a = safe_acos(cos_o), b = safe_acos(other_cos_o);
  if (b > a) {
    std::swap(a, b);
    std::swap(axis, other_axis);
  }
  const float between = safe_acos(dot(axis, other_axis));
  if (std::min(between + b, kPi) <= a) {
    cos_o = std::cos(a);
    return;
  }
  const float theta = 0.5f * (a + between + b);
  const Vec3 pivot = cross(axis, other_axis);
  if (theta >= kPi || length_squared(pivot) < 1e-12f) {
    cos_o = -1;
    return;
  }
  // Rotates the wider cone's axis towards the other.
  const float turn = theta - a;
  const Vec3 k = normalize(pivot);
  axis = normalize(axis * std::cos(turn) + cross(k, axis) * std::sin(turn));
  cos_o = std::cos(theta);
}

LightBounds unite(const LightBounds& a, const LightBounds& b) {
  if (a.power == 0) return b;
  if (b.power == 0) return a;
  LightBounds r = a;
  r.box.add(b.box);
  r.power += b.power;
  r.two_sided = a.two_sided || b.two_sided;
  unite_cones(r.axis, r.cos_theta_o, b.axis, b.cos_theta_o);
  r.cos_theta_e = std::min(a.cos_theta_e, b.cos_theta_e);
  return r;
}

/// Orientation part of the surface-area-orientation heuristic.
float orientation_measure(const LightBounds& b) {
  const float o = safe_acos(b.cos_theta_o), e = safe_acos(b.cos_theta_e), w = std::min(o + e, kPi);
  const float sin_o = sine_of(b.cos_theta_o);
  return 2 * kPi * (1 - b.cos_theta_o) +
         kPi / 2 * (2 * w * sin_o - std::cos(o - 2 * w) - 2 * o * sin_o + b.cos_theta_o);
}

float area(const Box3f& box) {
  const Vec3 d = box.size();
  return d.x * d.y + d.y * d.z + d.z * d.x;
}

constexpr int kBuckets = 12;
constexpr int kDepthOfMedianSplits = 36;  // 36 + log2(2^27 lights) levels stay within the 64 bits of a trail

/// Where to cut [0, n) after sorting along an axis: the cheapest bucket border of the heuristic.
std::size_t split(std::span<const LightBounds> lights, std::span<std::uint32_t> order, bool median) {
  Box3f centers;
  for (const std::uint32_t i : order) centers.add(lights[i].box.center());
  const Vec3 extent = centers.size();
  float best_cost = INFINITY;
  std::size_t best_axis = 0;
  int best_border = -1;
  const auto bucket_of = [&](std::uint32_t i, std::size_t axis) {
    const float x = (lights[i].box.center()[axis] - centers.lo[axis]) / extent[axis];
    return std::min(kBuckets - 1, static_cast<int>(x * kBuckets));
  };
  const float longest = std::max({extent.x, extent.y, extent.z});
  for (std::size_t axis = 0; axis < 3 && !median; ++axis) {
    if (!(extent[axis] > 0)) continue;
    std::array<LightBounds, kBuckets> buckets;
    for (const std::uint32_t i : order) {
      LightBounds& b = buckets[static_cast<std::size_t>(bucket_of(i, axis))];
      b = unite(b, lights[i]);
    }
    std::array<float, kBuckets> cost{};
    LightBounds below, above;
    for (std::size_t b = 0; b + 1 < kBuckets; ++b) {
      below = unite(below, buckets[b]);
      if (below.power > 0) cost[b] += below.power * orientation_measure(below) * area(below.box);
      else cost[b] = INFINITY;
      const std::size_t c = kBuckets - 1 - b;
      above = unite(above, buckets[c]);
      if (above.power > 0) cost[c - 1] += above.power * orientation_measure(above) * area(above.box);
      else cost[c - 1] = INFINITY;
    }
    for (int b = 0; b + 1 < kBuckets; ++b) {
      const float c = cost[static_cast<std::size_t>(b)] * (longest / extent[axis]);
      if (c < best_cost) best_cost = c, best_axis = axis, best_border = b;
    }
  }
  if (best_border >= 0) {
    const auto middle = std::stable_partition(order.begin(), order.end(), [&](std::uint32_t i) {
      return bucket_of(i, best_axis) <= best_border;
    });
    const auto n = static_cast<std::size_t>(middle - order.begin());
    if (n > 0 && n < order.size()) return n;
  }
  const std::size_t axis = extent.x >= extent.y && extent.x >= extent.z ? 0 : extent.y >= extent.z ? 1 : 2;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return lights[a].box.center()[axis] < lights[b].box.center()[axis];
  });
  return order.size() / 2;
}

}  // namespace

LightTree::LightTree(std::span<const LightBounds> lights) : trail_of_light_(lights.size(), 0) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < lights.size(); ++i)
    if (lights[i].power > 0) order.push_back(i);
  if (order.empty()) return;
  nodes_.reserve(2 * order.size());
  build(lights, order, 0, 0);
}

std::uint32_t LightTree::build(std::span<const LightBounds> lights,
                               std::span<std::uint32_t> order,
                               std::uint64_t trail,
                               int depth) {
  SIM_CHECK(depth < 64);
  LightBounds all = lights[order[0]];
  for (std::size_t i = 1; i < order.size(); ++i) all = unite(all, lights[order[i]]);
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  {
    Node& node = nodes_.back();
    node.center = all.box.center();
    node.radius_squared = 0.25f * length_squared(all.box.size());
    node.axis = all.axis;
    node.cos_theta_o = all.cos_theta_o;
    node.cos_theta_e = all.cos_theta_e;
    node.power = all.power;
    node.two_sided = all.two_sided;
  }
  if (order.size() == 1) {
    nodes_[index].leaf = true;
    nodes_[index].child = order[0];
    trail_of_light_[order[0]] = trail;
    return index;
  }
  const std::size_t n = split(lights, order, depth >= kDepthOfMedianSplits);
  build(lights, order.first(n), trail, depth + 1);
  const std::uint32_t second = build(lights, order.subspan(n), trail | (std::uint64_t{1} << depth), depth + 1);
  nodes_[index].child = second;
  return index;
}

float LightTree::importance(const Node& node, Vec3 point, Vec3 normal) const {
  const Vec3 to_point = point - node.center;
  const float true_distance_squared = length_squared(to_point);
  // Inside the box the distance says little: at least its radius.
  const float distance_squared = std::max({true_distance_squared, node.radius_squared, 1e-30f});
  const bool inside = true_distance_squared <= node.radius_squared;
  const float sin2_u = inside ? 1.0f : node.radius_squared / true_distance_squared;
  const float cos_u = inside ? -1.0f : std::sqrt(std::max(0.0f, 1 - sin2_u));
  const float sin_u = inside ? 0.0f : std::sqrt(sin2_u);
  const Vec3 wi = true_distance_squared > 0 ? to_point / std::sqrt(true_distance_squared) : Vec3{0, 0, 1};

  float cos_w = dot(node.axis, wi);
  if (node.two_sided) cos_w = std::abs(cos_w);
  const float sin_w = sine_of(cos_w);
  const float sin_o = sine_of(node.cos_theta_o);
  const float cos_x = cos_difference(sin_w, cos_w, sin_o, node.cos_theta_o);
  const float cos_emission = cos_difference(sine_of(cos_x), cos_x, sin_u, cos_u);
  if (cos_emission <= node.cos_theta_e) return 0;

  float result = node.power * cos_emission / distance_squared;
  if (length_squared(normal) > 0) {
    const float cos_i = -dot(wi, normal);
    const float cos_receiver = cos_difference(sine_of(cos_i), cos_i, sin_u, cos_u);
    if (cos_receiver <= 0) return 0;
    result *= cos_receiver;
  }
  return result;
}

std::optional<LightTree::Pick> LightTree::pick(Vec3 point, Vec3 normal, float u) const {
  if (nodes_.empty()) return std::nullopt;
  std::uint32_t i = 0;
  float probability = 1;
  while (!nodes_[i].leaf) {
    const float a = importance(nodes_[i + 1], point, normal);
    const float b = importance(nodes_[nodes_[i].child], point, normal);
    if (!(a + b > 0)) return std::nullopt;
    const float p = a / (a + b);
    if (u < p) {
      u = std::min(u / p, 0x1.fffffep-1f);
      probability *= p;
      i = i + 1;
    } else {
      u = std::min((u - p) / (1 - p), 0x1.fffffep-1f);
      probability *= 1 - p;
      i = nodes_[i].child;
    }
  }
  return Pick{nodes_[i].child, probability};
}

float LightTree::probability(Vec3 point, Vec3 normal, std::uint32_t light) const {
  if (nodes_.empty()) return 0;
  std::uint64_t trail = trail_of_light_[light];
  std::uint32_t i = 0;
  float probability = 1;
  while (!nodes_[i].leaf) {
    const float a = importance(nodes_[i + 1], point, normal);
    const float b = importance(nodes_[nodes_[i].child], point, normal);
    if (!(a + b > 0)) return 0;
    const float p = a / (a + b);
    probability *= (trail & 1u) != 0 ? 1 - p : p;
    i = (trail & 1u) != 0 ? nodes_[i].child : i + 1;
    trail >>= 1;
  }
  return nodes_[i].child == light ? probability : 0;
}

}  // namespace simulacra
