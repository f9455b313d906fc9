# librattle in WebAssembly: the engine and model files, without records, machine code, bonds and robots, in one module with the functions of
# wasm/shim.c. Only with the toolchain of cmake/emscripten.cmake; tools/wasm builds it.
#   rattle_wasm   rattle_wasm.js and rattle_wasm.wasm
set(RATTLE_WASM_SOURCES ${PROJECT_BINARY_DIR}/sources CACHE PATH "sources of Lua and SuiteSparse (tools/wasm_sources)")
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/wasm_sources ${RATTLE_WASM_SOURCES} COMMAND_ERROR_IS_FATAL ANY)

# what is not ours, as it is
file(GLOB lua ${RATTLE_WASM_SOURCES}/lua/src/l*.c)
list(FILTER lua EXCLUDE REGEX "/(lua|luac)\\.c$")
set(suitesparse ${RATTLE_WASM_SOURCES}/suitesparse)
set(theirs ${lua} ${suitesparse}/SuiteSparse_config/SuiteSparse_config.c)
set(RATTLE_WASM_INCLUDE ${RATTLE_WASM_SOURCES}/lua/src ${suitesparse}/SuiteSparse_config)
foreach(part KLU BTF COLAMD AMD CAMD LDL)
  file(GLOB sources ${suitesparse}/${part}/Source/*.c)
  list(APPEND theirs ${sources})
  list(APPEND RATTLE_WASM_INCLUDE ${suitesparse}/${part}/Include)
endforeach()
add_library(rattle_wasm_theirs OBJECT ${theirs})
# Debian's Lua asks its build for the folder of modules in C, of which there are none
file(WRITE ${PROJECT_BINARY_DIR}/generated/lua5.4-deb-multiarch.h "#define DEB_HOST_MULTIARCH \"wasm32\"\n")
list(APPEND RATTLE_WASM_INCLUDE ${PROJECT_BINARY_DIR}/generated)
target_include_directories(rattle_wasm_theirs PRIVATE ${RATTLE_WASM_INCLUDE})
target_compile_definitions(rattle_wasm_theirs PRIVATE NDEBUG NPRINT NTIMER)
target_compile_options(rattle_wasm_theirs PRIVATE -O2 -w -ffp-contract=off "SHELL:-include stdio.h") # camd_2.c

# steps and what they call are made fast, all else small
list(APPEND RATTLE_ENGINE_SOURCES ${RATTLE_KERNEL_TEXT})
list(APPEND RATTLE_IO_SOURCES ${RATTLE_MODULES_TEXT})
set(ours ${RATTLE_BONDS_SOURCES} ${RATTLE_ENGINE_SOURCES} ${RATTLE_IO_SOURCES})
list(FILTER ours EXCLUDE REGEX "/src/(bonds|record|examine/(study|verify)|runs/(ensemble|orbit|statics|fit|certify))/")
set(fast ${ours})
list(FILTER fast INCLUDE REGEX "/src/(ground/(expr/(block|elements|families|jet|jet_rules|row|rows|program|tape|quadratic)|linear/|pairs/)|constraint/(step|links|equation|solve)/|maps/natural/[a-z_]*\\.c)")
set_source_files_properties(${fast} PROPERTIES COMPILE_OPTIONS -O2)
file(GLOB page ${PROJECT_SOURCE_DIR}/app/pages/report/*.c ${PROJECT_SOURCE_DIR}/app/words/*.c ${PROJECT_SOURCE_DIR}/app/base/steps.c)
file(GLOB shim ${PROJECT_SOURCE_DIR}/wasm/*.c)
add_executable(rattle_wasm ${ours} ${page} ${shim} $<TARGET_OBJECTS:rattle_wasm_theirs>)
target_include_directories(rattle_wasm PRIVATE include src app ${RATTLE_WASM_INCLUDE})
target_compile_definitions(rattle_wasm PRIVATE RATTLE_VERSION="${PROJECT_VERSION}" RATTLE_BUILD_TYPE="wasm" NDEBUG)
target_compile_options(rattle_wasm PRIVATE -Os -msimd128 -Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow -ffp-contract=off)
if(RATTLE_WERROR)
  target_compile_options(rattle_wasm PRIVATE -Werror)
endif()
# the stack stands below all data: one that is full is a trap, not other data
target_link_options(rattle_wasm PRIVATE -O2 --no-entry -Wl,--stack-first -sMODULARIZE=1 -sEXPORT_NAME=rattleModule -sENVIRONMENT=worker -sFILESYSTEM=0
  -sDYNAMIC_EXECUTION=0 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=512MB -sTOTAL_STACK=1MB -sEXIT_RUNTIME=0
  -sEXPORTED_RUNTIME_METHODS=UTF8ToString,stringToUTF8,lengthBytesUTF8 -sEXPORTED_FUNCTIONS=_malloc,_free)
