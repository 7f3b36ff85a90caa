// SPDX-License-Identifier: Apache-2.0
#include "render/import/src/mitsuba.h"

#include "render/base/error.h"
#include "render/import/import.h"

namespace simulacra {
namespace mitsuba {
namespace {

bool use_once(Child& c, Element& element) {
  c.used = true;
  return !element.visited;
}

void import_root(Context& context, Child& c) {
  Element& e = *c.element;
  if (e.tag == "shape") return import_shape(context, e);
  if (e.tag == "emitter" && use_once(c, e)) return import_emitter(context, e);
  if (e.tag == "sensor" && use_once(c, e)) return import_sensor(context, e);
  if (e.tag == "integrator" && use_once(c, e)) return import_integrator(context, e);
  if (e.tag != "bsdf" && e.tag != "texture" && e.tag != "sampler" && e.tag != "film" && e.tag != "rfilter")
    context.warn(e, fmt::format("{} {}", e.tag, e.type), "not supported; left out");
}

/// Everything that an element which was used says and nobody asked for.
void report_unused(const Context& context) {
  for (const auto& element : context.document.elements) {
    if (!element->visited) continue;
    for (const auto& [name, p] : element->properties)
      if (!p.used && !element->type.empty())
        context.diagnostics.warn(fmt::format("{}:{}", element->file, p.line), p.written.empty() ? name : p.written,
                                 fmt::format("parameter of {} '{}' is not used", element->tag, element->type));
    for (const Child& c : element->children)
      if (!c.used)
        context.diagnostics.warn(fmt::format("{}:{}", c.file, c.line), fmt::format("{} {}", c.element->tag, c.element->type),
                                 fmt::format("not used inside {} '{}'", element->tag, element->type));
  }
}

/// Leaves out materials that only were parts of others (under twosided, mask and the like).
void drop_unused_materials(SceneDescription& scene) {
  std::vector<int> renumbered(scene.materials.size(), -1);
  std::vector<MaterialDescription> kept;
  const auto keep = [&](int& material) {
    if (material < 0) return;
    int& target = renumbered[static_cast<std::size_t>(material)];
    if (target < 0) {
      target = static_cast<int>(kept.size());
      kept.push_back(scene.materials[static_cast<std::size_t>(material)]);
    }
    material = target;
  };
  for (ObjectDescription& object : scene.objects) keep(object.material);
  for (std::size_t i = 0; i < kept.size(); ++i) {  // grows while it walks
    int back = kept[i].back_material, a = kept[i].blend_a, b = kept[i].blend_b;
    keep(back);
    keep(a);
    keep(b);
    kept[i].back_material = back;
    kept[i].blend_a = a;
    kept[i].blend_b = b;
  }
  scene.materials = std::move(kept);
}

SceneDescription import(const std::filesystem::path& file, Diagnostics& diagnostics) {
  const std::unique_ptr<Document> document = parse(file, diagnostics);
  SceneDescription scene;
  scene.name = file.stem().string();
  scene.source = file;
  Context context{*document, diagnostics, scene, {}, {}, {}, {}, {}, {}, -1};
  for (Child& root : document->roots) import_root(context, root);
  report_unused(context);
  drop_unused_materials(scene);
  return scene;
}

}  // namespace

std::filesystem::path find_file(const Context& context, const Element& element, const std::string& name) {
  std::vector<std::filesystem::path> folders{std::filesystem::path(element.file).parent_path()};
  folders.insert(folders.end(), context.document.search.begin(), context.document.search.end());
  for (const auto& folder : folders) {
    std::error_code error;  // an unreadable folder is a folder without the file
    if (std::filesystem::is_regular_file(folder / name, error)) return folder / name;
  }
  return {};
}

}  // namespace mitsuba

SceneDescription import_mitsuba(const std::filesystem::path& file, Diagnostics& diagnostics) {
  try {
    return mitsuba::import(file, diagnostics);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {  // an unreadable file that the user named is a wrong request
    throw UsageError(error.what());
  }
}

}  // namespace simulacra
