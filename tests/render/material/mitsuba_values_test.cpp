// SPDX-License-Identifier: Apache-2.0
// The textbook models against values that Mitsuba 3 computed (make_mitsuba_values.py).
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/render/material/examples.h"

namespace simulacra {
namespace {

std::vector<std::istringstream> rows(const std::string& kind) {
  std::ifstream file(std::string(SIMULACRA_SOURCE_DIR) + "/tests/render/material/mitsuba_values.txt");
  std::vector<std::istringstream> result;
  std::string line;
  while (std::getline(file, line))
    if (line.rfind(kind + " ", 0) == 0) result.emplace_back(line.substr(kind.size()));
  return result;
}

Vec3 read_vec(std::istream& in) {
  Vec3 v;
  in >> v.x >> v.y >> v.z;
  return v;
}
Rgb read_rgb(std::istream& in) {
  const Vec3 v = read_vec(in);
  return {v.x, v.y, v.z};
}

// Relative, with a floor where the value itself is next to nothing.
float error_of(float ours, float theirs) { return std::abs(ours - theirs) / (std::abs(theirs) + 1e-5f); }
float error_of(Rgb ours, Rgb theirs) {
  return std::max({error_of(ours.r, theirs.r), error_of(ours.g, theirs.g), error_of(ours.b, theirs.b)});
}

// Single precision in both programs. Narrow lobes amplify the rounding of the half vector by 1/alpha², and
// rough plastics integrate their interface numerically; both stay below this.
constexpr float kTolerance = 1e-3f;

TEST(MitsubaValues, RoughLobesAgree) {
  std::map<std::string, int> compared;
  for (std::istringstream& row : rows("eval")) {
    std::string name;
    row >> name;
    const Vec3 wo = read_vec(row), wi = read_vec(row);
    const Rgb value = read_rgb(row);
    float pdf = 0;
    row >> pdf;
    ASSERT_TRUE(row) << name;

    const BsdfEval e = eval(test::example_materials().bsdf(name), wo, wi);

    EXPECT_LT(error_of(e.total, value), kTolerance)
        << row.str() << "\nours " << e.total.r << ' ' << e.total.g << ' ' << e.total.b;
    // Our Beckmann density is normalised; theirs carries the error of the fitted masking term.
    const bool beckmann = name.find("beckmann") != std::string::npos;
    EXPECT_LT(error_of(e.pdf, pdf), beckmann ? 4e-3f : kTolerance) << row.str() << "\nours " << e.pdf;
    ++compared[name];
  }
  EXPECT_EQ(compared.size(), 12u);
  for (const auto& [name, count] : compared) EXPECT_GE(count, 48) << name;
}

TEST(MitsubaValues, DeltaLobesAgree) {
  std::map<std::string, int> compared;
  for (std::istringstream& row : rows("delta")) {
    std::string name;
    row >> name;
    const Vec3 wo = read_vec(row);
    float u_lobe = 0, pdf = 0, eta = 0;
    row >> u_lobe;
    const Vec3 wi = read_vec(row);
    const Rgb weight = read_rgb(row);
    row >> pdf >> eta;
    ASSERT_TRUE(row) << name;

    const auto s = sample(test::example_materials().bsdf(name), wo, u_lobe, {0.3f, 0.6f});

    ASSERT_TRUE(s && s->delta) << row.str();
    EXPECT_LT(length(s->wi - wi), 1e-5f) << row.str();
    EXPECT_LT(error_of(s->weight, weight), kTolerance) << row.str();
    EXPECT_LT(error_of(s->pdf, pdf), kTolerance) << row.str();
    EXPECT_LT(error_of(s->eta, eta), kTolerance) << row.str();
    ++compared[name];
  }
  EXPECT_EQ(compared.size(), 6u);
}

}  // namespace
}  // namespace simulacra
