# Writes a C++ file with the text of every file in FOLDER.
file(GLOB files RELATIVE ${FOLDER} ${FOLDER}/*)
set(text "// Made by CMake from the page's files.\n#include \"tools/inspector/page/page.h\"\n\nnamespace simulacra::inspector {\n\nstd::span<const PageFile> page_files() {\n  static constexpr PageFile kFiles[] = {\n")
foreach(file IN LISTS files)
  file(READ ${FOLDER}/${file} content)
  # A string literal may be at most 64 KB long in some compilers, and holds no delimiter of its own.
  string(APPEND text "    {\"${file}\", R\"simulacra(${content})simulacra\"},\n")
endforeach()
string(APPEND text "  };\n  return kFiles;\n}\n\n}  // namespace simulacra::inspector\n")
file(WRITE ${OUT} "${text}")
