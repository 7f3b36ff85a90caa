// SPDX-License-Identifier: Apache-2.0
// Parameters of an Element, and spectra.
#include <algorithm>
#include <array>
#include <cmath>

#include "render/base/error.h"
#include "render/import/src/mitsuba.h"
#include "render/import/src/mitsuba_text.h"

namespace simulacra::mitsuba {
namespace {

std::string_view kind_of(const Value& value) {
  constexpr std::array<std::string_view, 8> kKinds = {"number", "boolean", "string",   "color",
                                                      "spectrum", "spectrum", "vector", "transform"};
  return kKinds[value.index()];
}

[[noreturn]] void wrong_kind(const Element& element, const Property& p, std::string_view expected) {
  fail_usage("{}:{}: {} '{}': {} is a {}, expected a {}", element.file, p.line, element.tag, element.type, p.written,
             kind_of(p.value), expected);
}

double gauss(double x, double mean, double left, double right) {
  const double t = (x - mean) / (x < mean ? left : right);
  return std::exp(-0.5 * t * t);
}

/// CIE 1931 color matching functions [Wyman, Sloan and Shirley 2013, multi-lobe fit].
Vec3d xyz_at(double nm) {
  return {1.056 * gauss(nm, 599.8, 37.9, 31.0) + 0.362 * gauss(nm, 442.0, 16.0, 26.7) - 0.065 * gauss(nm, 501.1, 20.4, 26.2),
          0.821 * gauss(nm, 568.8, 46.9, 40.5) + 0.286 * gauss(nm, 530.9, 16.3, 31.1),
          1.217 * gauss(nm, 437.0, 11.8, 36.0) + 0.681 * gauss(nm, 459.0, 26.0, 13.8)};
}

/// CIE D65 from 380 to 780 nm in steps of 10.
double d65_at(double nm) {
  constexpr std::array<double, 41> kD65 = {
      49.98, 54.65, 82.75, 91.49, 93.43, 86.68, 104.87, 117.01, 117.81, 114.86, 115.92, 108.81, 109.35, 107.80,
      104.79, 107.69, 104.41, 104.05, 100.0, 96.33, 95.79, 88.69, 90.01, 89.60, 87.70, 83.29, 83.70, 80.03,
      80.21, 82.28, 78.28, 69.72, 71.61, 74.35, 61.60, 69.89, 75.09, 63.59, 46.42, 66.81, 63.38};
  const double at = std::clamp((nm - 380) / 10, 0.0, 40.0);
  const auto i = std::min<std::size_t>(static_cast<std::size_t>(at), 39);
  const double t = at - static_cast<double>(i);
  return kD65[i] * (1 - t) + kD65[i + 1] * t;
}

/// Linear between samples, constant beyond them.
double value_at(const SampledSpectrum& s, double nm) {
  if (nm <= s.samples.front().first) return s.samples.front().second;
  if (nm >= s.samples.back().first) return s.samples.back().second;
  const auto above = std::upper_bound(s.samples.begin(), s.samples.end(), nm,
                                      [](double x, const auto& sample) { return x < sample.first; });
  const auto below = above - 1;
  const double t = (nm - below->first) / (above->first - below->first);
  return below->second * (1 - t) + above->second * t;
}

Vec3d rec709_from_xyz(Vec3d c) {
  const Mat3d m{{{{3.2404542, -1.5371385, -0.4985314}, {-0.9692660, 1.8760108, 0.0415560},
                  {0.0556434, -0.2040259, 1.0572252}}}};
  return m * c;
}

}  // namespace

Rgb rgb_from_samples(const SampledSpectrum& spectrum, Quantity quantity) {
  Vec3d sum, white;
  double y = 0;
  for (double nm = 380; nm <= 780; nm += 2.5) {
    const double light = quantity == Quantity::reflectance ? d65_at(nm) : 1.0;
    const Vec3d weight = xyz_at(nm) * light;
    sum += weight * value_at(spectrum, nm);
    white += weight;
    y += weight.y;
  }
  const Vec3d rgb = rec709_from_xyz(sum / y), whole = rec709_from_xyz(white / y);
  Rgb out;
  for (std::size_t i = 0; i < 3; ++i) {
    // A uniform reflectance is gray exactly: the fits leave half a percent of color in it.
    const double v = quantity == Quantity::reflectance ? rgb[i] / whole[i] : rgb[i];
    out[i] = static_cast<float>(std::max(0.0, v));
  }
  return out;
}

const Property* find(Element& element, std::string_view name) {
  const auto found = element.properties.find(std::string(name));
  if (found == element.properties.end()) return nullptr;
  found->second.used = true;
  return &found->second;
}

bool has(const Element& element, std::string_view name) { return element.properties.contains(std::string(name)); }

double number(Element& element, std::string_view name, double otherwise) {
  const Property* p = find(element, name);
  if (p == nullptr) return otherwise;
  if (const double* v = std::get_if<double>(&p->value)) return *v;
  if (const auto* v = std::get_if<UniformSpectrum>(&p->value)) return v->value;
  wrong_kind(element, *p, "number");
}

bool boolean(Element& element, std::string_view name, bool otherwise) {
  const Property* p = find(element, name);
  if (p == nullptr) return otherwise;
  if (const bool* v = std::get_if<bool>(&p->value)) return *v;
  wrong_kind(element, *p, "boolean");
}

std::string text(Element& element, std::string_view name, const std::string& otherwise) {
  const Property* p = find(element, name);
  if (p == nullptr) return otherwise;
  if (const auto* v = std::get_if<std::string>(&p->value)) return *v;
  wrong_kind(element, *p, "string");
}

Vec3d vector(Element& element, std::string_view name, Vec3d otherwise) {
  const Property* p = find(element, name);
  if (p == nullptr) return otherwise;
  if (const auto* v = std::get_if<Vec3d>(&p->value)) return *v;
  wrong_kind(element, *p, "point or vector");
}

Affine3d transform(Element& element, std::string_view name) {
  const Property* p = find(element, name);
  if (p == nullptr) return {};
  if (const auto* v = std::get_if<Affine3d>(&p->value)) return *v;
  wrong_kind(element, *p, "transform");
}

void ignore(Element& element, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) find(element, name);
}

Rgb as_rgb(const Element& element, const Property& p, Quantity quantity, Diagnostics& diagnostics) {
  if (const double* v = std::get_if<double>(&p.value)) return Rgb{static_cast<float>(*v)};
  if (const Rgb* v = std::get_if<Rgb>(&p.value)) return *v;
  if (const auto* v = std::get_if<UniformSpectrum>(&p.value)) {
    // 0.x: the same number in each band. 3.x: a spectrum of equal energy, which is not white under D65.
    if (quantity == Quantity::reflectance || element.legacy) return Rgb{static_cast<float>(v->value)};
    return rgb_from_samples({{{380, v->value}, {780, v->value}}}, quantity);
  }
  if (const auto* v = std::get_if<SampledSpectrum>(&p.value)) {
    diagnostics.warn(fmt::format("{}:{}", element.file, p.line), p.written, "a spectrum; averaged to three bands");
    return rgb_from_samples(*v, quantity);
  }
  wrong_kind(element, p, "color");
}

Rgb color(Element& element, std::string_view name, Rgb otherwise, Quantity quantity, Diagnostics& diagnostics) {
  const Property* p = find(element, name);
  return p == nullptr ? otherwise : as_rgb(element, *p, quantity, diagnostics);
}

Element* child(Element& element, std::string_view tag, std::string_view name) {
  for (Child& c : element.children) {
    if (c.element->tag != tag || (!name.empty() && c.name != name)) continue;
    c.used = true;
    c.element->visited = true;
    return c.element;
  }
  return nullptr;
}

std::vector<Element*> children(Element& element, std::string_view tag) {
  std::vector<Element*> found;
  for (Child& c : element.children) {
    if (c.element->tag != tag) continue;
    c.used = true;
    c.element->visited = true;
    found.push_back(c.element);
  }
  return found;
}

}  // namespace simulacra::mitsuba
