// SPDX-License-Identifier: Apache-2.0
// The experiment `online_selection` of thresholds.json: a linear model learns from a pool of ten clusters what one of them needs.
// Data, batches and uniform numbers are those of the reference; every method is made of the library's functions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "sim2real/bilevel/soba.h"
#include "sim2real/reweight/selection.h"
#include "tests/support/golden.h"
#include "tests/support/shared_data.h"
#include "tests/support/thresholds.h"

namespace simulacra::reweight {
namespace {

using test::golden::generate;
using Vector = std::vector<double>;

constexpr std::size_t kClusters = 10, kD = 20, kPool = 40'000, kSpecialist = 30, kSteps = 3000, kBatch = 32, kBig = 512, kCells = 32;

/// Points of a linear regression.
struct Points {
  dense::Matrix x;
  Vector y;
  Vector gradient(std::span<const double> theta) const {
    Vector r = dense::times(x, theta);
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = (r[i] - y[i]) / static_cast<double>(r.size());
    return dense::transposed_times(x, r);
  }
  double mean_square(std::span<const double> theta) const {
    Vector r = dense::times(x, theta);
    double sum = 0;
    for (std::size_t i = 0; i < r.size(); ++i) sum += (r[i] - y[i]) * (r[i] - y[i]);
    return sum / static_cast<double>(r.size());
  }
  Points rows(std::span<const std::size_t> at) const {
    Points p{{at.size(), x.columns}, Vector(at.size())};
    for (std::size_t i = 0; i < at.size(); ++i) {
      std::ranges::copy(x.row(at[i]), p.x.values.begin() + static_cast<std::ptrdiff_t>(i * x.columns));
      p.y[i] = y[at[i]];
    }
    return p;
  }
  Points first(std::size_t count) const {
    std::vector<std::size_t> at(count);
    for (std::size_t i = 0; i < count; ++i) at[i] = i;
    return rows(at);
  }
  /// Least squares; the ridge is far below rounding of the smallest eigenvalue here.
  Vector solution() const {
    return dense::solve_spd(dense::weighted_gram(x, Vector(x.rows, 1), 0), dense::transposed_times(x, y));
  }
};

dense::Matrix item_gradients(const Points& p, std::span<const double> theta) {
  dense::Matrix u = p.x;
  for (std::size_t i = 0; i < u.rows; ++i) {
    const double r = dense::dot(p.x.row(i), theta) - p.y[i];
    for (std::size_t j = 0; j < u.columns; ++j) u(i, j) *= r;
  }
  return u;
}

struct World {
  Points pool, specialist, judged;
  std::vector<std::size_t> cluster;   ///< of each pool item
  std::uint64_t seed;

  World(std::uint64_t s, double shift) : seed(s) {
    const Vector centers = generate("normal12", s, kClusters * kD), base = generate("normal12", s + 1, kD);
    Vector maps = generate("normal12", s + 2, kClusters * kD);
    for (std::size_t k = 0; k < maps.size(); ++k) maps[k] += base[k % kD];
    for (const double l : generate("int", s + 3, kPool, 1, kClusters)) cluster.push_back(static_cast<std::size_t>(l));
    pool = draw(kPool, s + 4, s + 5, centers, maps, cluster);
    Vector map(maps.begin(), maps.begin() + kD);
    const Vector turn = generate("normal12", s + 6, kD);
    for (std::size_t j = 0; j < kD; ++j) map[j] += shift * turn[j];
    specialist = draw(kSpecialist, s + 7, s + 8, centers, map, std::vector<std::size_t>(kSpecialist, 0));
    judged = draw(5000, s + 9, s + 10, centers, map, std::vector<std::size_t>(5000, 0));
  }
  static Points draw(std::size_t n, std::uint64_t at, std::uint64_t noise_seed, const Vector& centers, const Vector& maps, const std::vector<std::size_t>& of) {
    Points p{{n, kD, generate("normal12", at, n * kD)}, generate("normal12", noise_seed, n, 0.5)};
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < kD; ++j) {
        p.x(i, j) += centers[of[i] * kD + j];
        p.y[i] += p.x(i, j) * maps[of[i] * kD + j];
      }
    return p;
  }
};

std::size_t nearest(const dense::Matrix& centers, std::span<const double> x) {
  std::size_t best = 0;
  double least = 1e300;
  for (std::size_t k = 0; k < centers.rows; ++k) {
    double square = 0;
    for (std::size_t j = 0; j < x.size(); ++j) square += (x[j] - centers(k, j)) * (x[j] - centers(k, j));
    if (square < least) least = square, best = k;
  }
  return best;
}

/// Cumulated weights of clustered importance sampling: k-means cells, specialist share over pool share.
Vector cluster_distribution(const World& world) {
  dense::Matrix centers(kCells, kD);
  const Vector starts = generate("int", world.seed + 11, kCells, 1, 4000);
  for (std::size_t k = 0; k < kCells; ++k)
    std::ranges::copy(world.pool.x.row(static_cast<std::size_t>(starts[k])), centers.values.begin() + static_cast<std::ptrdiff_t>(k * kD));
  for (int round = 0; round < 25; ++round) {
    dense::Matrix sums(kCells, kD);
    Vector counts(kCells);
    for (std::size_t i = 0; i < 4000; ++i) {
      const std::size_t k = nearest(centers, world.pool.x.row(i));
      counts[k] += 1;
      for (std::size_t j = 0; j < kD; ++j) sums(k, j) += world.pool.x(i, j);
    }
    for (std::size_t k = 0; k < kCells; ++k)
      for (std::size_t j = 0; j < kD && counts[k] > 0; ++j) centers(k, j) = sums(k, j) / counts[k];
  }
  Vector wanted(kCells), there(kCells), cumulated;
  std::vector<std::size_t> cell;
  for (std::size_t i = 0; i < kSpecialist; ++i) wanted[nearest(centers, world.specialist.x.row(i))] += 1.0 / kSpecialist;
  for (std::size_t i = 0; i < kPool; ++i) there[cell.emplace_back(nearest(centers, world.pool.x.row(i)))] += 1.0 / kPool;
  double sum = 0;
  for (const std::size_t c : cell) cumulated.push_back(sum += wanted[c] / there[c]);
  for (double& v : cumulated) v /= sum;
  return cumulated;
}

struct Adam {
  Vector m = Vector(kD), v = Vector(kD);
  void step(Vector& a, const Vector& g, std::size_t t) {
    for (std::size_t j = 0; j < a.size(); ++j) {
      m[j] = 0.9 * m[j] + 0.1 * g[j], v[j] = 0.999 * v[j] + 0.001 * g[j] * g[j];
      a[j] -= 0.01 * (m[j] / (1 - std::pow(0.9, t))) / (std::sqrt(v[j] / (1 - std::pow(0.999, t))) + 1e-8);
    }
  }
};

/// What the methods share: batches, losses of contrastive selection, the distribution of clustered sampling.
struct Draws {
  std::vector<std::size_t> big, specialist;
  Vector uniforms, contrastive, cumulated;
  explicit Draws(const World& world) : cumulated(cluster_distribution(world)) {
    for (const double i : generate("int", world.seed + 20, kSteps * kBig, 1, kPool)) big.push_back(static_cast<std::size_t>(i));
    for (const double i : generate("int", world.seed + 21, kSteps * kBatch, 1, kSpecialist)) specialist.push_back(static_cast<std::size_t>(i));
    uniforms = generate("uni24", world.seed + 22, kSteps * kBig);
    const Vector before = world.pool.first(5000).solution();
    Vector after = before;
    for (int step = 0; step < 200; ++step) {
      const Vector g = world.specialist.gradient(after);
      for (std::size_t j = 0; j < kD; ++j) after[j] -= 0.01 * g[j];
    }
    const auto losses = [&](const Vector& theta) {
      Vector r = dense::times(world.pool.x, theta);
      for (std::size_t i = 0; i < r.size(); ++i) r[i] = 0.5 * (r[i] - world.pool.y[i]) * (r[i] - world.pool.y[i]);
      return r;
    };
    contrastive = contrastive_scores(losses(before), losses(after));
  }
};

struct Outcome {
  double before = 0, after = 0, right_share = 0;
};

/// One method from theta = 0, then fine-tuned on the specialist points as long as that helps.
class Run {
 public:
  Run(const World& world, const Draws& draws, std::string method) : world_(world), draws_(draws), method_(std::move(method)) {}

  Outcome go() {
    double right = 0;
    for (std::size_t k = 0; k < kSteps; ++k) {
      const auto chosen = step(k);
      if (k < kSteps - 500) continue;
      for (const std::size_t i : chosen) right += (world_.cluster[i] == 0 ? 1.0 : 0.0) / (500.0 * kBatch);
    }
    Outcome o{world_.judged.mean_square(theta_), 0, right};
    o.after = o.before;
    for (int tune = 0; tune < 300; ++tune) {
      descend(world_.specialist.gradient(theta_), 0.003);
      o.after = std::min(o.after, world_.judged.mean_square(theta_));
    }
    return o;
  }

 private:
  void descend(const Vector& g, double length) {
    for (std::size_t j = 0; j < kD; ++j) theta_[j] -= length * g[j];
  }
  std::vector<std::size_t> of_big(std::span<const std::size_t> big, std::vector<std::size_t> at) const {
    for (std::size_t& i : at) i = big[i];
    return at;
  }

  /// The chosen pool items; the scores' network moves where there is one.
  std::vector<std::size_t> choose(std::size_t k, const Points& specialist, const Vector& g) {
    const std::span big = std::span(draws_.big).subspan(k * kBig, kBig);
    const std::span u = std::span(draws_.uniforms).subspan(k * kBig, kBig);
    const std::vector<std::size_t> first(big.begin(), big.begin() + kBatch);
    if (method_ == "contrastive") {
      Vector scores;
      for (const std::size_t i : big) scores.push_back(-draws_.contrastive[i]);
      return of_big(big, largest(scores, kBatch));
    }
    if (method_ == "cluster_is") {
      std::vector<std::size_t> chosen;
      for (std::size_t i = 0; i < kBatch; ++i)
        chosen.push_back(std::min<std::size_t>(static_cast<std::size_t>(std::ranges::lower_bound(draws_.cumulated, u[i]) - draws_.cumulated.begin()), kPool - 1));
      return chosen;
    }
    if (method_ == "generic" || method_ == "specialist" || method_ == "mixing") return first;

    const Points all = world_.pool.rows(big);
    const Vector scores = dense::times(all.x, a_);
    if (method_ == "classifier") {
      const auto chosen = of_big(big, largest(scores, kBatch));
      Vector gradient = domain_loss(specialist.x, all.x, a_).gradient;
      for (double& v : gradient) v *= 2;   // the reference sums the sides' means
      adam_.step(a_, gradient, k + 1);
      return chosen;
    }
    const auto chosen = of_big(big, draw_without_replacement(scores, u, kBatch));
    // Anograd learns from a uniform part of the batch, the others from what was drawn.
    const Points part = world_.pool.rows(method_ == "anograd" ? first : chosen);
    const dense::Matrix gradients = item_gradients(part, theta_);
    const Vector w = dense::softmax(dense::times(part.x, a_));
    Vector of_scores;
    if (method_ == "anograd") {
      of_scores = normalised_alignment(gradients, w, g).gradient_scores;
      for (double& v : of_scores) v = -v;
    } else if (method_ == "soba") {
      Vector hv = dense::transposed_times(part.x, dense::times(part.x, v_));
      for (double& v : hv) v /= kBatch;
      const Vector way = bilevel::auxiliary_direction(hv, v_, g);
      for (std::size_t j = 0; j < kD; ++j) v_[j] -= 0.02 * way[j];
      of_scores = soba_scores_gradient(gradients, w, v_);
    } else {   // dds in its limit of eta -> 0: the value does not matter to Adam, only the direction
      of_scores = look_ahead_scores_gradient(gradients, w, theta_, 1, [&](auto) { return g; });
    }
    adam_.step(a_, dense::transposed_times(part.x, of_scores), k + 1);
    return chosen;
  }

  std::vector<std::size_t> step(std::size_t k) {
    const Points specialist = world_.specialist.rows(std::span(draws_.specialist).subspan(k * kBatch, kBatch));
    const Vector g = specialist.gradient(theta_);
    auto chosen = choose(k, specialist, g);
    Vector way = method_ == "specialist" ? g : world_.pool.rows(chosen).gradient(theta_);
    if (method_ == "mixing")
      for (std::size_t j = 0; j < kD; ++j) way[j] = 0.5 * way[j] + 0.5 * g[j];
    descend(way, 0.01);
    return chosen;
  }

  const World& world_;
  const Draws& draws_;
  std::string method_;
  Vector theta_ = Vector(kD), a_ = Vector(kD), v_ = Vector(kD);
  Adam adam_;
};

AlignmentTest aligned_after_long_tuning(const World& world) {
  const Points half = world.specialist.first(kSpecialist / 2);
  Vector theta = world.pool.solution();
  for (int step = 0; step < 1500; ++step) {
    const Vector g = half.gradient(theta);
    for (std::size_t j = 0; j < kD; ++j) theta[j] -= 0.003 * g[j];
  }
  std::vector<std::size_t> right;
  for (std::size_t i = 0; i < kPool; ++i)
    if (world.cluster[i] == 0) right.push_back(i);
  return alignment_test(item_gradients(world.pool, theta), right, half.gradient(theta), world.judged.gradient(theta));
}

double median(Vector v) {
  std::ranges::sort(v);
  return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

struct Shift {
  std::map<std::string, std::vector<Outcome>> methods;
  std::vector<AlignmentTest> alignment;
  Vector of(const std::string& method, double Outcome::* field) const {
    Vector v;
    for (const Outcome& o : methods.at(method)) v.push_back(o.*field);
    return v;
  }
  Vector b() const {
    Vector v;
    for (const auto& a : alignment) v.push_back(a.selected);
    return v;
  }
  double median_gain() const {
    Vector v;
    for (const auto& a : alignment) v.push_back(a.selected - a.training);
    return median(v);
  }
};

Shift measure(double shift) {
  Shift s;
  for (const std::uint64_t seed : {5400, 5450, 5500, 5550}) {
    const World world(seed, shift);
    const Draws draws(world);
    for (const char* method : {"generic", "specialist", "mixing", "classifier", "contrastive", "cluster_is", "dds", "soba", "anograd"})
      s.methods[method].push_back(Run(world, draws, method).go());
    s.alignment.push_back(aligned_after_long_tuning(world));
  }
  for (const auto& [name, outcomes] : s.methods) {
    std::printf("shift %.1f %-11s before/after/right share:", shift, name.c_str());
    for (const Outcome& o : outcomes) std::printf("  %.3f/%.3f/%.3f", o.before, o.after, o.right_share);
    std::printf("\n");
  }
  for (const auto& a : s.alignment) std::printf("shift %.1f alignment a %.3f b %.3f c %.3f\n", shift, a.training, a.selected, a.uniform);
  return s;
}

TEST(Experiments, OnlineSelection) {
  if (!test::shared_folder()) GTEST_SKIP() << "skipped: no shared data";
  const Shift none = measure(0), half = measure(0.5);
  const auto ratio = [](const Vector& a, const Vector& b) { return median(a) / median(b); };
  double best_selection = 1e300;
  for (const char* m : {"classifier", "contrastive", "cluster_is", "dds", "soba", "anograd"})
    best_selection = std::min(best_selection, median(half.of(m, &Outcome::before)));
  const std::map<std::string, double> measured = {
      {"median right share, cluster_is", median(none.of("cluster_is", &Outcome::right_share))},
      {"median right share, anograd", median(none.of("anograd", &Outcome::right_share))},
      {"shift 0: median after fine-tuning, anograd / specialist", ratio(none.of("anograd", &Outcome::after), none.of("specialist", &Outcome::after))},
      {"shift 0: median after fine-tuning, cluster_is / specialist", ratio(none.of("cluster_is", &Outcome::after), none.of("specialist", &Outcome::after))},
      {"shift 0.5: median before, best selection method / specialist", best_selection / median(half.of("specialist", &Outcome::before))},
      {"alignment: b at shift 0, every seed", std::ranges::min(none.b())},
      {"alignment: b at shift 0.5, every seed", std::ranges::max(half.b())},
      {"alignment: median of b - a at shift 0 minus the same at shift 0.5", none.median_gain() - half.median_gain()}};
  const auto checks = test::threshold_checks("online_selection");
  EXPECT_EQ(checks.size(), measured.size());
  for (const auto& check : checks) EXPECT_TRUE(test::holds(check, measured));
}

}  // namespace
}  // namespace simulacra::reweight
