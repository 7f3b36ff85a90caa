# CUDA, for the kernels of the learning half. SIMULACRA_CUDA: ON demands nvcc; AUTO takes it where it is found and LibTorch is
# a build for CUDA too; OFF leaves it out. Included when LibTorch is known and nvcc was looked for.
#
# Defines SIMULACRA_HAS_CUDA, and with it the language CUDA for SIMULACRA_CUDA_ARCHITECTURES.
set(SIMULACRA_CUDA AUTO CACHE STRING "Build the CUDA kernels: ON, OFF or AUTO (where nvcc and a LibTorch for CUDA are found)")
set_property(CACHE SIMULACRA_CUDA PROPERTY STRINGS AUTO ON OFF)
set(SIMULACRA_CUDA_ARCHITECTURES "80;90" CACHE STRING "Compute capabilities that the kernels are compiled for, without the point")
set(SIMULACRA_HAS_CUDA OFF)

# LibTorch's folder, and whether it is a build for CUDA.
set(SIMULACRA_TORCH_HAS_CUDA OFF)
if(SIMULACRA_HAS_TORCH AND EXISTS ${Torch_DIR}/../../../lib/libtorch_cuda.so)
  set(SIMULACRA_TORCH_HAS_CUDA ON)
endif()

if(SIMULACRA_CUDA STREQUAL "ON" AND NOT SIMULACRA_NVCC)
  message(FATAL_ERROR "SIMULACRA_CUDA is ON and there is no nvcc: install the CUDA toolkit, or set SIMULACRA_NVCC")
endif()
if(SIMULACRA_NVCC AND (SIMULACRA_CUDA STREQUAL "ON" OR (SIMULACRA_CUDA STREQUAL "AUTO" AND SIMULACRA_TORCH_HAS_CUDA)))
  set(CMAKE_CUDA_COMPILER ${SIMULACRA_NVCC})
  set(CMAKE_CUDA_ARCHITECTURES ${SIMULACRA_CUDA_ARCHITECTURES})
  set(CMAKE_CUDA_STANDARD 20)
  set(CMAKE_CUDA_STANDARD_REQUIRED ON)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  set(SIMULACRA_HAS_CUDA ON)
  message(STATUS "CUDA: ${SIMULACRA_NVCC} for ${SIMULACRA_CUDA_ARCHITECTURES}")
endif()
