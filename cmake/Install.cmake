# SPDX-License-Identifier: MIT
# What `make install` puts where. The man page and the completions are made by the program itself, from the
# flag tables it parses with; the .pc files and the CMake package find their prefix from their own place, so that
# the tree may be installed with any prefix and moved afterwards.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(UNA_MADE ${PROJECT_BINARY_DIR}/una.1)
if(TARGET una_program)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/una.1
    COMMAND una_program --dump-man > ${PROJECT_BINARY_DIR}/una.1
    DEPENDS una_program VERBATIM)
  foreach(shell bash zsh fish)
    set(file ${PROJECT_BINARY_DIR}/completions/una.${shell})
    add_custom_command(OUTPUT ${file}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/completions
      COMMAND una_program --dump-completion ${shell} > ${file}
      DEPENDS una_program VERBATIM)
    list(APPEND UNA_MADE ${file})
  endforeach()
  add_custom_target(una_papers ALL DEPENDS ${UNA_MADE})
  install(TARGETS una_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_BINARY_DIR}/una.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${PROJECT_BINARY_DIR}/completions/una.bash RENAME una
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completions/una.zsh RENAME _una
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/completions/una.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

foreach(name una una_report una_study una_bench una_mpi)
  if(NOT TARGET ${name}_static)
    continue()
  endif()
  set(namelink "")
  if(name STREQUAL "una_bench")
    set(namelink NAMELINK_SKIP)
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/include/${name}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS ${name}_static ${name}_shared
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ${namelink})
endforeach()
# Studies were a part of una_bench: whoever names it alone to the linker finds them in the library that it brings along.
if(TARGET una_bench_static)
  file(WRITE ${PROJECT_BINARY_DIR}/bench.ld
       "/* GNU ld script */\nINPUT(libuna_bench.so.${PROJECT_VERSION_MAJOR} AS_NEEDED(-luna_study))\n")
  install(FILES ${PROJECT_BINARY_DIR}/bench.ld DESTINATION ${CMAKE_INSTALL_LIBDIR} RENAME libuna_bench.so)
endif()

# From <libdir>/pkgconfig and <libdir>/cmake/una back to the prefix.
file(RELATIVE_PATH UNA_UP_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
file(RELATIVE_PATH UNA_UP_FROM_CMAKE /prefix/${CMAKE_INSTALL_LIBDIR}/cmake/una /prefix)

# una_pc(NAME DESCRIPTION REQUIRES PRIVATE): REQUIRES comes along always, PRIVATE only with --static. (pkg-config hands on
# the compiler flags of both, so what brings paths of its own is never required by una.pc.)
function(una_pc name description requires private)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/${name}.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@UNA_UP_FROM_PC@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Requires: @requires@
Requires.private: @private@
Cflags: -I${includedir}
Libs: -L${libdir} -l@name@
Libs.private: -lpthread -lm -ldl@UNA_PC_LIBS@
]])
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
set(UNA_PC_LIBS "")
una_pc(una "Regression that knows what it does not know" "" "jansson zlib")
if(TARGET una_report_static)
  una_pc(una_report "Pages and charts of una's models" "una = ${PROJECT_VERSION}" "zlib")
endif()
if(TARGET una_study_static)
  una_pc(una_study "Studies, suggestions and comparisons with una's models" "una = ${PROJECT_VERSION}"
         "una_report = ${PROJECT_VERSION} sqlite3")
endif()
set(UNA_CMAKE_MORE "")
if(TARGET una_libsvm)
  string(APPEND UNA_PC_LIBS " -lsvm")
  string(APPEND UNA_CMAKE_MORE " svm")
endif()
if(TARGET una_libcurl)
  string(APPEND UNA_PC_LIBS " -lcurl")
  string(APPEND UNA_CMAKE_MORE " curl")
endif()
if(TARGET una_bench_static)
  una_pc(una_bench "Experiments with una's models" "una_study = ${PROJECT_VERSION} una = ${PROJECT_VERSION}"
         "una_report = ${PROJECT_VERSION} libmd")
endif()
if(TARGET una_mpi_static)
  string(REPLACE ";" " " UNA_PC_LIBS " ${MPI_C_LIBRARIES}")
  una_pc(una_mpi "Several processes of una together" "una = ${PROJECT_VERSION}" "")
endif()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/unaConfig.cmake @ONLY CONTENT [[
# find_package(una) gives una::una, una::report, una::study, una::bench and una::mpi (shared), those of them that were
# built; find_package(una COMPONENTS static) also una::static, una::report_static and so on. COMPONENTS may also name
# report, study, bench and mpi: what was not built is then not found.
get_filename_component(_una_prefix "${CMAKE_CURRENT_LIST_DIR}/@UNA_UP_FROM_CMAKE@" ABSOLUTE)
function(_una_add target type file)
  if(TARGET una::${target})
    return()
  endif()
  add_library(una::${target} ${type} IMPORTED)
  set_target_properties(una::${target} PROPERTIES
    IMPORTED_LOCATION "${_una_prefix}/@CMAKE_INSTALL_LIBDIR@/${file}"
    INTERFACE_INCLUDE_DIRECTORIES "${_una_prefix}/@CMAKE_INSTALL_INCLUDEDIR@"
    INTERFACE_LINK_LIBRARIES "${ARGN}")
endfunction()
_una_add(una SHARED libuna${CMAKE_SHARED_LIBRARY_SUFFIX})
set(_una_report "@UNA_REPORT@")
set(_una_study "@UNA_STUDY@")
set(_una_bench "@UNA_BENCH@")
set(_una_mpi "@MPI_C_FOUND@")
if(_una_report)
  _una_add(report SHARED libuna_report${CMAKE_SHARED_LIBRARY_SUFFIX} una::una)
endif()
if(_una_study)
  _una_add(study SHARED libuna_study${CMAKE_SHARED_LIBRARY_SUFFIX} una::una)
endif()
if(_una_bench)
  _una_add(bench SHARED libuna_bench${CMAKE_SHARED_LIBRARY_SUFFIX}.@PROJECT_VERSION_MAJOR@ una::study una::una)
endif()
if(_una_mpi)
  _una_add(mpi SHARED libuna_mpi${CMAKE_SHARED_LIBRARY_SUFFIX} una::una)
endif()
if("static" IN_LIST una_FIND_COMPONENTS)
  include(CMakeFindDependencyMacro)
  find_dependency(PkgConfig)
  find_dependency(Threads)
  find_dependency(ZLIB)
  pkg_check_modules(UNA_JANSSON REQUIRED IMPORTED_TARGET jansson)
  pkg_check_modules(UNA_SQLITE IMPORTED_TARGET sqlite3)
  pkg_check_modules(UNA_MD IMPORTED_TARGET libmd)
  _una_add(static STATIC libuna.a PkgConfig::UNA_JANSSON ZLIB::ZLIB Threads::Threads ${CMAKE_DL_LIBS} m)
  if(_una_report)
    _una_add(report_static STATIC libuna_report.a una::static ZLIB::ZLIB)
  endif()
  if(_una_study AND UNA_SQLITE_FOUND)
    _una_add(study_static STATIC libuna_study.a una::report_static PkgConfig::UNA_SQLITE)
  endif()
  if(_una_bench AND UNA_SQLITE_FOUND AND UNA_MD_FOUND)
    _una_add(bench_static STATIC libuna_bench.a una::study_static una::report_static PkgConfig::UNA_MD@UNA_CMAKE_MORE@)
  endif()
  if(_una_mpi)
    find_package(MPI QUIET COMPONENTS C)
  endif()
  if(MPI_C_FOUND)
    _una_add(mpi_static STATIC libuna_mpi.a una::static MPI::MPI_C)
  endif()
endif()
unset(_una_report)
unset(_una_study)
unset(_una_bench)
unset(_una_mpi)
unset(_una_prefix)
# What was not built, or has a name that una does not know, is not found; with static also what has no archive that can
# be linked.
foreach(_una_part una static report study bench mpi)
  set(una_${_una_part}_FOUND FALSE)
  if(TARGET una::${_una_part})
    set(una_${_una_part}_FOUND TRUE)
  endif()
  if("static" IN_LIST una_FIND_COMPONENTS AND NOT _una_part MATCHES "^(una|static)$" AND
     NOT TARGET una::${_una_part}_static)
    set(una_${_una_part}_FOUND FALSE)
  endif()
endforeach()
foreach(_una_part ${una_FIND_COMPONENTS})
  if(una_FIND_REQUIRED_${_una_part} AND NOT una_${_una_part}_FOUND)
    set(una_FOUND FALSE)
    set(una_NOT_FOUND_MESSAGE
        "una has no component '${_una_part}' here; it may have: una static report study bench mpi")
  endif()
endforeach()
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/unaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/unaConfig.cmake ${PROJECT_BINARY_DIR}/unaConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/una)
