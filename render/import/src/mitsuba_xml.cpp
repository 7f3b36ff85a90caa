// SPDX-License-Identifier: Apache-2.0
// XML text to a tree of Elements.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include <pugixml.hpp>

#include "render/base/error.h"
#include "render/base/files.h"
#include "render/import/src/mitsuba.h"
#include "render/import/src/mitsuba_text.h"

namespace simulacra::mitsuba {
namespace {

constexpr int kMaxNesting = 64;             // deeper than any scene made by hand or exporter
constexpr std::size_t kMaxIncludes = 256;
constexpr std::size_t kMaxValueBytes = std::size_t{1} << 20;  // a default that doubles others would explode
constexpr std::uint64_t kMaxXmlBytes = std::uint64_t{128} << 20;

const std::set<std::string_view> kObjectTags = {"bsdf", "emitter", "film", "integrator", "medium", "phase", "rfilter",
                                                "sampler", "sensor", "shape", "subsurface", "texture", "volume"};

/// Byte offset to line number of one file.
class Lines {
 public:
  explicit Lines(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') ends_.push_back(static_cast<std::ptrdiff_t>(i));
  }
  int at(std::ptrdiff_t offset) const {
    return 1 + static_cast<int>(std::lower_bound(ends_.begin(), ends_.end(), offset) - ends_.begin());
  }

 private:
  std::vector<std::ptrdiff_t> ends_;
};

struct File {
  std::filesystem::path path;
  Lines lines;
  bool legacy = false;
};

class Parser {
 public:
  Parser(Document& document, Diagnostics& diagnostics) : document_(document), diagnostics_(diagnostics) {}

  void read(const std::filesystem::path& path, std::vector<Child>& into, int depth);
  void resolve();

 private:
  std::string at(const File& file, pugi::xml_node node) const {
    return fmt::format("{}:{}", file.path.string(), file.lines.at(node.offset_debug()));
  }
  std::string attribute(const File& file, pugi::xml_node node, const char* name) const;
  std::string substituted(const File& file, pugi::xml_node node, std::string text) const;
  void children_of(const File& file, pugi::xml_node node, Element* parent, std::vector<Child>& into, int depth);
  void node(const File& file, pugi::xml_node node, Element* parent, std::vector<Child>& into, int depth);
  void object(const File& file, pugi::xml_node node, std::vector<Child>& into, int depth);
  void value(const File& file, pugi::xml_node node, Element& parent);
  void include(const File& file, pugi::xml_node node, std::vector<Child>& into, int depth);
  Affine3d transform(const File& file, pugi::xml_node node) const;
  Affine3d transform_step(const File& file, pugi::xml_node node) const;
  Value spectrum(const File& file, pugi::xml_node node) const;
  Vec3d components(const File& file, pugi::xml_node node, double otherwise) const;
  double number(const File& file, pugi::xml_node node, const char* name) const;
  std::vector<double> numbers(const File& file, pugi::xml_node node, const char* name) const;
  void check_attributes(const File& file, pugi::xml_node node, std::initializer_list<std::string_view> known);
  void set_default(const File& file, pugi::xml_node node);

  Document& document_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string, std::less<>> defaults_;
  std::unordered_map<std::string, Element*> ids_;
  std::unordered_map<std::string, std::string> aliases_;
  std::vector<std::filesystem::path> open_files_;
  std::size_t files_ = 0;
};

void Parser::read(const std::filesystem::path& path, std::vector<Child>& into, int depth) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
  if (std::find(open_files_.begin(), open_files_.end(), real) != open_files_.end())
    fail_usage("{}: includes itself", path.string());
  if (++files_ > kMaxIncludes) fail_usage("{}: more than {} included files", path.string(), kMaxIncludes);
  const std::string text = read_text_file(path, kMaxXmlBytes);
  pugi::xml_document xml;
  const pugi::xml_parse_result result = xml.load_buffer(text.data(), text.size(), pugi::parse_default);
  File file{path, Lines(text)};
  if (!result)
    fail_usage("{}:{}: not well-formed XML: {}", path.string(), file.lines.at(result.offset), result.description());
  const pugi::xml_node root = xml.document_element();
  if (root.empty()) fail_usage("{}: no XML element, expected <scene>", path.string());
  file.legacy = std::string_view(root.attribute("version").value()).starts_with("0.");
  open_files_.push_back(real);
  const std::string_view name = root.name();
  if (name == "scene") {
    check_attributes(file, root, {"version", "id"});
    children_of(file, root, nullptr, into, depth);
  } else if (kObjectTags.contains(name) && depth > 0) {
    object(file, root, into, depth);
  } else {
    fail_usage("{}: root element is <{}>, expected <scene> (a Mitsuba scene file)", at(file, root), name);
  }
  open_files_.pop_back();
}

std::string Parser::substituted(const File& file, pugi::xml_node node, std::string text) const {
  for (std::size_t at_dollar = text.find('$'); at_dollar != std::string::npos; at_dollar = text.find('$', at_dollar)) {
    std::size_t end = at_dollar + 1;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
    const std::string_view name = std::string_view(text).substr(at_dollar + 1, end - at_dollar - 1);
    // The longest default that the text starts with, since Mitsuba's names end where a default's does.
    std::string_view known = name;
    while (!known.empty() && !defaults_.contains(known)) known.remove_suffix(1);
    if (known.empty())
      fail_usage("{}: <{}>: undefined parameter ${}, expected a <default name=\"{}\" value=\"…\"/> before it",
                 at(file, node), node.name(), name, name);
    const std::string& value = defaults_.find(known)->second;
    text.replace(at_dollar, known.size() + 1, value);
    at_dollar += value.size();
    if (text.size() > kMaxValueBytes)
      fail_usage("{}: <{}>: a value longer than {} bytes after substitution", at(file, node), node.name(), kMaxValueBytes);
  }
  return text;
}

std::string Parser::attribute(const File& file, pugi::xml_node node, const char* name) const {
  return substituted(file, node, node.attribute(name).value());
}

void Parser::check_attributes(const File& file, pugi::xml_node node, std::initializer_list<std::string_view> known) {
  for (const pugi::xml_attribute a : node.attributes())
    if (std::find(known.begin(), known.end(), std::string_view(a.name())) == known.end())
      diagnostics_.warn(at(file, node), fmt::format("{} {}", node.name(), a.name()), "unknown attribute, left out");
}

void Parser::children_of(const File& file, pugi::xml_node parent, Element* element, std::vector<Child>& into,
                         int depth) {
  if (depth > kMaxNesting) fail_usage("{}: nested deeper than {} levels", at(file, parent), kMaxNesting);
  for (const pugi::xml_node n : parent.children())
    if (n.type() == pugi::node_element) node(file, n, element, into, depth);
}

void Parser::set_default(const File& file, pugi::xml_node node) {
  const std::string name = node.attribute("name").value();
  if (name.empty()) fail_usage("{}: <default> without name", at(file, node));
  defaults_.try_emplace(name, attribute(file, node, "value"));
}

void Parser::node(const File& file, pugi::xml_node n, Element* parent, std::vector<Child>& into, int depth) {
  static const std::set<std::string_view> kValueTags = {"float", "integer", "boolean", "string", "rgb", "srgb",
                                                        "spectrum", "blackbody", "point", "vector", "transform"};
  const std::string_view tag = n.name();
  if (tag == "default") {
    set_default(file, n);
  } else if (tag == "include") {
    include(file, n, into, depth);
  } else if (tag == "ref") {
    check_attributes(file, n, {"id", "name"});
    into.push_back({snake_case(attribute(file, n, "name")), nullptr, attribute(file, n, "id"), file.path.string(),
                    file.lines.at(n.offset_debug())});
  } else if (tag == "alias") {
    check_attributes(file, n, {"id", "as"});
    aliases_[attribute(file, n, "as")] = attribute(file, n, "id");
  } else if (tag == "path") {
    document_.search.push_back(file.path.parent_path() / attribute(file, n, "value"));
  } else if (kObjectTags.contains(tag)) {
    object(file, n, into, depth);
  } else if (parent != nullptr && kValueTags.contains(tag)) {
    value(file, n, *parent);
  } else {
    diagnostics_.warn(at(file, n), std::string(tag), "unknown tag, left out");
  }
}

void Parser::include(const File& file, pugi::xml_node n, std::vector<Child>& into, int depth) {
  check_attributes(file, n, {"filename"});
  const std::string name = attribute(file, n, "filename");
  std::vector<std::filesystem::path> folders{file.path.parent_path()};
  folders.insert(folders.end(), document_.search.begin(), document_.search.end());
  for (const auto& folder : folders) {
    std::error_code error;
    if (!name.empty() && std::filesystem::is_regular_file(folder / name, error))
      return read(folder / name, into, depth + 1);
  }
  fail_usage("{}: included file '{}' not found", at(file, n), name);
}

void Parser::object(const File& file, pugi::xml_node n, std::vector<Child>& into, int depth) {
  check_attributes(file, n, {"type", "id", "name", "version"});
  auto element = std::make_unique<Element>();
  element->tag = n.name();
  element->type = attribute(file, n, "type");
  element->id = attribute(file, n, "id");
  element->file = file.path.string();
  element->line = file.lines.at(n.offset_debug());
  element->legacy = file.legacy;
  if (element->type.empty()) fail_usage("{}: <{}> without type", at(file, n), n.name());
  if (!element->id.empty() && !ids_.emplace(element->id, element.get()).second)
    fail_usage("{}: id '{}' is given twice, before at {}", at(file, n), element->id, where(*ids_[element->id]));
  Element* raw = element.get();
  document_.elements.push_back(std::move(element));
  into.push_back({snake_case(attribute(file, n, "name")), raw, {}, raw->file, raw->line});
  children_of(file, n, raw, raw->children, depth + 1);
}

double Parser::number(const File& file, pugi::xml_node n, const char* name) const {
  const std::string written = attribute(file, n, name);
  if (const auto value = parse_number(written)) return *value;
  fail_usage("{}: <{}> {} = '{}', expected a number", at(file, n), n.name(), name, written);
}

std::vector<double> Parser::numbers(const File& file, pugi::xml_node n, const char* name) const {
  const std::string written = attribute(file, n, name);
  auto values = parse_numbers(written);
  if (!values) fail_usage("{}: <{}> {} = '{}', expected numbers", at(file, n), n.name(), name, written);
  return *std::move(values);
}

Vec3d Parser::components(const File& file, pugi::xml_node n, double otherwise) const {
  if (n.attribute("value")) {
    const std::vector<double> v = numbers(file, n, "value");
    if (v.size() == 1) return {v[0], v[0], v[0]};
    if (v.size() == 2) return {v[0], v[1], otherwise};
    if (v.size() != 3) fail_usage("{}: <{}> has {} numbers, expected 1 or 3", at(file, n), n.name(), v.size());
    return {v[0], v[1], v[2]};
  }
  Vec3d result{otherwise, otherwise, otherwise};
  if (n.attribute("x")) result.x = number(file, n, "x");
  if (n.attribute("y")) result.y = number(file, n, "y");
  if (n.attribute("z")) result.z = number(file, n, "z");
  return result;
}

Value Parser::spectrum(const File& file, pugi::xml_node n) const {
  if (n.attribute("filename"))
    fail_usage("{}: <spectrum filename=\"{}\">: spectra in files are not supported, give value=\"wavelength:value, …\"",
               at(file, n), n.attribute("filename").value());
  const std::string written = attribute(file, n, "value");
  if (written.find(':') == std::string::npos) {
    const std::vector<double> v = numbers(file, n, "value");
    if (v.size() == 3) return Rgb(Rgb{static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])});
    if (v.size() != 1) fail_usage("{}: <spectrum> has {} numbers, expected 1, or wavelength:value pairs", at(file, n), v.size());
    return UniformSpectrum{v[0]};
  }
  SampledSpectrum s;
  for (const std::string& item : split_list(written)) {
    const std::size_t colon = item.find(':');
    const auto wavelength = parse_number(item.substr(0, colon));
    const auto value = colon == std::string::npos ? std::nullopt : parse_number(item.substr(colon + 1));
    if (!wavelength || !value || (!s.samples.empty() && *wavelength <= s.samples.back().first))
      fail_usage("{}: <spectrum> '{}', expected wavelength:value with ascending wavelengths", at(file, n), item);
    s.samples.emplace_back(*wavelength, *value);
  }
  return s;
}

void Parser::value(const File& file, pugi::xml_node n, Element& parent) {
  const std::string_view tag = n.name();
  const std::string written = attribute(file, n, "name");
  Property p{{}, written, file.lines.at(n.offset_debug())};
  if (tag == "point" || tag == "vector") check_attributes(file, n, {"name", "x", "y", "z", "value"});
  else if (tag == "spectrum") check_attributes(file, n, {"name", "value", "filename", "intent"});
  else if (tag == "rgb" || tag == "srgb") check_attributes(file, n, {"name", "value", "intent"});
  else check_attributes(file, n, {"name", "value", "temperature", "scale"});
  if (tag == "float" || tag == "integer") {
    p.value = number(file, n, "value");
  } else if (tag == "boolean") {
    const std::string text = attribute(file, n, "value");
    if (text != "true" && text != "false")
      fail_usage("{}: <boolean> {} = '{}', expected true or false", at(file, n), written, text);
    p.value = text == "true";
  } else if (tag == "string") {
    p.value = attribute(file, n, "value");
  } else if (tag == "rgb" || tag == "srgb") {
    const auto rgb = parse_color(attribute(file, n, "value"), tag == "srgb");
    if (!rgb)
      fail_usage("{}: <{}> {} = '{}', expected 1 or 3 numbers or #rrggbb", at(file, n), tag, written,
                 attribute(file, n, "value"));
    p.value = *rgb;
  } else if (tag == "spectrum") {
    p.value = spectrum(file, n);
  } else if (tag == "point" || tag == "vector") {
    p.value = components(file, n, 0);
  } else if (tag == "transform") {
    p.value = transform(file, n);
  } else {
    diagnostics_.warn(at(file, n), std::string(tag), fmt::format("not supported; '{}' keeps its default", written));
    return;
  }
  if (parent.properties.contains(snake_case(written)))
    diagnostics_.warn(at(file, n), written, "given twice; the last one counts");
  parent.properties[snake_case(written)] = std::move(p);
}

Affine3d Parser::transform(const File& file, pugi::xml_node n) const {
  Affine3d total;
  for (const pugi::xml_node step : n.children())
    if (step.type() == pugi::node_element) total = transform_step(file, step) * total;
  const auto& m = total.linear.m;
  for (const auto& row : m)
    for (const double entry : row)
      if (!std::isfinite(entry)) fail_usage("{}: <transform> is not finite", at(file, n));
  if (!is_finite(total.translation)) fail_usage("{}: <transform> is not finite", at(file, n));
  return total;
}

Affine3d look_at(Vec3d origin, Vec3d target, Vec3d up) {
  const Vec3d z = normalize(target - origin);
  const Vec3d x = normalize(cross(up, z));
  return {Mat3d::from_columns(x, cross(z, x), z), origin};
}

Affine3d matrix_from(const std::vector<double>& v, const std::string& at) {
  if (v.size() == 9) {
    Affine3d m;
    for (std::size_t i = 0; i < 9; ++i) m.linear(i / 3, i % 3) = v[i];
    return m;
  }
  if (v.size() != 16) fail_usage("{}: <matrix> has {} numbers, expected 16 or 9", at, v.size());
  if (std::abs(v[12]) + std::abs(v[13]) + std::abs(v[14]) > 1e-6 || v[15] == 0)
    fail_usage("{}: <matrix> is no affine transform, expected the last row 0 0 0 1", at);
  Affine3d m;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) m.linear(r, c) = v[4 * r + c] / v[15];
    m.translation[r] = v[4 * r + 3] / v[15];
  }
  return m;
}

Affine3d Parser::transform_step(const File& file, pugi::xml_node n) const {
  const std::string_view tag = n.name();
  if (tag == "translate") return translation(components(file, n, 0));
  if (tag == "scale") return scaling(components(file, n, 1));
  if (tag == "matrix") return matrix_from(numbers(file, n, "value"), at(file, n));
  if (tag == "rotate") {
    const Vec3d axis = components(file, n, 0);
    if (!(length(axis) > 0)) fail_usage("{}: <rotate> without axis, expected x, y or z", at(file, n));
    return rotation(axis, number(file, n, "angle") * kPiD / 180);
  }
  if (tag == "lookat" || tag == "lookAt") {
    const auto point = [&](const char* name) {
      const std::vector<double> v = numbers(file, n, name);
      if (v.size() != 3) fail_usage("{}: <lookat> {} has {} numbers, expected 3", at(file, n), name, v.size());
      return Vec3d{v[0], v[1], v[2]};
    };
    const Vec3d origin = point("origin"), target = point("target");
    const Vec3d direction = target - origin;
    Vec3d up = n.attribute("up") ? point("up") : Vec3d{0, 1, 0};
    if (!n.attribute("up") && length(cross(up, direction)) < 1e-9 * length(direction)) up = {0, 0, 1};
    if (!(length(direction) > 0) || !(length(cross(up, direction)) > 1e-9 * length(direction) * length(up)))
      fail_usage("{}: <lookat> without direction, expected target away from origin and up not along it", at(file, n));
    return look_at(origin, target, up);
  }
  fail_usage("{}: <{}> in a transform, expected translate, rotate, scale, matrix or lookat", at(file, n), tag);
}

void Parser::resolve() {
  const auto resolve_list = [this](std::vector<Child>& list) {
    for (Child& c : list) {
      if (c.element != nullptr) continue;
      std::string id = c.ref;
      for (int hops = 0; !ids_.contains(id) && aliases_.contains(id) && hops < kMaxNesting; ++hops) id = aliases_[id];
      const auto found = ids_.find(id);
      if (found == ids_.end()) fail_usage("{}:{}: reference to '{}', but nothing has this id", c.file, c.line, c.ref);
      c.element = found->second;
    }
  };
  resolve_list(document_.roots);
  for (const auto& element : document_.elements) resolve_list(element->children);
}

}  // namespace

std::string where(const Element& element) { return fmt::format("{}:{}", element.file, element.line); }

std::string describe(const Element& element) {
  return fmt::format("{}: {} '{}'", where(element), element.tag, element.type);
}

std::string snake_case(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    if (std::isupper(c) == 0) {
      out += name[i];
      continue;
    }
    const bool after_lower = i > 0 && (std::islower(static_cast<unsigned char>(name[i - 1])) != 0 ||
                                       std::isdigit(static_cast<unsigned char>(name[i - 1])) != 0);
    if (after_lower) out += '_';
    out += static_cast<char>(std::tolower(c));
  }
  return out;
}

std::unique_ptr<Document> parse(const std::filesystem::path& file, Diagnostics& diagnostics) {
  auto document = std::make_unique<Document>();
  document->search.push_back(file.parent_path());
  Parser parser(*document, diagnostics);
  parser.read(file, document->roots, 0);
  parser.resolve();
  return document;
}

}  // namespace simulacra::mitsuba
