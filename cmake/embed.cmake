# Turns examples/*.lua into a C file with one byte array each, for `rattle new`.
#   as an include: rattle_embed_examples(target) adds the generated file to the target
#   as a script:   cmake -DEMBED_OUTPUT=file.c -DEMBED_FOLDER=examples -P embed.cmake
if(CMAKE_SCRIPT_MODE_FILE)
  file(GLOB models ${EMBED_FOLDER}/*.lua)
  list(SORT models)
  set(arrays "")
  set(rows "")
  set(count 0)
  foreach(model ${models})
    get_filename_component(name ${model} NAME_WE)
    file(READ ${model} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(REGEX REPLACE "(0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],)" "\\1\n" bytes "${bytes}")
    string(APPEND arrays "static const unsigned char text_${count}[] = {\n${bytes}0};\n")
    string(APPEND rows "  {\"${name}\", (const char *)text_${count}},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(WRITE ${EMBED_OUTPUT} "/* Generated from examples/ by cmake/embed.cmake. */\n#include \"cli/examples.h\"\n\n${arrays}\n"
    "const cli_example cli_examples[] = {\n${rows}  {0, 0}};\nconst int cli_example_count = ${count};\n")
  return()
endif()

set(RATTLE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(rattle_embed_examples target)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/examples.c)
  file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.lua)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DEMBED_OUTPUT=${output} -DEMBED_FOLDER=${PROJECT_SOURCE_DIR}/examples -P ${RATTLE_EMBED_SCRIPT}
    DEPENDS ${models} ${RATTLE_EMBED_SCRIPT} VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
