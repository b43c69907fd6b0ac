# Run by consentry_embed() at build time; see EmbedFiles.cmake.
set(arrays "")
set(entries "")
set(index 0)
foreach(file IN LISTS FILES)
  get_filename_component(base ${file} NAME)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" escaped "${bytes}")
  # Broken into short literals: no compiler's limit on one literal is met.
  string(REGEX REPLACE "((\\\\x[0-9a-f][0-9a-f])(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?(\\\\x[0-9a-f][0-9a-f])?)" "\"\\1\"\n" lines "${escaped}")
  string(APPEND arrays "constexpr char file_${index}[] =\n${lines}\"\";\n")
  string(APPEND entries "    {\"${base}\", {file_${index}, sizeof(file_${index}) - 1}},\n")
  math(EXPR index "${index} + 1")
endforeach()
# std::array: a folder may still be empty.
file(WRITE ${OUTPUT} "#include \"base/embedded.hpp\"
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
#include <array>
namespace ${NAMESPACE} {
namespace {
${arrays}
constexpr std::array<consentry::EmbeddedFile, ${index}> files{{
${entries}}};
}  // namespace
std::span<const consentry::EmbeddedFile> ${NAME}();
std::span<const consentry::EmbeddedFile> ${NAME}() { return files; }
}  // namespace ${NAMESPACE}
")
