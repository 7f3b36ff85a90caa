# LibTorch, for the learning half: any Torch_DIR of 2.x, else the PyPI wheel in build/venv, else that of python3.
# SIMULACRA_TORCH: ON demands it, OFF leaves the learning half out, AUTO takes it where it is found.
#
# Defines SIMULACRA_HAS_TORCH, and with it the target simulacra_torch to link.
set(SIMULACRA_TORCH AUTO CACHE STRING "Build the learning half with LibTorch: ON, OFF or AUTO (where LibTorch is found)")
set_property(CACHE SIMULACRA_TORCH PROPERTY STRINGS AUTO ON OFF)
set(SIMULACRA_HAS_TORCH OFF)

# The folder of TorchConfig.cmake in the wheel of a Python, without importing torch; empty when there is none.
function(find_torch_of_python python result)
  set(${result} "" PARENT_SCOPE)
  execute_process(COMMAND ${python} -c
    "import importlib.util as u, os; s = u.find_spec('torch'); print(os.path.dirname(s.origin) if s else '')"
    OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(failed EQUAL 0 AND EXISTS "${root}/share/cmake/Torch/TorchConfig.cmake")
    set(${result} "${root}/share/cmake/Torch" PARENT_SCOPE)
  endif()
endfunction()

# A wheel for CUDA by targets of our own: its CMake package would demand all of the CUDA toolkit. Without nvcc, or with
# SIMULACRA_CUDA=OFF, its CPU half.
function(import_torch_for_cuda root)
  set(names torch torch_cpu c10)
  if(SIMULACRA_NVCC AND NOT "${SIMULACRA_CUDA}" STREQUAL "OFF")
    list(APPEND names torch_cuda c10_cuda)
  endif()
  add_library(simulacra_torch INTERFACE)
  target_include_directories(simulacra_torch SYSTEM INTERFACE ${root}/include ${root}/include/torch/csrc/api/include)
  foreach(name IN LISTS names)
    add_library(simulacra_lib${name} SHARED IMPORTED GLOBAL)
    set_target_properties(simulacra_lib${name} PROPERTIES IMPORTED_LOCATION ${root}/lib/lib${name}.so)
    target_link_libraries(simulacra_torch INTERFACE simulacra_lib${name})
  endforeach()
endfunction()

find_program(SIMULACRA_NVCC nvcc PATHS /usr/local/cuda/bin)

if(NOT SIMULACRA_TORCH STREQUAL "OFF")
  if(NOT Torch_DIR)
    foreach(python IN ITEMS ${PROJECT_SOURCE_DIR}/build/venv/bin/python python3)
      find_torch_of_python(${python} found)
      if(found)
        set(Torch_DIR ${found} CACHE PATH "The folder of TorchConfig.cmake" FORCE)
        break()
      endif()
    endforeach()
  endif()
  if(Torch_DIR)
    get_filename_component(torch_root ${Torch_DIR}/../../.. ABSOLUTE)
    if(EXISTS ${torch_root}/lib/libtorch_cuda.so)
      import_torch_for_cuda(${torch_root})
    else()
      find_package(Torch 2 REQUIRED)
      add_library(simulacra_torch INTERFACE)
      target_link_libraries(simulacra_torch INTERFACE torch)
      target_include_directories(simulacra_torch SYSTEM INTERFACE ${TORCH_INCLUDE_DIRS})
    endif()
    # LibTorch's folder of headers brings its own fmt, which hides the system's and is no library here.
    target_compile_definitions(simulacra_torch INTERFACE FMT_HEADER_ONLY=1)
    set(SIMULACRA_HAS_TORCH ON)
    message(STATUS "LibTorch: ${torch_root}")
  elseif(SIMULACRA_TORCH STREQUAL "AUTO")
    message(STATUS "LibTorch: not found, so the learning half is left out (pip install torch==2.13.0 brings it)")
  else()
    message(FATAL_ERROR "SIMULACRA_TORCH is ON and there is no LibTorch: run `pip install torch==2.13.0`, or set Torch_DIR")
  endif()
endif()

include(tools/cmake/cuda.cmake)

# Files that include LibTorch are not cached: ccache would preprocess half a million lines of each, which takes as long as
# the precompiled header saves.

# simulacra_torch_module(learning_nn PUBLIC learning_kernels PRIVATE fmt::fmt): as simulacra_module, with LibTorch's
# headers precompiled (they cost 20 to 30 seconds a file) and code that a shared library can hold.
function(simulacra_torch_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;PRIVATE")
  file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${arg_PUBLIC} simulacra_torch PRIVATE ${arg_PRIVATE} simulacra_options)
  target_precompile_headers(${name} REUSE_FROM learning_torch_headers)
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_COMPILER_LAUNCHER "")
endfunction()

# simulacra_torch_test(vit_test.cpp LABEL unit LINK learning_nn [PREFIX golden.]): as simulacra_test.
function(simulacra_torch_test source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "LABEL;LINK")
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  string(REGEX REPLACE "\\.cpp$" "" id ${path})
  string(MAKE_C_IDENTIFIER ${id} id)
  add_executable(${id} ${source})
  target_link_libraries(${id} PRIVATE ${arg_LINK} simulacra_torch test_support simulacra_options GTest::gmock GTest::gtest_main)
  target_precompile_headers(${id} REUSE_FROM learning_torch_headers)
  # -fPIC as the precompiled header has it: the property would say -fPIE for a program.
  target_compile_options(${id} PRIVATE -fPIC)
  set_target_properties(${id} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin CXX_COMPILER_LAUNCHER "")
  gtest_discover_tests(${id} TEST_PREFIX "${arg_PREFIX}" PROPERTIES LABELS "learning;${arg_LABEL}" TIMEOUT 900 DISCOVERY_TIMEOUT 60)
endfunction()
