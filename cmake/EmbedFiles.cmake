# consentry_embed(TARGET target NAMESPACE ns NAME name FILES a b c)
#
# Makes the files part of the program: the target gets a source that defines, in namespace ns,
#   std::span<const EmbeddedFile> name()
# (declared in src/base/embedded.hpp), in the order given, each with its file name and its bytes.
function(consentry_embed)
  cmake_parse_arguments(EMBED "" "TARGET;NAMESPACE;NAME" "FILES" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded_${EMBED_NAME}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${EMBED_NAMESPACE} -DNAME=${EMBED_NAME}
            "-DFILES=${EMBED_FILES}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${EMBED_FILES} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${EMBED_TARGET} PRIVATE ${output})
endfunction()
