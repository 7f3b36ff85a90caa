// SPDX-License-Identifier: Apache-2.0
// Mitsuba scene files, inside of the importer.
//  - A file becomes a tree of Elements (mitsuba_xml.cpp): defaults substituted, includes spliced in,
//    references resolved, parameter names in snake_case whatever the file's version.
//  - The other files turn Elements into a SceneDescription. Reading a parameter marks it as used; what is
//    left over in an element that was used is warned of at the end.
//  - Directions, units and defaults are those of Mitsuba 3; 0.5 and 0.6 syntax is accepted beside it.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "render/base/vec.h"
#include "render/description/description.h"
#include "render/description/diagnostics.h"

namespace simulacra::mitsuba {

/// <spectrum value="0.3"/>: the same at all wavelengths.
struct UniformSpectrum { double value = 0; };
/// <spectrum value="400:0.1, 700:0.3"/>: wavelengths in nanometres, ascending.
struct SampledSpectrum { std::vector<std::pair<double, double>> samples; };

using Value = std::variant<double, bool, std::string, Rgb, UniformSpectrum, SampledSpectrum, Vec3d, Affine3d>;

struct Property {
  Value value;
  std::string written;   ///< the name as the file has it
  int line = 0;
  bool used = false;
};

struct Element;

struct Child {
  std::string name;          ///< snake_case; empty when the file gives none
  Element* element = nullptr;
  std::string ref;           ///< id, until it is resolved
  std::string file;          ///< where the child is named
  int line = 0;
  bool used = false;
};

/// One plugin: <bsdf type="diffuse" id="wall"> and the like.
struct Element {
  std::string tag, type, id;
  std::string file;          ///< the XML file it stands in
  int line = 0;
  bool legacy = false;       ///< version 0.x
  std::map<std::string, Property> properties;
  std::vector<Child> children;
  bool visited = false;      ///< some conversion looked at it
};

/// A parsed scene: owns its elements.
struct Document {
  std::vector<std::unique_ptr<Element>> elements;
  std::vector<Child> roots;                        ///< top level, in document order
  std::vector<std::filesystem::path> search;       ///< folders in which files are looked for, in order
};

/// Throws UsageError for what is no Mitsuba scene, an unknown reference, an undefined $name, a cycle.
std::unique_ptr<Document> parse(const std::filesystem::path& file, Diagnostics& diagnostics);

/// "scene.xml:12", for messages.
std::string where(const Element& element);
/// "scene.xml:12: bsdf 'diffuse'"
std::string describe(const Element& element);
/// toWorld -> to_world, intIOR -> int_ior; snake_case stays.
std::string snake_case(std::string_view name);

// ------------------------------------------------------------------ parameters (mitsuba_value.cpp)

/// The parameter, marked as used; null when absent.
const Property* find(Element& element, std::string_view name);
bool has(const Element& element, std::string_view name);
double number(Element& element, std::string_view name, double otherwise);
bool boolean(Element& element, std::string_view name, bool otherwise);
std::string text(Element& element, std::string_view name, const std::string& otherwise);
Vec3d vector(Element& element, std::string_view name, Vec3d otherwise);
Affine3d transform(Element& element, std::string_view name);
/// Marks parameters as known and without effect on a result of ours.
void ignore(Element& element, std::initializer_list<std::string_view> names);

enum class Quantity : std::uint8_t { reflectance, emission };
/// A color, number or spectrum as linear Rec. 709. Reflectances are seen under D65, so that a uniform one
/// is gray; emission is what the spectrum itself looks like. Warns where wavelengths were averaged.
Rgb as_rgb(const Element& element, const Property& property, Quantity quantity, Diagnostics& diagnostics);
Rgb color(Element& element, std::string_view name, Rgb otherwise, Quantity quantity, Diagnostics& diagnostics);
Rgb rgb_from_samples(const SampledSpectrum& spectrum, Quantity quantity);

/// First child of that tag (and name, unless empty), marked as used; null when there is none.
Element* child(Element& element, std::string_view tag, std::string_view name = {});
/// All children of that tag, marked as used.
std::vector<Element*> children(Element& element, std::string_view tag);

// ------------------------------------------------------------------ tables (mitsuba_ior.cpp)

struct ConductorIor { Rgb eta, k; };
/// Complex index of a named metal ("Au"), as Rec. 709 bands; "none" is a perfect mirror.
std::optional<ConductorIor> conductor_ior(std::string_view name);
/// "Ag, Al, …"
std::string conductor_names();
std::optional<double> dielectric_ior(std::string_view name);
std::string dielectric_names();

// ------------------------------------------------------------------ conversion

/// A shape made once and placed once or, in a shapegroup, often.
struct ShapeTemplate {
  ObjectDescription object;   ///< transform relative to the group
};

struct Context {
  Document& document;
  Diagnostics& diagnostics;
  SceneDescription& scene;
  std::unordered_map<const Element*, int> materials;
  std::unordered_map<const Element*, int> textures;
  std::unordered_map<const Element*, std::vector<ShapeTemplate>> groups;
  std::set<const Element*> open;      ///< being converted, to notice cycles
  std::map<int, int> mirrored_meshes; ///< mesh -> its mirror image
  std::map<std::string, int> files;   ///< mesh files already read with the same options
  int default_material = -1;

  void warn(const Element& element, std::string culprit, std::string what) const {
    diagnostics.warn(where(element), std::move(culprit), std::move(what));
  }
};

/// Marks an element as being converted for the length of a scope; a second time is a UsageError (a cycle),
/// as is nesting beyond 64.
class OpenElement {
 public:
  OpenElement(Context& context, const Element& element);
  ~OpenElement() { context_.open.erase(element_); }
  OpenElement(const OpenElement&) = delete;
  OpenElement& operator=(const OpenElement&) = delete;

 private:
  Context& context_;
  const Element* element_;
};

/// A file named by an element, searched beside the XML file and in the search folders. Empty when absent.
std::filesystem::path find_file(const Context& context, const Element& element, const std::string& name);

/// A texture as it is used: scale textures folded into the factor.
struct TextureUse {
  int texture = -1;
  Rgb factor{1.0f};
  int channel = 4;          ///< for numbers: luminance unless the bitmap names a channel
};
TextureUse import_texture(Context& context, Element& texture);
RgbInput rgb_input(Context& context, Element& element, std::string_view name, Rgb otherwise, Quantity quantity);
FloatInput float_input(Context& context, Element& element, std::string_view name, double otherwise);

/// Index of the material; `fallback_name` names it when it has no id.
int import_bsdf(Context& context, Element& bsdf, const std::string& fallback_name);
int default_bsdf(Context& context);
/// A copy of the material that emits as the area emitter says.
int emitter_material(Context& context, int material, Element& emitter, const std::string& shape_name);

void import_emitter(Context& context, Element& emitter);
void import_shape(Context& context, Element& shape);
void import_sensor(Context& context, Element& sensor);
void import_integrator(Context& context, Element& integrator);

/// Reads an OBJ file as Mitsuba does: one mesh, groups and materials of the file have no say, v turned
/// upside down unless `flip_v` is false. Normals only when the file has some. Throws UsageError.
MeshDescription read_obj(const std::filesystem::path& file, bool flip_v);

}  // namespace simulacra::mitsuba
