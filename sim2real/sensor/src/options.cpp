// SPDX-License-Identifier: Apache-2.0
#include "sim2real/sensor/options.h"

#include <array>
#include <string_view>

#include "render/base/error.h"

namespace simulacra::sensor {

void fields(config::Fields& f, LensOptions& o) {
  f.field("fov_x_deg", o.fov_x_deg, "horizontal field of view of the render, degrees", {1, 175});
  f.field("center_offset_px", o.center_offset_px, "principal point minus image center, x y", 2, {-4096, 4096});
  f.field("k1", o.k1, "Brown-Conrady radial, r^2, in normalised coordinates", {-5, 5});
  f.field("k2", o.k2, "Brown-Conrady radial, r^4", {-5, 5});
  f.field("k3", o.k3, "Brown-Conrady radial, r^6", {-5, 5});
  f.field("p1", o.p1, "Brown-Conrady tangential", {-1, 1});
  f.field("p2", o.p2, "Brown-Conrady tangential", {-1, 1});
  f.field("zoom", o.zoom, "factor on the focal length of the picture; 0 = the smallest that shows nothing beyond the render", {0, 8});
  f.field("red_px_at_corner", o.red_px_at_corner, "lateral chromatic aberration: red lies so far outside green", {-64, 64});
  f.field("blue_px_at_corner", o.blue_px_at_corner, "lateral chromatic aberration: blue lies so far outside green", {-64, 64});
  f.field("cos4", o.cos4, "share of the natural fall-off cos^4 of the angle to the axis", {0, 1});
  f.field("corner_loss", o.corner_loss, "further share of light that is lost at the corner, r g b; grows with the radius squared", 3, {0, 0.95});
  f.field("shading_corrected", o.shading_corrected, "share of the fall-off (in logarithms) that the camera divides out of its raw values", {0, 1});
}

void fields(config::Fields& f, BlurOptions& o) {
  f.field("psf_sigma_px", o.psf_sigma_px, "standard deviation of a Gaussian: diffraction, low-pass filter, pixel", {0, 16});
  f.field("defocus_radius_px", o.defocus_radius_px, "radius of the blur disk, the same everywhere", {0, 64});
  f.field("focus_distance_m", o.focus_distance_m, "thin lens focused here, where depth is known; 0 = no blur by depth", {0, 1000});
  f.field("focal_length_mm", o.focal_length_mm, "of the thin lens", {0.1, 1000});
  f.field("max_radius_px", o.max_radius_px, "largest blur disk of the thin lens", {0, 64});
  f.field("motion_px", o.motion_px, "way of the image during the exposure, centered at its middle", {0, 128});
  f.field("motion_angle_deg", o.motion_angle_deg, "direction of that way, from +x to +y (down)", {-360, 360});
  f.field("motion_random", o.motion_random, "each frame draws its angle, and its way in 0 to motion_px");
}

void fields(config::Fields& f, ExposureOptions& o) {
  f.field("time_ms", o.time_ms, "exposure time", {0.001, 60000});
  f.field("f_number", o.f_number, "focal length over aperture", {0.5, 64});
  f.field("transmission", o.transmission, "share of light that the lens lets through", {0.01, 1});
  f.field("auto_level", o.auto_level, "share of the full well at auto_percentile, by scaling the light; 0 = radiance counts as W/(sr m^2)", {0, 10});
  f.field("auto_percentile", o.auto_percentile, "which share of photosites lies below auto_level", {0.01, 1});
}

void fields(config::Fields& f, PixelOptions& o) {
  static constexpr std::array<std::string_view, 5> kMosaics = {"rggb", "bggr", "grbg", "gbrg", "none"};
  f.field("pitch_um", o.pitch_um, "distance of photosites", {0.2, 100});
  f.field("quantum_efficiency", o.quantum_efficiency, "electrons per photon, r g b", 3, {0.001, 1});
  f.field("crosstalk", o.crosstalk, "sensor color from linear Rec. 709, row by row", 9, {-4, 4});
  f.field("full_well_e", o.full_well_e, "electrons that a photosite holds", {10, 1e7});
  f.field("prnu", o.prnu, "standard deviation of the photosites' gain, relative; fixed over frames", {0, 0.5});
  f.field("dark_current_e_per_s", o.dark_current_e_per_s, "electrons without light", {0, 1e6});
  f.field("read_noise_e", o.read_noise_e, "standard deviation of the read-out", {0, 1e4});
  f.field("row_noise_e", o.row_noise_e, "standard deviation of an offset that a row shares", {0, 1e4});
  f.field("adc_bits", o.adc_bits, "of the raw numbers (DN)", {1, 16});
  f.field("black_level_dn", o.black_level_dn, "raw number of no light", {0, 65535});
  f.field("gain_dn_per_e", o.gain_dn_per_e, "raw numbers per electron; 0 = the full well is the largest number", {0, 1000});
  f.field("mosaic", o.mosaic, "color filters, row by row from the top left; none = three numbers a pixel", kMosaics);
}

void fields(config::Fields& f, DevelopOptions& o) {
  static constexpr std::array<std::string_view, 2> kDemosaics = {"bilinear", "malvar"};
  static constexpr std::array<std::string_view, 3> kBalances = {"as_shot", "gray_world", "gains"};
  static constexpr std::array<std::string_view, 4> kCurves = {"linear", "srgb", "rec709", "gamma"};
  static constexpr std::array<std::string_view, 3> kSubsamplings = {"4:4:4", "4:2:2", "4:2:0"};
  f.field("demosaic", o.demosaic, "malvar: gradient-corrected (Malvar, He, Cutler 2004)", kDemosaics);
  f.field("white_balance", o.white_balance, "as_shot: equal-energy white is gray; gray_world: the mean is gray; gains: as given", kBalances);
  f.field("white_gains", o.white_gains, "factors r g b; for `gains` alone, otherwise on top of the balance", 3, {0.01, 100});
  f.field("color_matrix", o.color_matrix, "linear Rec. 709 from balanced sensor color, row by row; [] = inverse of the crosstalk", 0, {-16, 16});
  f.field("gain", o.gain, "factor on linear values before the curve", {0.001, 1000});
  f.field("curve", o.curve, "from linear to display values", kCurves);
  f.field("gamma", o.gamma, "of the curve `gamma`: value^(1/gamma)", {0.1, 10});
  f.field("contrast", o.contrast, "share of an S-shaped curve on display values", {0, 1});
  f.field("bits", o.bits, "of display values; 0 = not quantised", {0, 16});
  f.field("jpeg_quality", o.jpeg_quality, "1 to 100 through a JPEG file; 0 = no JPEG", {0, 100});
  f.field("jpeg_subsampling", o.jpeg_subsampling, "of the chroma planes", kSubsamplings);
}

void fields(config::Fields& f, CameraOptions& o) {
  f.group("lens", o.lens, "geometry and fall-off");
  f.group("blur", o.blur, "point spread, defocus, motion");
  f.group("exposure", o.exposure, "how much light arrives");
  f.group("pixel", o.pixel, "from light to raw numbers");
  f.group("develop", o.develop, "from raw numbers to a picture");
}

void fields(config::Fields& f, StructuredLightOptions& o) {
  f.field("baseline_m", o.baseline_m, "projector to the right of the camera", {0.001, 10});
  f.field("disparity_sigma_px", o.disparity_sigma_px, "standard deviation of a disparity", {0, 16});
  f.field("disparity_steps_per_px", o.disparity_steps_per_px, "resolution of disparities; 0 = not quantised", {0, 1024});
  f.field("lateral_sigma_px", o.lateral_sigma_px, "standard deviation of where a pixel looks", {0, 16});
  f.field("shadow", o.shadow, "no depth where the projector does not shine");
}

void fields(config::Fields& f, TimeOfFlightOptions& o) {
  f.field("modulation_mhz", o.modulation_mhz, "of the light; distances repeat after c / 2f", {0.1, 1000});
  f.field("sigma_m", o.sigma_m, "standard deviation at no distance", {0, 10});
  f.field("sigma_per_m2", o.sigma_per_m2, "growth of the standard deviation with the distance squared, 1/m", {0, 10});
  f.field("mixing_radius_px", o.mixing_radius_px, "a pixel mixes the returns of so many neighbors: flying pixels at edges", {0, 8});
  f.field("multipath_share", o.multipath_share, "amplitude of an indirect return, relative to the direct one", {0, 0.95});
  f.field("multipath_extra_m", o.multipath_extra_m, "how much longer the indirect way is, one way", {0, 100});
  f.field("wrap", o.wrap, "distances beyond c / 2f come back as short ones; else they have no depth");
}

void fields(config::Fields& f, DepthOptions& o) {
  static constexpr std::array<std::string_view, 3> kKinds = {"none", "structured_light", "time_of_flight"};
  f.field("kind", o.kind, "of depth sensor", kKinds);
  f.field("fov_x_deg", o.fov_x_deg, "horizontal field of view of the depth image, degrees", {1, 175});
  f.field("min_m", o.min_m, "nearest depth", {0, 1000});
  f.field("max_m", o.max_m, "farthest depth", {0, 10000});
  f.field("edge_jump", o.edge_jump, "relative difference to a neighbor beyond its plane that makes an edge", {0.0001, 10});
  f.field("edge_dropout", o.edge_dropout, "probability that an edge pixel has no depth", {0, 1});
  f.field("step_m", o.step_m, "resolution of stored depths; 0 = not quantised", {0, 10});
  f.group("structured_light", o.structured_light, "a projected pattern and triangulation");
  f.group("time_of_flight", o.time_of_flight, "phase of modulated light");
}

void fields(config::Fields& f, SensorOptions& o) {
  f.field("seed", o.seed, "of everything that is drawn");
  f.group("camera", o.camera, "color");
  f.group("depth", o.depth, "depth");
}

SensorOptions read_sensor(const std::filesystem::path& file) {
  const config::Node root = config::parse_file(file);
  SensorOptions options;
  config::read(root, options);
  const std::size_t entries = options.camera.develop.color_matrix.size();
  if (entries != 0 && entries != 9)
    fail_usage("{}: camera.develop.color_matrix has {} numbers; it takes 9, or [] for the inverse of the crosstalk",
               file.string(), entries);
  if (options.depth.min_m >= options.depth.max_m)
    fail_usage("{}: depth.min_m is {} and depth.max_m {}; the first must be smaller", file.string(), options.depth.min_m,
               options.depth.max_m);
  return options;
}

}  // namespace simulacra::sensor
