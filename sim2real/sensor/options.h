// SPDX-License-Identifier: Apache-2.0
// What a camera and a depth sensor are made of, as it stands in configs/sim2real/*.yaml. Every dimensional name has its
// unit; the defaults are an ideal camera: no blur, no distortion, but photons, a mosaic and eight bits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "render/config/config.h"

namespace simulacra::sensor {

/// Where the lens moves light, and how much of it arrives. Radii are relative to the image's corner unless they say px.
struct LensOptions {
  double fov_x_deg = 60;                           ///< of the render that comes in, over its full width
  std::vector<double> center_offset_px = {0, 0};   ///< principal point minus image center, x y
  double k1 = 0, k2 = 0, k3 = 0, p1 = 0, p2 = 0;   ///< Brown-Conrady, in normalised coordinates x/z, y/z
  double zoom = 1;                                 ///< of the picture; 0 = the smallest that shows nothing beyond the render
  double red_px_at_corner = 0, blue_px_at_corner = 0;
  double cos4 = 0;
  std::vector<double> corner_loss = {0, 0, 0};
  double shading_corrected = 0;
};

struct BlurOptions {
  double psf_sigma_px = 0;
  double defocus_radius_px = 0;
  double focus_distance_m = 0;
  double focal_length_mm = 4;
  double max_radius_px = 16;
  double motion_px = 0;
  double motion_angle_deg = 0;
  bool motion_random = false;
};

struct ExposureOptions {
  double time_ms = 20;
  double f_number = 2;
  double transmission = 0.9;
  double auto_level = 0.7;
  double auto_percentile = 0.95;
};

struct PixelOptions {
  double pitch_um = 2;
  std::vector<double> quantum_efficiency = {0.42, 0.55, 0.45};
  std::vector<double> crosstalk = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double full_well_e = 10000;
  double prnu = 0;
  double dark_current_e_per_s = 0;
  double read_noise_e = 0;
  double row_noise_e = 0;
  int adc_bits = 12;
  double black_level_dn = 64;
  double gain_dn_per_e = 0;
  std::string mosaic = "rggb";
};

struct DevelopOptions {
  std::string demosaic = "malvar";
  std::string white_balance = "as_shot";
  std::vector<double> white_gains = {1, 1, 1};
  std::vector<double> color_matrix;
  double gain = 1;
  std::string curve = "srgb";
  double gamma = 2.2;
  double contrast = 0;
  int bits = 8;
  int jpeg_quality = 0;
  std::string jpeg_subsampling = "4:2:0";
};

struct CameraOptions {
  LensOptions lens;
  BlurOptions blur;
  ExposureOptions exposure;
  PixelOptions pixel;
  DevelopOptions develop;
};

struct StructuredLightOptions {
  double baseline_m = 0.075;
  double disparity_sigma_px = 0.05;
  double disparity_steps_per_px = 8;
  double lateral_sigma_px = 0.5;
  bool shadow = true;
};

struct TimeOfFlightOptions {
  double modulation_mhz = 20;
  double sigma_m = 0.002;
  double sigma_per_m2 = 0.001;
  int mixing_radius_px = 1;
  double multipath_share = 0;
  double multipath_extra_m = 1;
  bool wrap = true;
};

struct DepthOptions {
  std::string kind = "none";
  double fov_x_deg = 60;
  double min_m = 0.3, max_m = 8;
  double edge_jump = 0.03;
  double edge_dropout = 0.5;
  double step_m = 0.001;
  StructuredLightOptions structured_light;
  TimeOfFlightOptions time_of_flight;
};

struct SensorOptions {
  std::uint64_t seed = 1;
  CameraOptions camera;
  DepthOptions depth;
};

void fields(config::Fields& f, LensOptions& o);
void fields(config::Fields& f, BlurOptions& o);
void fields(config::Fields& f, ExposureOptions& o);
void fields(config::Fields& f, PixelOptions& o);
void fields(config::Fields& f, DevelopOptions& o);
void fields(config::Fields& f, CameraOptions& o);
void fields(config::Fields& f, StructuredLightOptions& o);
void fields(config::Fields& f, TimeOfFlightOptions& o);
void fields(config::Fields& f, DepthOptions& o);
void fields(config::Fields& f, SensorOptions& o);

/// Throws UsageError "file:line: …" for an unknown key, a wrong type or a value out of range.
SensorOptions read_sensor(const std::filesystem::path& file);

}  // namespace simulacra::sensor
