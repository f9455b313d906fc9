# Tests that are not one executable per file.

# derivatives_sympy.inc is what sympy gives (skipped where there is no sympy)
find_program(PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(PYTHON3)
  set(table ${CMAKE_CURRENT_SOURCE_DIR}/unit/derivatives_sympy)
  add_test(NAME unit.derivatives_sympy COMMAND ${PYTHON3} ${table}.py ${table}.inc)
  set_tests_properties(unit.derivatives_sympy PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endif()

# the committed table of methods is what the table of methods gives
add_executable(method_pages ${PROJECT_SOURCE_DIR}/tools/method_pages.c)
target_link_libraries(method_pages PRIVATE rattle rattle_flags)
add_test(NAME docs.methods COMMAND sh -c "\"$1\" | diff - \"$2\"" sh $<TARGET_FILE:method_pages> ${PROJECT_SOURCE_DIR}/docs/methods/README.md)
