// SPDX-License-Identifier: Apache-2.0
#include "render/integrator/path.h"

#include <algorithm>
#include <cmath>

namespace simulacra {
namespace {

/// Pairs of sample dimensions per path vertex, in the order in which they are used.
enum Dimension : std::uint32_t { opacity_pair, light_choice_pair, light_pair, lobe_pair, direction_pair, roulette_pair, pairs_per_vertex };
constexpr std::uint32_t kCameraPairs = 2;   // film, lens
constexpr int kMaxLayers = 256;             // of surfaces that a path passes straight before it is given up

/// Power heuristic (Veach 1997) with one sample of each strategy.
float mis_weight(float mine, float other) {
  const float a = mine * mine, b = other * other;
  if (!std::isfinite(a)) return 1;
  return a + b > 0 ? a / (a + b) : 0;
}

/// The last vertex at which next-event estimation competes with what the path will find by itself.
struct LastVertex {
  bool delta = true;         ///< no competition: the camera, or a mirror
  float pdf = 0;             ///< of the direction taken there, per solid angle
  Vec3 position, normal;     ///< as they were handed to LightSet::sample
};

/// One path while it grows.
class Path {
 public:
  Path(const Scene::State& scene, Sampler& sampler, const PathOptions& options, bool white_first)
      : scene_(scene), sampler_(sampler), options_(options), white_first_(white_first) {}

  PathSample trace(Ray ray) {
    float passed = 0;  // distance behind surfaces that were passed straight, from the last vertex on
    for (int layer = 0; layer < kMaxLayers; ++layer) {
      const auto hit = scene_.accel.closest(ray);
      ++result_.rays;
      if (!hit) {
        add_environment(ray.direction);
        break;
      }
      const Interaction it = scene_.interact(ray, *hit);
      if (passes_cutout(it)) {
        passed += hit->t;
        ray = it.leave(ray.direction);
        continue;
      }
      add_emission(it, *hit, passed + hit->t);
      if (depth_ >= options_.max_depth) break;
      const Step step = scatter(it);
      if (step == Step::end || !survives_roulette()) break;
      passed = step == Step::straight ? passed + hit->t : 0;
      ray = it.leave(direction_);
      ++depth_;
    }
    return result_;
  }

 private:
  enum class Step { end, turned, straight };

  void start_dimensions(Dimension d) {
    sampler_.start(kCameraPairs + static_cast<std::uint32_t>(vertex_) * pairs_per_vertex + d);
  }

  /// Stochastic opacity: the surface is not there for this path.
  bool passes_cutout(const Interaction& it) {
    if (scene_.materials.always_opaque(it.material)) return false;
    const float alpha = scene_.materials.opacity(it.material, it.at);
    if (alpha >= 1) return false;
    start_dimensions(opacity_pair);
    const bool passes = sampler_.next1() >= alpha;
    if (passes) ++vertex_;
    return passes;
  }

  /// Before the split everything is residual; after it each channel of a path belongs to the diffuse lobe
  /// by the share that its first scattering had.
  void add(Rgb radiance) {
    const Rgb diffuse = radiance * diffuse_share_;
    result_.diffuse += diffuse;
    result_.residual += radiance - diffuse;
  }

  void add_environment(Vec3 direction) {
    if (!scene_.lights.has_environment()) return;
    const float weight = last_.delta ? 1 : mis_weight(last_.pdf, scene_.lights.pdf_environment(last_.position, direction));
    add(beta_ * scene_.lights.environment(direction) * weight);
  }

  void add_emission(const Interaction& it, const Hit& hit, float distance) {
    if (!scene_.materials.emits(it.material)) return;
    if (white_first_ && first_) return;
    const Rgb radiance = scene_.materials.emission(it.material, it.at);
    if (is_black(radiance)) return;
    float weight = 1;
    if (!last_.delta) {
      Hit from_vertex = hit;
      from_vertex.t = distance;
      weight = mis_weight(last_.pdf, scene_.lights.pdf_surface(last_.position, last_.normal, from_vertex, -it.wo));
    }
    add(beta_ * radiance * weight);
  }

  Step scatter(const Interaction& it) {
    const MaterialSet& materials = scene_.materials;
    const int material = white_first_ && first_ ? scene_.white_material : it.material;
    const Vec3 normal = materials.has_bump(material) ? materials.bumped_normal(material, it.at) : it.at.shading_normal;
    const Vec3 bent = bend_to_viewer(normal, it.at.geometric_normal, it.wo);
    const ShadingFrame frame = shading_frame(bent, it.at);
    const Bsdf bsdf = materials.bsdf(material, it.at);
    const Vec3 wo = frame.to_local(it.wo);
    if (first_) result_.reflectance = diffuse_albedo(bsdf, wo);

    // The side that can receive light; both where it passes through.
    const Vec3 receiver = transmits(bsdf) ? Vec3{} : bent * (wo.z < 0 ? -1.0f : 1.0f);
    if (has_smooth_lobe(bsdf)) add_direct_light(it, bsdf, frame, wo, receiver);

    start_dimensions(lobe_pair);
    const float u_lobe = sampler_.next1();
    const auto s = sample(bsdf, wo, u_lobe, sampler_.next2());
    if (!s || is_black(s->weight)) return Step::end;
    if (first_) {
      for (std::size_t c = 0; c < 3; ++c) {
        const float w = s->weight[c];
        diffuse_share_[c] = w > 0 ? std::clamp(s->diffuse_weight[c] / w, 0.0f, 1.0f) : 0.0f;
      }
      first_ = false;
    }
    beta_ *= s->weight;
    eta_scale_ *= s->eta * s->eta;
    direction_ = normalize(frame.to_world(s->wi));
    if (s->straight) direction_ = -it.wo;
    ++vertex_;
    if (s->straight) return Step::straight;
    last_ = {s->delta, s->pdf, it.at.position, receiver};
    return Step::turned;
  }

  void add_direct_light(const Interaction& it, const Bsdf& bsdf, const ShadingFrame& frame, Vec3 wo, Vec3 receiver) {
    start_dimensions(light_choice_pair);
    const float u_choice = sampler_.next1();
    const auto light = scene_.lights.sample(it.at.position, receiver, u_choice, sampler_.next2());
    if (!light || !(light->pdf > 0) || is_black(light->radiance)) return;
    const BsdfEval f = eval(bsdf, wo, frame.to_local(light->wi));
    if (is_black(f.total)) return;
    // The ray ends short of the light by the rounding of both ends.
    const Ray shadow = it.leave(light->wi, light->distance * (1 - 1e-4f) - it.rounding);
    if (shadow.t_max <= 0) return;
    ++result_.rays;
    const Rgb transmittance = scene_.accel.transmittance(shadow);
    if (is_black(transmittance)) return;
    const float weight = light->delta ? 1 : mis_weight(light->pdf, f.pdf);
    const Rgb arriving = beta_ * light->radiance * transmittance * (weight / light->pdf);
    if (first_) {
      result_.diffuse += arriving * f.diffuse;
      result_.residual += arriving * (f.total - f.diffuse);
    } else {
      add(arriving * f.total);
    }
  }

  bool survives_roulette() {
    if (depth_ < options_.roulette_depth) return true;
    const float q = std::min(0.95f, max_component(beta_) * eta_scale_);
    start_roulette();
    if (sampler_.next1() >= q) return false;
    beta_ *= 1 / q;
    return true;
  }
  /// Of the vertex that was just left.
  void start_roulette() { sampler_.start(kCameraPairs + static_cast<std::uint32_t>(vertex_ - 1) * pairs_per_vertex + roulette_pair); }

  const Scene::State& scene_;
  Sampler& sampler_;
  const PathOptions& options_;
  const bool white_first_;
  PathSample result_;
  Rgb beta_{1.0f};
  Rgb diffuse_share_{0.0f};
  bool first_ = true;        ///< no surface has scattered yet
  float eta_scale_ = 1;
  int depth_ = 1;            ///< Mitsuba's count at the surface in hand
  int vertex_ = 0;           ///< surfaces met, cut-outs too
  LastVertex last_;
  Vec3 direction_;
};

}  // namespace

PathSample trace_path(const Scene::State& scene, const Ray& camera_ray, Sampler& sampler, const PathOptions& options,
                      bool white_first) {
  return Path(scene, sampler, options, white_first).trace(camera_ray);
}

}  // namespace simulacra
