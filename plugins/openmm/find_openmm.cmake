# OPENMM_INCLUDE, OPENMM_LIBRARY and OPENMM_VERSION of the OpenMM that `python`, the Python of RATTLE_OPENMM_PYTHON, imports: those beside it, where
# they are there, as in its wheel; else those that CMake finds, if they are of the same version. Another OpenMM is an error.
set(RATTLE_OPENMM_PYTHON "" CACHE STRING "the Python whose OpenMM the plug-in is for; OFF: none; empty: python3")
set(python ${RATTLE_OPENMM_PYTHON})
if(python STREQUAL "OFF")
  set(python "")
elseif(NOT python)
  find_program(RATTLE_PYTHON python3)
  foreach(candidate RATTLE_PYTHON_INTERPRETER RATTLE_PYTHON)
    if(NOT python AND ${candidate})
      set(python ${${candidate}})
    endif()
  endforeach()
endif()

set(imported "")
set(beside "")
if(python)
  execute_process(COMMAND ${python} -c "import openmm; print(openmm.Platform.getOpenMMVersion(), openmm.version.openmm_library_path, sep=';')"
    OUTPUT_VARIABLE answer ERROR_VARIABLE said RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    list(GET answer 0 imported)
    list(GET answer 1 beside)
  elseif(RATTLE_OPENMM_PYTHON)
    message(FATAL_ERROR "${python} cannot import openmm: install it there (pip install openmm), or give another Python as RATTLE_OPENMM_PYTHON.\n${said}")
  endif()
endif()

if(beside AND EXISTS ${beside}/../include/openmm/reference/ReferencePlatform.h)
  get_filename_component(OPENMM_INCLUDE ${beside}/../include REALPATH)
  set(OPENMM_LIBRARY ${beside}/libOpenMM.so)
else()
  find_path(RATTLE_OPENMM_INCLUDE openmm/reference/ReferencePlatform.h REQUIRED)
  find_library(RATTLE_OPENMM_LIBRARY OpenMM REQUIRED)
  set(OPENMM_INCLUDE ${RATTLE_OPENMM_INCLUDE})
  set(OPENMM_LIBRARY ${RATTLE_OPENMM_LIBRARY})
endif()

# the library is asked; that it links and runs says that its C++ is the compiler's
file(WRITE ${PROJECT_BINARY_DIR}/version.cpp
  "#include <cstdio>\n#include \"openmm/Platform.h\"\nint main() { std::puts(OpenMM::Platform::getOpenMMVersion().c_str()); }\n")
try_run(ran compiled ${PROJECT_BINARY_DIR}/asked ${PROJECT_BINARY_DIR}/version.cpp CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${OPENMM_INCLUDE}"
  LINK_LIBRARIES ${OPENMM_LIBRARY} COMPILE_OUTPUT_VARIABLE said RUN_OUTPUT_VARIABLE OPENMM_VERSION)
if(NOT compiled OR NOT ran EQUAL 0)
  message(FATAL_ERROR "a program with the headers of OpenMM in ${OPENMM_INCLUDE} and ${OPENMM_LIBRARY} does not build or run:\n${said}")
endif()
string(STRIP "${OPENMM_VERSION}" OPENMM_VERSION)
if(imported AND NOT imported STREQUAL OPENMM_VERSION)
  message(FATAL_ERROR "${python} imports OpenMM ${imported}, and ${OPENMM_LIBRARY} is OpenMM ${OPENMM_VERSION}: give the Python that has "
    "this OpenMM as RATTLE_OPENMM_PYTHON, or OFF for programs without Python")
endif()
message(STATUS "rattle_openmm: for OpenMM ${OPENMM_VERSION}, ${OPENMM_LIBRARY}")
