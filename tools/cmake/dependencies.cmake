# Every library the project uses, what for, and its Debian package.
find_package(PkgConfig REQUIRED)                 # pkg-config
find_package(Threads REQUIRED)

find_package(fmt REQUIRED)                       # libfmt-dev: text
find_package(yaml-cpp REQUIRED)                  # libyaml-cpp-dev: render/config
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
find_package(TBB REQUIRED)                       # libtbb-dev: render/session, dataset/generate
find_package(nlohmann_json REQUIRED)             # nlohmann-json3-dev: glTF, manifests
find_package(pugixml REQUIRED)                   # libpugixml-dev: Mitsuba XML
find_package(CLI11 REQUIRED)                     # libcli11-dev: command line

# Embree 4 (Debian 13, Ubuntu 24.04) or Embree 3 (Debian 12): libembree-dev. render/accel
find_package(embree 4 QUIET)
if(NOT embree_FOUND)
  find_package(embree 3 REQUIRED)
endif()
message(STATUS "Embree ${embree_VERSION}")

# libopenimageio-dev: render/texture. By pkg-config, since its CMake package asks for OpenCV.
pkg_check_modules(OpenImageIO REQUIRED IMPORTED_TARGET OpenImageIO)

# libopenexr-dev: dataset/exr. By pkg-config too: the CMake package names Python files that it does not bring.
pkg_check_modules(OpenEXR REQUIRED IMPORTED_TARGET OpenEXR)

pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5 hdf5-serial)  # libhdf5-dev: dataset/hdf5
pkg_check_modules(Deflate REQUIRED IMPORTED_TARGET libdeflate)     # libdeflate-dev: dataset/hdf5
pkg_check_modules(HttpLib REQUIRED IMPORTED_TARGET cpp-httplib)    # libcpp-httplib-dev: tools/inspector/server
