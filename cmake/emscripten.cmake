# Toolchain: WebAssembly by Debian's emscripten (tools/setup wasm). Objects are compiled by the clang that emcc would call, with the flags
# that emcc names, which saves its start for each file and lets ccache work; emcc links.
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/emscripten.cmake ...
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(EMSCRIPTEN ON)
find_program(RATTLE_EMCC emcc REQUIRED)
execute_process(COMMAND ${RATTLE_EMCC} --cflags OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
# clang of the major version that emscripten of Debian depends on
execute_process(COMMAND sh -c "dpkg-query -W -f '\${Depends}' emscripten | grep -o 'clang-[0-9]*' | head -n 1" OUTPUT_VARIABLE clang OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT clang)
  set(clang clang)
endif()
find_program(RATTLE_CLANG ${clang} REQUIRED)
string(REPLACE "clang" "llvm-ar" archiver ${clang})
find_program(RATTLE_LLVM_AR NAMES ${archiver} llvm-ar REQUIRED)
set(CMAKE_C_COMPILER ${RATTLE_CLANG})
set(CMAKE_C_COMPILER_TARGET wasm32-unknown-emscripten)
set(CMAKE_AR ${RATTLE_LLVM_AR})
set(CMAKE_C_FLAGS_INIT "${flags}")
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_EXECUTABLE_SUFFIX_C .js)
# emcc minifies by node's package acorn
set(CMAKE_C_LINK_EXECUTABLE "${CMAKE_COMMAND} -E env NODE_PATH=/usr/share/nodejs ${RATTLE_EMCC} <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
foreach(kind PROGRAM LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} NEVER)
endforeach()
