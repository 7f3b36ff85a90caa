# Two verbs build everything: one module is one static library; one test file is one test binary.

add_library(simulacra_options INTERFACE)
target_compile_features(simulacra_options INTERFACE cxx_std_20)
target_compile_options(simulacra_options INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wswitch-enum
  # GCC 12 reports impossible overlaps in std::string's own code (its bug 105329).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # No contraction to FMA: the same seed gives the same bytes whatever the target.
  -ffp-contract=off
  $<$<BOOL:${SIMULACRA_WERROR}>:-Werror>)

# simulacra_module(render_material PUBLIC render_base PRIVATE fmt::fmt)
# Sources are src/*.cpp beside the caller; public headers are *.h beside the caller.
# Every public header is also compiled alone, so it must include what it uses.
function(simulacra_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "PUBLIC;PRIVATE")
  file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
  file(GLOB headers CONFIGURE_DEPENDS *.h)
  set(alone "")
  foreach(header IN LISTS headers)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${header})
    string(MAKE_C_IDENTIFIER ${path} id)
    file(CONFIGURE OUTPUT alone/${id}.cpp CONTENT "#include \"${path}\"\n")
    list(APPEND alone ${CMAKE_CURRENT_BINARY_DIR}/alone/${id}.cpp)
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${arg_PUBLIC} PRIVATE ${arg_PRIVATE} simulacra_options)
  else()
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${arg_PUBLIC})
  endif()
  if(alone AND SIMULACRA_TESTS)
    add_library(${name}_headers OBJECT ${alone})
    target_link_libraries(${name}_headers PRIVATE ${name} simulacra_options)
  endif()
endfunction()

# simulacra_test(bsdf_test.cpp LABEL stat LINK render_material), called from tests/<part>/<module>/CMakeLists.txt.
# Labels: arch unit stat scene golden e2e; add `slow` for what takes over ten seconds.
# PREFIX stands before the names of its tests: golden. for those against independent reference values.
# The target fast_tests builds those that are neither slow nor statistical: what runs under the sanitizers.
function(simulacra_test source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PREFIX" "LABEL;LINK")
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  string(REGEX REPLACE "\\.cpp$" "" id ${path})
  string(MAKE_C_IDENTIFIER ${id} id)
  add_executable(${id} ${source})
  target_link_libraries(${id} PRIVATE ${arg_LINK} test_support simulacra_options GTest::gmock GTest::gtest_main)
  set_target_properties(${id} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/bin)
  if(NOT TARGET fast_tests)
    add_custom_target(fast_tests)
  endif()
  if(NOT slow IN_LIST arg_LABEL AND NOT stat IN_LIST arg_LABEL)
    add_dependencies(fast_tests ${id})
  endif()
  gtest_discover_tests(${id} TEST_PREFIX "${arg_PREFIX}" PROPERTIES LABELS "${arg_LABEL}" TIMEOUT 900 DISCOVERY_TIMEOUT 60)
endfunction()
