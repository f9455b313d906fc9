# Tests that are not one executable per file.

# derivatives_sympy.inc is what sympy gives (skipped where there is no sympy)
find_program(PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(PYTHON3)
  set(table ${CMAKE_CURRENT_SOURCE_DIR}/unit/derivatives_sympy)
  add_test(NAME unit.derivatives_sympy COMMAND ${PYTHON3} ${table}.py ${table}.inc)
  set_tests_properties(unit.derivatives_sympy PROPERTIES SKIP_RETURN_CODE 77 LABELS modules)
endif()

# dense matrices and those of numpy; a sanitized library cannot be loaded by a plain Python
if(PYTHON3 AND NOT RATTLE_SANITIZE AND NOT RATTLE_TSAN)
  add_test(NAME reference.dense COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/reference/dense.py $<TARGET_FILE:rattle_whole>)
  set_tests_properties(reference.dense PROPERTIES SKIP_RETURN_CODE 77)
endif()

# the mechanisms of bench/mechanisms_peers against minimal coordinates
if(PYTHON3 AND TARGET rattle_command)
  add_test(NAME reference.mechanisms COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/reference/mechanisms.py $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR})
  set_tests_properties(reference.mechanisms PROPERTIES SKIP_RETURN_CODE 77)
endif()

# the committed table of methods is what the table of methods gives
add_executable(method_pages ${PROJECT_SOURCE_DIR}/tools/method_pages.c)
target_link_libraries(method_pages PRIVATE rattle_whole)
add_test(NAME docs.methods COMMAND sh -c "\"$1\" | diff - \"$2\"" sh $<TARGET_FILE:method_pages> ${PROJECT_SOURCE_DIR}/docs/methods/README.md)
# so is the page of the guard, from the table of its rules, which is held against the sources
add_executable(guard_rules ${PROJECT_SOURCE_DIR}/tools/guard_rules.c)
target_include_directories(guard_rules PRIVATE ${PROJECT_SOURCE_DIR}/src)
add_test(NAME docs.guards COMMAND sh -c "\"$1\" \"$2\" | diff - \"$2\"" sh $<TARGET_FILE:guard_rules> ${PROJECT_SOURCE_DIR}/docs/guards.md)
add_test(NAME docs.speed COMMAND ${PROJECT_SOURCE_DIR}/tools/speed_table --check)
# the command, case by case
if(TARGET rattle_command)
  file(GLOB cases CONFIGURE_DEPENDS cli/cases/*.case)
  if(NOT RATTLE_HAS_QUAD)
    list(FILTER cases EXCLUDE REGEX /quad.case$)
  endif()
  foreach(case ${cases})
    get_filename_component(name ${case} NAME_WE)
    add_test(NAME cli.${name} COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/run_cases.py
      $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR} ${case})
  endforeach()
  foreach(test fail_test_cases_fail fail_test_exchanged fail_test_record_hostile)
    target_compile_definitions(${test} PRIVATE RATTLE_COMMAND="$<TARGET_FILE:rattle_command>")
    add_dependencies(${test} rattle_command)
  endforeach()
  add_test(NAME cli.help COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/check_help.py
    $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR})
  # run and check agree on the method when none is named
  add_test(NAME cli.default_method COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/check_default.py
    $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR})
  # figures, opened and examined
  add_test(NAME cli.figures COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/check_figures.py
    $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR})
  # a run followed: on a terminal, in a pipe, by HTTP
  add_test(NAME cli.sweeps COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/check_sweep.py
    $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR})
  # files of samples: killed, interrupted, damaged
  add_test(NAME cli.samples COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/check_sample.py
    $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR})
  add_test(NAME cli.watch COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/check_watch.py
    $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR})
  # what commands do for models ten times as large, counted below the C library's functions
  if(NOT RATTLE_SANITIZE AND NOT RATTLE_TSAN)
    add_library(cli_counts MODULE cli/counts.c)
    target_compile_options(cli_counts PRIVATE -fno-builtin -fvisibility=default) # it takes the place of functions
    target_link_libraries(cli_counts PRIVATE ${CMAKE_DL_LIBS})
    add_test(NAME cli.sizes COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/check_sizes.py
      $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR} $<TARGET_FILE:cli_counts>)
  endif()
  # an export, compiled, follows the library: a second opinion on each model
  file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.lua cli/models/nonseparable.lua cli/models/free.lua cli/models/pushed.lua)
  foreach(model ${models})
    get_filename_component(name ${model} NAME_WE)
    if(name MATCHES "^(guiding_centre|alkane|balanced_pole|polymer|governor|chaplygin|cylinder|disc|falling_disc|double_wishbone|gearbox|geneva|gimbal|rattleback|skate|slack_rope|slider_crank|snakeboard|stick_slip|turntable)$")
      continue() # the export's driver is RATTLE without constraints on velocities, which second-class constraints do without, by fixed-point iteration, which stiff dampers defeat; it writes no pair_potential and no angles that count turns, no controller and no switch
    endif()
    set(step 0.01)
    if(name STREQUAL "andrews") # in seconds, where others are in units of their own
      set(step 2e-5)
    elseif(name MATCHES "^(top|walking_linkage)$")
      set(step 1e-3)
    endif()
    set(options "")
    if(name STREQUAL "chain")
      set(options -P N=10)
    endif()
    add_test(NAME cli.export_${name} COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/cli/check_export.py
      $<TARGET_FILE:rattle_command> ${model} 1e-10 ${step} ${options})
  endforeach()
endif()

# parts of the command that are tested on their own
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/app/figures/plot/*.c)
target_sources(unit_test_plot PRIVATE ${sources} ${PROJECT_SOURCE_DIR}/app/words/text.c ${PROJECT_SOURCE_DIR}/app/words/error.c ${PROJECT_SOURCE_DIR}/app/base/text.c ${PROJECT_SOURCE_DIR}/app/base/files.c ${PROJECT_SOURCE_DIR}/app/base/output.c ${PROJECT_SOURCE_DIR}/app/base/balance.c ${PROJECT_SOURCE_DIR}/app/base/parts.c ${PROJECT_SOURCE_DIR}/app/base/units.c
  ${PROJECT_SOURCE_DIR}/app/base/json.c ${PROJECT_SOURCE_DIR}/app/words/json.c ${PROJECT_SOURCE_DIR}/app/many/markov/file.c ${PROJECT_SOURCE_DIR}/app/many/sweep/words.c
  ${PROJECT_SOURCE_DIR}/app/many/sweep/show.c)

# test_memory counts allocations
wraps(claims_test_memory malloc calloc realloc aligned_alloc free)

# a wrapper, a field and a solver more: their files and the table, compiled with their rows (tests/extra/method/methods.def)
file(GLOB sources CONFIGURE_DEPENDS extra/*.c)
add_executable(extra_test_rows ${sources} ${common_of_claims} ${PROJECT_SOURCE_DIR}/src/method/notation/table.c)
target_include_directories(extra_test_rows BEFORE PRIVATE extra ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(extra_test_rows PRIVATE rattle_static PkgConfig::CMOCKA)
add_test(NAME extra.test_rows COMMAND extra_test_rows)

# the installed library as a stranger would use it; a sanitized library asks for the sanitizers in the program too
if(TARGET rattle_command AND NOT RATTLE_SANITIZE AND NOT RATTLE_TSAN)
  add_test(NAME package COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/run ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER}
    ${CMAKE_GENERATOR})
  # the README, as it is printed, and the links of the installed pages
  add_test(NAME package.readme COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/package/check_readme.py ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR})
  # examples, headers and exported names, from a prefix in a home folder
  add_test(NAME package.c COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/package/check_c.py ${PROJECT_SOURCE_DIR}
    ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER} ${CMAKE_GENERATOR})
  set_tests_properties(package package.readme package.c PROPERTIES RESOURCE_LOCK install)
  # one version, in all that states one
  add_test(NAME package.version COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/version ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
  # the sizes of public structs, and where members are
  add_test(NAME package.layouts COMMAND ${RATTLE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/package/check_layouts.py ${PROJECT_SOURCE_DIR}
    ${CMAKE_C_COMPILER})
  # the declarations of the crate of Rust
  add_test(NAME package.rust COMMAND ${RATTLE_PYTHON} ${PROJECT_SOURCE_DIR}/bindings/rust/generate.py --check)
  add_test(NAME package.julia COMMAND ${RATTLE_PYTHON} ${PROJECT_SOURCE_DIR}/bindings/julia/generate.py --check)
  set_tests_properties(package.rust package.julia PROPERTIES SKIP_RETURN_CODE 77 LABELS modules)
  # parts, where the rest of what is needed is not there; the project inside another one
  add_test(NAME package.parts COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/parts ${PROJECT_SOURCE_DIR} ${CMAKE_C_COMPILER} ${CMAKE_GENERATOR})
  # without cmocka all but the tests is built
  add_test(NAME package.without_cmocka COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/without_cmocka ${PROJECT_SOURCE_DIR}
    ${CMAKE_C_COMPILER} ${CMAKE_GENERATOR})
  if(PYTHON3)
    add_test(NAME house COMMAND ${PYTHON3} ${PROJECT_SOURCE_DIR}/tools/house ${PROJECT_BINARY_DIR})
    add_test(NAME house.rules COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/house/rules.py)
    add_test(NAME house.guard_rules COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/house/guard_rules.py)
  endif()
endif()

# what readers of H5MD expect of a record, with h5py (skipped where there is none)
if(PYTHON3)
  add_test(NAME package.h5md COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/package/check_h5md.py $<TARGET_FILE:unit_test_record>)
  set_tests_properties(package.h5md PROPERTIES SKIP_RETURN_CODE 77 LABELS modules)
endif()

# records in the formats of other programs, by their definitions, and by those programs that are there
if(PYTHON3)
  add_test(NAME package.exports COMMAND ${PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/package/check_exports.py $<TARGET_FILE:rattle_command>)
endif()

# the examples in C, against the shared library as users have it
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/c/*.c)
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE rattle rattle_flags Threads::Threads m)
  add_test(NAME examples.c_${name} COMMAND example_${name})
endforeach()

# the page of `rattle report` in a browser (skipped where there is no node, chromium or report/node_modules)
find_program(NODE node)
if(NODE AND TARGET rattle_command AND NOT RATTLE_SANITIZE AND NOT RATTLE_TSAN)
  add_executable(report_odd_record report/odd_record.c)
  target_include_directories(report_odd_record PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(report_odd_record PRIVATE PkgConfig::CMOCKA)
  has_fakes(report_odd_record)
  file(GLOB pages CONFIGURE_DEPENDS report/test_*.mjs)
  foreach(page ${pages})
    get_filename_component(name ${page} NAME_WE)
    add_test(NAME report.${name} COMMAND ${NODE} ${page} $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR}
      $<TARGET_FILE:report_odd_record>)
    set_tests_properties(report.${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS modules)
  endforeach()
endif()
# the model in a page: the module in node against the command, pages in a browser, the npm package
if(NODE AND TARGET rattle_command AND RATTLE_LIVE_MODULE AND NOT RATTLE_SANITIZE AND NOT RATTLE_TSAN)
  get_filename_component(live ${RATTLE_LIVE_MODULE} ABSOLUTE BASE_DIR ${PROJECT_SOURCE_DIR})
  foreach(test bits page npm)
    add_test(NAME live.${test} COMMAND ${NODE} ${CMAKE_CURRENT_SOURCE_DIR}/live/${test}.mjs $<TARGET_FILE:rattle_command> ${PROJECT_SOURCE_DIR} ${live})
    set_tests_properties(live.${test} PROPERTIES SKIP_RETURN_CODE 77 LABELS modules)
  endforeach()
endif()
# the experiments of the literature: every claim of theirs must stand
file(GLOB sources ${PROJECT_SOURCE_DIR}/examples/papers/*.c)
add_executable(papers ${sources})
target_link_libraries(papers PRIVATE rattle rattle_flags m)
file(STRINGS ${PROJECT_SOURCE_DIR}/examples/papers/experiments.c names REGEX "^extern const paper_experiment paper_")
foreach(line ${names})
  string(REGEX REPLACE ".* paper_([a-z_0-9]+);" "\\1" name "${line}")
  add_test(NAME papers.${name} COMMAND papers ${name} ${CMAKE_CURRENT_BINARY_DIR}/figures)
endforeach()

# the room of reports is no part of the library
file(GLOB text ${PROJECT_SOURCE_DIR}/app/words/*.c)
target_sources(unit_test_text PRIVATE ${text})
target_sources(unit_test_fields PRIVATE ${text})
target_sources(unit_test_citations PRIVATE ${text})
if(TARGET unit_test_report)
  target_sources(unit_test_report PRIVATE ${RATTLE_REPORT_SOURCES})
endif()

# the clock of advice counts work
foreach(name test_study_advise test_study_adaptive test_study_verdicts)
  target_sources(unit_${name} PRIVATE study_clock.c)
  wraps(unit_${name} clock_gettime rattle_integrator_step rattle__integrator_advance)
endforeach()

# test_visits counts work
wraps(unit_test_visits rattle__walk_begin rattle__walk_all malloc calloc mmap strcmp)
wraps(unit_test_omitted rattle__dirac_create)

# test_record_wide counts what is written together
wraps(unit_test_record_wide H5Fflush H5Dwrite)

# test_evaluators counts calls of fused kernels
wraps(unit_test_evaluators rattle__native_symbol)

# test_no_memory lets allocations fail
target_sources(fail_test_no_memory PRIVATE fail/failing.c)
wraps(fail_test_no_memory malloc calloc realloc aligned_alloc free strdup strndup)

# tools/test leaves out what takes more than ten seconds, and the exports, which are many; .ci/run has all
get_property(all DIRECTORY PROPERTY TESTS)
foreach(test ${all})
  if(test MATCHES "^(claims[.]test_(claims_.|guards|guards_steps|purity|sabotage|memory)|unit[.]test_(evaluators_.|lanes|second_class)|reference[.]test_reference|cli[.](export_.*|sizes))$")
    set_property(TEST ${test} APPEND PROPERTY LABELS long)
  endif()
  # statistics of many draws, the same commands for many models, pictures, thousands of hinges: sanitizers see the same in other tests
  if(test MATCHES "^(unit[.]test_(sample|metric|fits|many_hinges)|papers[.]mechanism_energy|cli[.](default_method|export_.*|figures|plugin))$")
    set_property(TEST ${test} APPEND PROPERTY LABELS release)
  endif()
endforeach()

# Tests that wait for the compiler most of their time have one that takes less: without contraction -O1 makes the bits of -O2, which
# claims.test_claims and claims.test_lanes_of_methods have. What is compiled at run time has no sanitizers: with them all tests have -O0.
find_program(RATTLE_COMPILER_OF_PATH cc)
set(quick ${CMAKE_CURRENT_BINARY_DIR}/quick)
set(takes -O1)
set(waiting "^unit[.]test_(evaluators_.|lanes|lanes_emitted)$")
if(RATTLE_SANITIZE)
  set(takes -O0)
  set(waiting ".")
endif()
if(RATTLE_COMPILER_OF_PATH)
  file(CONFIGURE OUTPUT ${quick}/cc CONTENT "#!/bin/sh\nexec @RATTLE_COMPILER_OF_PATH@ \"$@\" @takes@\n" @ONLY)
  file(CHMOD ${quick}/cc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  foreach(test ${all})
    if(test MATCHES "${waiting}")
      set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "PATH=${quick}:$ENV{PATH}")
    endif()
  endforeach()
endif()
