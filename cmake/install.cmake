# What `cmake --install` gives: the libraries, their headers, the command, pkg-config and CMake package files, the manual page,
# completions, the examples, and the documentation.
include(CMakePackageConfigHelpers)

set_target_properties(rattle_engine rattle_io rattle_record PROPERTIES INSTALL_RPATH "$ORIGIN") # all libraries are in the same folder
install(TARGETS rattle_engine EXPORT rattleTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS rattle_record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
install(TARGETS rattle_bonds rattle_io rattle EXPORT rattleTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# what -lrattle finds: librattle, and the others where they are needed
configure_file(cmake/librattle.so.in ${PROJECT_BINARY_DIR}/installed/librattle.so @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/installed/librattle.so DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/rattle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
if(TARGET rattle_command)
  # the command finds the library relative to itself, also if the prefix is moved
  file(RELATIVE_PATH RATTLE_BIN_TO_LIB ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(rattle_command PROPERTIES INSTALL_RPATH "$ORIGIN/${RATTLE_BIN_TO_LIB}")
  install(TARGETS rattle_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

set(RATTLE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/rattle)
install(EXPORT rattleTargets NAMESPACE rattle:: DESTINATION ${RATTLE_CMAKE_DIR})
configure_package_config_file(cmake/rattleConfig.cmake.in ${PROJECT_BINARY_DIR}/rattleConfig.cmake
  INSTALL_DESTINATION ${RATTLE_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rattleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rattleConfig.cmake ${PROJECT_BINARY_DIR}/rattleConfigVersion.cmake
  DESTINATION ${RATTLE_CMAKE_DIR})

# paths relative to the file itself, so that the prefix may be moved
file(RELATIVE_PATH RATTLE_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name rattle rattle-engine rattle-bonds)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

file(GLOB RATTLE_MAN_PAGES CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${RATTLE_MAN_PAGES} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/rattle.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rattle)
install(FILES completions/_rattle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/rattle.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rattle/examples FILES_MATCHING PATTERN "*.lua" PATTERN "*.c"
  PATTERN "*.cpp" PATTERN "CMakeLists.txt" PATTERN "*.md" PATTERN "*.ipynb" PATTERN "*.py")
# the pages with README's layout, so that their links lead somewhere: headers and examples by symbolic links
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN man EXCLUDE PATTERN site EXCLUDE)
set(linked_include ${CMAKE_INSTALL_FULL_INCLUDEDIR})
set(linked_examples ${CMAKE_INSTALL_FULL_DATADIR}/rattle/examples)
foreach(name include examples)
  file(RELATIVE_PATH target ${CMAKE_INSTALL_FULL_DOCDIR} ${linked_${name}})
  file(CREATE_LINK ${target} ${PROJECT_BINARY_DIR}/installed/${name} SYMBOLIC)
  install(FILES ${PROJECT_BINARY_DIR}/installed/${name} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endforeach()
