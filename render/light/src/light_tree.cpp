// SPDX-License-Identifier: Apache-2.0
#include "render/light/light_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "render/base/error.h"

namespace simulacra {
namespace {

float safe_acos(float x) { return std::acos(std::clamp(x, -1.0f, 1.0f)); }
float sine_of(float cosine) { return std::sqrt(std::max(0.0f, 1 - cosine * cosine)); }

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

// ---- building

struct LightTree::Branch {
  LightBounds bounds;
  std::uint32_t first = 0, second = 0;  ///< children; leaf: `first` is the light
  bool leaf = false;
};

LightTree::LightTree(std::span<const LightBounds> lights) : trail_of_light_(lights.size(), 0) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < lights.size(); ++i)
    if (lights[i].power > 0) order.push_back(i);
  if (order.empty()) return;
  std::vector<Branch> branches;
  branches.reserve(2 * order.size());
  const std::uint32_t root = build(branches, lights, order, 0);
  widen(branches, root, 0, 0);
}

std::uint32_t LightTree::build(std::vector<Branch>& branches,
                               std::span<const LightBounds> lights,
                               std::span<std::uint32_t> order,
                               int depth) {
  SIM_CHECK(depth < 64);
  Branch branch;
  branch.bounds = lights[order[0]];
  for (std::size_t i = 1; i < order.size(); ++i) branch.bounds = unite(branch.bounds, lights[order[i]]);
  if (order.size() == 1) {
    branch.leaf = true;
    branch.first = order[0];
  } else {
    const std::size_t n = split(lights, order, depth >= kDepthOfMedianSplits);
    branch.first = build(branches, lights, order.first(n), depth + 1);
    branch.second = build(branches, lights, order.subspan(n), depth + 1);
  }
  branches.push_back(branch);
  return static_cast<std::uint32_t>(branches.size()) - 1;
}

std::uint32_t LightTree::widen(const std::vector<Branch>& branches, std::uint32_t branch, std::uint64_t trail, int depth) {
  // A branch's children, and theirs in place of those that have some.
  std::vector<std::uint32_t> lanes;
  const auto add = [&](std::uint32_t i) {
    if (branches[i].leaf) {
      lanes.push_back(i);
    } else {
      lanes.push_back(branches[i].first);
      lanes.push_back(branches[i].second);
    }
  };
  if (branches[branch].leaf) {
    lanes.push_back(branch);
  } else {
    add(branches[branch].first);
    add(branches[branch].second);
  }
  const auto index = static_cast<std::uint32_t>(nodes_.size());
  nodes_.emplace_back();
  Node node;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const Branch& b = branches[lanes[lane]];
    const LightBounds& bounds = b.bounds;
    const Vec3 center = bounds.box.center();
    node.center_x[lane] = center.x, node.center_y[lane] = center.y, node.center_z[lane] = center.z;
    node.radius_squared[lane] = 0.25f * length_squared(bounds.box.size());
    node.axis_x[lane] = bounds.axis.x, node.axis_y[lane] = bounds.axis.y, node.axis_z[lane] = bounds.axis.z;
    node.cos_theta_o[lane] = bounds.cos_theta_o;
    node.sin_theta_o[lane] = sine_of(bounds.cos_theta_o);
    node.cos_theta_e[lane] = bounds.cos_theta_e;
    node.power[lane] = bounds.power;
    node.two_sided[lane] = bounds.two_sided ? -1 : 0;
    const std::uint64_t here = trail | (static_cast<std::uint64_t>(lane) << (2 * depth));
    if (b.leaf) {
      node.leaf = static_cast<std::uint8_t>(node.leaf | (1u << lane));
      node.child[lane] = b.first;
      trail_of_light_[b.first] = here;
    } else {
      node.child[lane] = widen(branches, lanes[lane], here, depth + 1);
    }
  }
  nodes_[index] = node;
  return index;
}

// ---- choosing

namespace {

using Lanes = float __attribute__((vector_size(16)));

Lanes square_root(Lanes x) {
#ifdef __SSE__
  return _mm_sqrt_ps(x);
#else
  for (int i = 0; i < 4; ++i) x[i] = std::sqrt(x[i]);
  return x;
#endif
}
Lanes all(float x) { return Lanes{x, x, x, x}; }
Lanes at_least(Lanes x, Lanes low) { return x > low ? x : low; }
Lanes sine_of(Lanes cosine) { return square_root(at_least(1.0f - cosine * cosine, all(0))); }

/// cos(max(0, a - b)) from the sines and cosines of angles in [0, pi].
Lanes cos_difference(Lanes sin_a, Lanes cos_a, Lanes sin_b, Lanes cos_b) {
  return cos_a > cos_b ? all(1) : cos_a * cos_b + sin_a * sin_b;
}

}  // namespace

LightTree::Lanes LightTree::importance(const Node& node, Vec3 point, Vec3 normal) {
  const Lanes x = point.x - node.center_x, y = point.y - node.center_y, z = point.z - node.center_z;
  const Lanes true_distance_squared = at_least(x * x + y * y + z * z, all(1e-30f));
  const Lanes radius_squared = node.radius_squared;
  const Lanes inverse_distance = 1.0f / square_root(true_distance_squared);
  // Inside the sphere the distance says little (at least its radius counts), and light comes from everywhere.
  const Lanes sin2_u = radius_squared / true_distance_squared;
  const auto inside = true_distance_squared <= radius_squared;
  const Lanes cos_u = inside ? all(-1) : square_root(at_least(1.0f - sin2_u, all(0)));
  const Lanes sin_u = inside ? all(0) : square_root(sin2_u);

  Lanes cos_w = (node.axis_x * x + node.axis_y * y + node.axis_z * z) * inverse_distance;
  cos_w = (node.two_sided & (cos_w < 0.0f)) ? -cos_w : cos_w;
  const Lanes cos_x = cos_difference(sine_of(cos_w), cos_w, node.sin_theta_o, node.cos_theta_o);
  const Lanes cos_emission = cos_difference(sine_of(cos_x), cos_x, sin_u, cos_u);
  Lanes result = cos_emission > node.cos_theta_e
                     ? node.power * cos_emission / at_least(true_distance_squared, radius_squared)
                     : all(0);
  if (normal.x != 0 || normal.y != 0 || normal.z != 0) {
    const Lanes cos_i = -(normal.x * x + normal.y * y + normal.z * z) * inverse_distance;
    result *= at_least(cos_difference(sine_of(cos_i), cos_i, sin_u, cos_u), all(0));
  }
  return result;
}

std::optional<LightTree::Pick> LightTree::pick(Vec3 point, Vec3 normal, float u) const {
  if (nodes_.empty()) return std::nullopt;
  std::uint32_t i = 0;
  float probability = 1;
  for (;;) {
    const Node& node = nodes_[i];
    const Lanes w = importance(node, point, normal);
    const float total = w[0] + w[1] + w[2] + w[3];
    if (!(total > 0)) return std::nullopt;
    float target = u * total;
    std::size_t lane = 0;
    while (lane < 3 && target >= w[lane]) target -= w[lane++];
    while (!(w[lane] > 0)) --lane;  // rounding may lead past the last lane with weight
    u = std::clamp(target / w[lane], 0.0f, 0x1.fffffep-1f);
    probability *= w[lane] / total;
    i = node.child[lane];
    if ((node.leaf >> lane & 1u) != 0) return Pick{i, probability};
  }
}

float LightTree::probability(Vec3 point, Vec3 normal, std::uint32_t light) const {
  if (nodes_.empty()) return 0;
  std::uint64_t trail = trail_of_light_[light];
  std::uint32_t i = 0;
  float probability = 1;
  for (;;) {
    const Node& node = nodes_[i];
    const Lanes w = importance(node, point, normal);
    const float total = w[0] + w[1] + w[2] + w[3];
    if (!(total > 0)) return 0;
    const std::size_t lane = trail & 3u;
    trail >>= 2;
    probability *= w[lane] / total;
    i = node.child[lane];
    if ((node.leaf >> lane & 1u) != 0) return i == light ? probability : 0;
  }
}

}  // namespace simulacra
