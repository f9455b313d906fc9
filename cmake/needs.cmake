# What each part needs of the system, in the order of the parts: RATTLE_PARTS takes the first, the first two, or all.
#   bonds    the C library
#   engine   SuiteSparse; libquadmath where there is one and long double does not do
#   all      Lua and HDF5, which pkg-config finds
set(RATTLE_BUILT bonds)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

set(RATTLE_BONDS_LIBRARIES Threads::Threads m)

if(RATTLE_PARTS STREQUAL bonds)
  message(STATUS "librattle: librattle_bonds alone (RATTLE_PARTS=bonds); not librattle, models, records, the command, tests")
  return()
elseif(NOT RATTLE_PARTS MATCHES "^(engine|all)$")
  message(FATAL_ERROR "RATTLE_PARTS is '${RATTLE_PARTS}': expected bonds, engine or all")
endif()

list(APPEND RATTLE_BUILT engine)
# Debian ships no pkg-config files for SuiteSparse
find_path(SUITESPARSE_INCLUDE klu.h PATH_SUFFIXES suitesparse)
foreach(part klu btf colamd ldl amd camd suitesparseconfig)
  find_library(SUITESPARSE_${part} ${part})
  list(APPEND SUITESPARSE_LIBRARIES ${SUITESPARSE_${part}})
endforeach()
if(NOT SUITESPARSE_INCLUDE OR SUITESPARSE_LIBRARIES MATCHES NOTFOUND)
  message(FATAL_ERROR "librattle needs SuiteSparse (Debian: libsuitesparse-dev); bonds alone, by -DRATTLE_PARTS=bonds, do not")
endif()

# numbers of 113 bits for the methods that say `quad`: long double where it has them, as on aarch64; else libquadmath, which clang finds where gcc is
option(RATTLE_QUAD "numbers of 113 bits, where there are any" ON)
if(RATTLE_QUAD)
  check_c_source_compiles("#include <float.h>
    #if LDBL_MANT_DIG != 113
    #error
    #endif
    int main(void) { return 0; }" RATTLE_LONG_DOUBLE_IS_QUAD)
endif()
if(RATTLE_QUAD AND NOT RATTLE_LONG_DOUBLE_IS_QUAD)
  set(CMAKE_REQUIRED_LIBRARIES quadmath m)
  check_c_source_compiles("__float128 sinq(__float128);
    int main(void) { volatile __float128 x = 2; return sinq(x) > 1; }" RATTLE_HAS_QUADMATH)
  unset(CMAKE_REQUIRED_LIBRARIES)
  if(RATTLE_HAS_QUADMATH)
    set(QUADMATH_LIBRARIES quadmath)
  endif()
endif()
set(RATTLE_HAS_QUAD OFF)
if(RATTLE_QUAD AND (RATTLE_LONG_DOUBLE_IS_QUAD OR RATTLE_HAS_QUADMATH))
  set(RATTLE_HAS_QUAD ON)
  add_compile_definitions(RATTLE_QUAD)
endif()
set(RATTLE_ENGINE_LIBRARIES ${SUITESPARSE_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS} ${QUADMATH_LIBRARIES} m)

if(RATTLE_PARTS STREQUAL engine)
  message(STATUS "librattle: librattle_bonds and librattle (RATTLE_PARTS=engine); not models in Lua, records, the command, tests")
  return()
endif()

list(APPEND RATTLE_BUILT io record)
set(instead "or integrate without models in Lua and records: -DRATTLE_PARTS=engine")
find_package(PkgConfig)
if(NOT PkgConfig_FOUND)
  message(FATAL_ERROR "librattle finds Lua and HDF5 by pkg-config, which is missing: install it (Debian: pkgconf), ${instead}")
endif()
# Debian's names first; the others are those of Fedora and Arch, which CI does not try
pkg_search_module(LUA IMPORTED_TARGET lua5.4 lua-5.4 lua54 lua>=5.4)
pkg_search_module(HDF5 IMPORTED_TARGET hdf5-serial hdf5)
if(RATTLE_ROBOTS)
  pkg_search_module(EXPAT IMPORTED_TARGET expat)
  if(NOT EXPAT_FOUND)
    message(FATAL_ERROR "librattle reads robots in XML by expat (Debian: libexpat1-dev): install it, or leave them out by -DRATTLE_ROBOTS=OFF, ${instead}")
  endif()
  set(EXPAT_LIBRARY PkgConfig::EXPAT)
endif()
if(NOT LUA_FOUND OR NOT HDF5_FOUND)
  message(FATAL_ERROR "librattle needs Lua 5.4 and HDF5 (Debian: liblua5.4-dev libhdf5-dev), ${instead}")
endif()
if(NOT LUA_VERSION VERSION_LESS 5.5)
  message(FATAL_ERROR "Lua ${LUA_VERSION} was found; librattle needs Lua 5.4, ${instead}")
endif()
set(RATTLE_IO_LIBRARIES PkgConfig::LUA ${EXPAT_LIBRARY} Threads::Threads ${CMAKE_DL_LIBS} m)
set(RATTLE_RECORD_LIBRARIES PkgConfig::HDF5 Threads::Threads m)
