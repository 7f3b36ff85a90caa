// SPDX-License-Identifier: Apache-2.0
#include "render/texture/src/tile_cache.h"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include <OpenImageIO/imagecache.h>
#include <OpenImageIO/imageio.h>

#include "render/base/error.h"
#include "render/texture/src/oiio_guard.h"
#include "render/texture/src/oiio_types.h"

namespace simulacra {
namespace {

constexpr int kTileSide = 64;

#if OIIO_VERSION >= 30000
using CachePointer = std::shared_ptr<OIIO::ImageCache>;
CachePointer make_cache() { return OIIO::ImageCache::create(false); }
#else
struct DestroyCache {
  void operator()(OIIO::ImageCache* cache) const { OIIO::ImageCache::destroy(cache); }
};
using CachePointer = std::unique_ptr<OIIO::ImageCache, DestroyCache>;
CachePointer make_cache() { return CachePointer(OIIO::ImageCache::create(false)); }
#endif

std::filesystem::path make_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "simulacra-textures-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) fail("{}: cannot be made for textures beyond the memory cap", pattern);
  return pattern;
}

}  // namespace

struct TileCache::State {
  struct Entry {
    OIIO::ImageCache::ImageHandle* handle;
    BitmapShape shape;
  };
  std::filesystem::path folder = make_folder();
  CachePointer cache = make_cache();
  std::vector<Entry> entries;
  ~State() {
    entries.clear();
    cache.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
};

TileCache::TileCache(std::uint64_t memory_bytes) {
  const std::shared_lock inside_oiio(oiio_mutex());
  state_ = std::make_unique<State>();
  const auto mebibytes = static_cast<float>(memory_bytes) / static_cast<float>(1 << 20);
  state_->cache->attribute("max_memory_MB", mebibytes);
}

TileCache::~TileCache() = default;

int TileCache::add(const BitmapShape& shape, const std::uint8_t* texels) {
  const std::shared_lock inside_oiio(oiio_mutex());
  const std::string path = (state_->folder / fmt::format("{}.tif", state_->entries.size())).string();
  OIIO::ImageSpec spec(shape.width, shape.height, shape.channels, oiio_type(shape.format));
  spec.tile_width = spec.tile_height = kTileSide;
  spec.alpha_channel = -1;  // numbers, not colors: nothing is multiplied by alpha
  spec.attribute("compression", "none");
  auto output = OIIO::ImageOutput::create("tiff");
  if (!output) fail("{}: the installed OpenImageIO cannot write TIFF", path);
  if (!output->open(path, spec) || !output->write_image(oiio_type(shape.format), texels) || !output->close())
    fail("{}: cannot be written for a texture beyond the memory cap: {}", path, output->geterror());
  OIIO::ImageCache::ImageHandle* handle = state_->cache->get_image_handle(OIIO::ustring(path));
  if (handle == nullptr) fail("{}: cannot be read back: {}", path, state_->cache->geterror());
  state_->entries.push_back({handle, shape});
  return static_cast<int>(state_->entries.size()) - 1;
}

void TileCache::fetch(int number, int column, int row, std::uint8_t* texel) const {
  const std::shared_lock inside_oiio(oiio_mutex());
  const State::Entry& entry = state_->entries[static_cast<std::size_t>(number)];
  if (!state_->cache->get_pixels(entry.handle, nullptr, 0, 0, column, column + 1, row, row + 1, 0, 1,
                                 oiio_type(entry.shape.format), texel))
    fail("texture tiles in {}: {}", state_->folder.string(), state_->cache->geterror());
}

}  // namespace simulacra
