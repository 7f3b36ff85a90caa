// SPDX-License-Identifier: Apache-2.0
// A scene as plain data: what every importer and the room generator produce, and what Scene is built from.
//  - World frame after to_world(): right-handed, z up, metres.
//  - Colors are linear Rec. 709. Emission is radiance in W/(sr m²) per band, unscaled.
//  - Indices are dense; -1 means none.
//  - Transforms are `world_from_object`: column vectors, double.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "render/base/vec.h"

namespace simulacra {

// ---------------------------------------------------------------- textures

enum class ColorSpace : std::uint8_t { linear, srgb };
enum class WrapMode : std::uint8_t { repeat, mirror, clamp };
enum class TextureFilter : std::uint8_t { bilinear, nearest };

/// A 2-D texture. Row 0 of an image is its top; v = 0 is the BOTTOM row's lower edge (OBJ and Mitsuba
/// convention): texel row = (1 - v) * height. glTF importers flip v once, in the mesh.
struct TextureDescription {
  enum class Kind : std::uint8_t { bitmap, checkerboard };
  std::string name;                       ///< for reports: the file's name, or the texture's own name
  Kind kind = Kind::bitmap;
  std::filesystem::path file;             ///< bitmap: the image file; empty when `encoded` holds it
  /// bitmap: an encoded image (PNG, JPEG, …) that lay inside the scene file.
  std::shared_ptr<const std::vector<std::uint8_t>> encoded;
  ColorSpace color_space = ColorSpace::linear;  ///< of 8- and 16-bit integer images; float images are linear
  WrapMode wrap_u = WrapMode::repeat, wrap_v = WrapMode::repeat;
  TextureFilter filter = TextureFilter::bilinear;
  Rgb color0{0.4f}, color1{0.2f};         ///< checkerboard: color0 where floor(2u)+floor(2v) is even
                                          ///< (Mitsuba: fract(u) < 0.5 equals fract(v) < 0.5)
  /// texture_uv = uv_linear (2x2, rows) * mesh_uv + uv_offset
  std::array<float, 4> uv_linear{1, 0, 0, 1};
  Vec2 uv_offset{0, 0};
  int uv_set = 0;                         ///< 0 or 1: which of the mesh's UV sets
  bool missing = false;                   ///< the file was not found or cannot be read; importer has warned
};

/// A color that may be textured: factor * texel.rgb. A missing texture leaves the factor alone.
struct RgbInput {
  Rgb factor{1.0f};
  int texture = -1;
};

/// A number that may be textured: offset + factor * texel[channel].
struct FloatInput {
  float factor = 1.0f;
  int texture = -1;
  int channel = 0;     ///< 0..3 = r, g, b, a; 4 = luminance of rgb
  float offset = 0.0f; ///< with factor -1, offset 1 inverts
};

// ---------------------------------------------------------------- materials

/// `standard` is an OpenPBR-like stack (base diffuse/metal, dielectric specular, transmission, coat,
/// sheen). The others are the textbook models of Mitsuba's plugins of the same names.
enum class MaterialKind : std::uint8_t {
  standard, diffuse, conductor, dielectric, thin_dielectric, plastic, blend, null
};
enum class MicrofacetKind : std::uint8_t { ggx, beckmann };

struct MaterialDescription {
  std::string name;
  MaterialKind kind = MaterialKind::standard;

  // shared
  bool two_sided = true;                ///< false: Mitsuba's one-sided reflectors, black from behind
  int back_material = -1;               ///< two_sided with another material on the back side
  FloatInput opacity{};                 ///< 1 = solid; below that, the surface is there with that probability
  std::optional<float> alpha_cutoff;    ///< glTF MASK: opacity becomes 0 or 1 at this threshold
  RgbInput emission{Rgb{0.0f}, -1};     ///< radiance
  bool emission_two_sided = true;       ///< false: emits on the side of the geometric normal only (Mitsuba `area`)
  int normal_texture = -1;              ///< tangent-space normal map (+y up in the image, glTF/OpenGL style)
  float normal_scale = 1.0f;
  int bump_texture = -1;                ///< height map; displacement = bump_scale * luminance, in scene units
  float bump_scale = 1.0f;
  bool use_vertex_color = false;        ///< multiply base_color (and opacity, by alpha) with the mesh's colors
  bool unlit = false;                   ///< glTF KHR_materials_unlit: base color is emitted, no scattering

  // standard, diffuse, plastic: base_color = diffuse reflectance ρ
  RgbInput base_color{Rgb{0.8f}, -1};
  FloatInput metallic{0.0f, -1, 2, 0.0f};
  FloatInput roughness{0.5f, -1, 1, 0.0f};   ///< perceptual; alpha = roughness²
  FloatInput specular{1.0f, -1, 3, 0.0f};    ///< weight of the dielectric specular lobe
  RgbInput specular_color{Rgb{1.0f}, -1};    ///< tints its F0
  float ior = 1.5f;
  FloatInput transmission{0.0f, -1, 0, 0.0f};
  RgbInput transmission_color{Rgb{1.0f}, -1};
  bool thin_walled = true;                   ///< transmission without refraction (glTF without volume)
  FloatInput coat{0.0f, -1, 0, 0.0f};
  FloatInput coat_roughness{0.0f, -1, 1, 0.0f};
  RgbInput sheen_color{Rgb{0.0f}, -1};
  FloatInput sheen_roughness{0.3f, -1, 3, 0.0f};

  // textbook models
  MicrofacetKind microfacet = MicrofacetKind::ggx;
  FloatInput alpha_u{0.0f, -1, 0, 0.0f};     ///< microfacet alpha (not squared); 0 = perfectly smooth
  FloatInput alpha_v{0.0f, -1, 0, 0.0f};
  Rgb eta{0.0f}, k{1.0f};                    ///< conductor: complex index of refraction (relative to outside)
  RgbInput specular_reflectance{Rgb{1.0f}, -1};
  RgbInput specular_transmittance{Rgb{1.0f}, -1};
  float int_ior = 1.5046f, ext_ior = 1.000277f;
  bool nonlinear = false;                    ///< plastic: color shifts by internal scattering
  bool sample_visible = true;
  int blend_a = -1, blend_b = -1;            ///< blend: (1-weight)*a + weight*b
  FloatInput blend_weight{0.5f, -1, 4, 0.0f};
};

// ---------------------------------------------------------------- geometry

using Triangle = std::array<std::uint32_t, 3>;

/// Triangles in the object frame. Arrays but positions and triangles may be empty; the others then
/// have one entry a vertex. Importers deliver valid data: indices in range, finite positions.
struct MeshDescription {
  std::string name;
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;              ///< unit; empty = flat shading
  std::array<std::vector<Vec2>, 2> uv;
  std::vector<Vec4> tangents;             ///< xyz unit, w = ±1 handedness (glTF)
  std::vector<Vec4> colors;               ///< linear RGBA
  std::vector<Triangle> triangles;        ///< counter-clockwise seen from the side the normal points to
};

/// An exact sphere in the object frame. Parameterised as in Mitsuba: u = phi/2π, v = theta/π about +z.
/// Only under similarity transforms; importers tessellate otherwise.
struct SphereDescription {
  Vec3 center{};
  float radius = 1.0f;
  bool flip_normals = false;
};

/// One render entity: a glTF primitive of one node, an OBJ object × material, a Mitsuba shape.
/// Its render_entity_id is its index + 1.
struct ObjectDescription {
  std::string name;                       ///< unique in the scene, without '@'
  std::string path;                       ///< where it stands in its source, e.g. "Room/Lamp.001/mesh 0"
  std::string source;                     ///< stem of the scene file it came from
  int mesh = -1;                          ///< exactly one of mesh and sphere is set
  std::optional<SphereDescription> sphere;
  int material = -1;
  Affine3d world_from_object;
  bool flip_normals = false;              ///< Mitsuba's flipNormals: the outside is the other side
  /// Objects with the same non-empty key are one piece of furniture: one instance, one class.
  std::string instance_key;
  /// Class name or NYU40 number given by a scene file or generator; else rules over the names decide.
  std::string class_hint;
  int semantic = -1;                      ///< NYU40 1..40, set by annotation; -1 unlabelled
  int instance = -1;                      ///< 1..K contiguous, set by annotation; -1 none
};

// ---------------------------------------------------------------- lights

struct PointLightDescription {
  std::string name;
  Vec3d position;
  Rgb intensity{1.0f};                    ///< W/sr
};

struct SpotLightDescription {
  enum class Falloff : std::uint8_t { mitsuba, gltf };
  std::string name;
  Vec3d position, direction{0, 0, -1};    ///< unit direction of the beam
  Rgb intensity{1.0f};
  float cutoff_rad = 0.349f;              ///< half angle beyond which there is no light
  float beam_rad = 0.26f;                 ///< half angle of full intensity
  Falloff falloff = Falloff::mitsuba;     ///< mitsuba: linear in angle; gltf: smooth in cosine (squared)
};

struct DirectionalLightDescription {
  std::string name;
  Vec3d direction{0, 0, -1};              ///< unit; the way the light travels
  Rgb irradiance{1.0f};                   ///< on a plane that faces it
};

/// Light from everywhere outside. In the environment's own frame +y is up and an image covers, for the
/// unit direction d: u = atan2(d.x, -d.z) / 2π (mod 1), v = acos(d.y) / π from the TOP row down
/// (Mitsuba 3's `envmap`).
struct EnvironmentDescription {
  Rgb radiance{1.0f};                     ///< constant, or the image's scale
  int texture = -1;
  Mat3d world_from_environment;
};

// ---------------------------------------------------------------- cameras

struct CameraDescription {
  enum class FovAxis : std::uint8_t { x, y, diagonal, smaller, larger };
  std::string name;
  /// Rigid: +x right, +y up, looks along -z. A mirrored source camera says so in mirror_x.
  Affine3d world_from_cam;
  double fov_rad = kPiD / 3;              ///< full angle along fov_axis
  FovAxis fov_axis = FovAxis::x;
  Vec2d principal_offset{0, 0};           ///< of the optical axis, in units of the film's width and height
  bool mirror_x = false;
  double aperture_radius_m = 0;           ///< thin lens; 0 = pinhole
  double focus_distance_m = 1;
  int width = 0, height = 0;              ///< pixels; 0 = the file does not say
  std::optional<double> orthographic_height_m;
};

// ---------------------------------------------------------------- the scene

struct SceneDescription {
  std::string name;                       ///< stem of the file, or the generator's name
  std::filesystem::path source;           ///< the file it came from
  std::vector<TextureDescription> textures;
  std::vector<MaterialDescription> materials;
  std::vector<MeshDescription> meshes;
  std::vector<ObjectDescription> objects;
  std::vector<PointLightDescription> point_lights;
  std::vector<SpotLightDescription> spot_lights;
  std::vector<DirectionalLightDescription> directional_lights;
  std::optional<EnvironmentDescription> environment;
  std::vector<CameraDescription> cameras;
  int max_depth = 0;                      ///< integrator depth the file asks for (Mitsuba's counting); 0 = none
  Affine3d world_from_scene;              ///< what to_world() and recentring applied to the source's frame
  std::string up = "y";                   ///< up axis of the frame the data are in: "y" or "z"
  double meters_per_unit = 1.0;           ///< of the frame the data are in
};

/// Turns the scene to z-up metres: applies `up` and `meters_per_unit`, and moves the origin into the
/// scene (to the box's center, floor level) when a coordinate exceeds 32 m. Lights, cameras and the
/// environment move along; intensities of point lights scale so that irradiances stay. Idempotent.
void to_world(SceneDescription& scene);

/// Box of all objects in the world frame; empty when there is no geometry.
Box3d world_box(const SceneDescription& scene);

/// Appends `part`, moved by `world_from_part`, to `scene`; indices are renumbered, and names made unique.
/// `prefix` is put before names and paths ("sofa/…") unless empty.
void append_scene(SceneDescription& scene, const SceneDescription& part, const Affine3d& world_from_part,
                  const std::string& prefix);

/// Makes object names unique and free of '@', ',', '"' and control characters; keeps them readable.
void make_names_unique(SceneDescription& scene);

}  // namespace simulacra
