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

set(UNA_LIBRARIES una una_report una_bench)
if(TARGET una_mpi_static)
  list(APPEND UNA_LIBRARIES una_mpi)
endif()
foreach(name ${UNA_LIBRARIES})
  install(FILES ${PROJECT_SOURCE_DIR}/include/${name}.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(TARGETS ${name}_static ${name}_shared
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/include/una_study.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})    # of una_bench

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
Libs.private: -lpthread -lm@UNA_PC_LIBS@
]])
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
if(TARGET una_dnnl)
  set(UNA_PC_LIBS " -ldnnl -lgomp")
  set(UNA_CMAKE_DNNL " dnnl gomp")
endif()
una_pc(una "Regression that knows what it does not know" "" "jansson zlib")
set(UNA_PC_LIBS "")
una_pc(una_report "Pages and charts of una's models" "una = ${PROJECT_VERSION}" "cairo")
# libpq by name: what its own file asks of static linking (the server's archives) is not installed with it.
set(UNA_PC_LIBS " -lpq")
if(TARGET una_libsvm)
  set(UNA_PC_LIBS " -lpq -lsvm")
  set(UNA_CMAKE_MORE " svm")
endif()
if(TARGET una_libcurl)
  string(APPEND UNA_PC_LIBS " -lcurl")
  string(APPEND UNA_CMAKE_MORE " curl")
endif()
una_pc(una_bench "Experiments with una's models" "una = ${PROJECT_VERSION}" "una_report = ${PROJECT_VERSION} sqlite3 libmd")
if(TARGET una_mpi_static)
  string(REPLACE ";" " " UNA_PC_LIBS " ${MPI_C_LIBRARIES}")
  una_pc(una_mpi "Several processes of una together" "una = ${PROJECT_VERSION}" "")
endif()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/unaConfig.cmake @ONLY CONTENT [[
# find_package(una) gives una::una, una::report and una::bench (shared), and una::mpi where it was built;
# find_package(una COMPONENTS static) also una::static, una::report_static, una::bench_static and una::mpi_static.
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
_una_add(report SHARED libuna_report${CMAKE_SHARED_LIBRARY_SUFFIX} una::una)
_una_add(bench SHARED libuna_bench${CMAKE_SHARED_LIBRARY_SUFFIX} una::una)
set(_una_mpi "@MPI_C_FOUND@")
if(_una_mpi)
  _una_add(mpi SHARED libuna_mpi${CMAKE_SHARED_LIBRARY_SUFFIX} una::una)
endif()
if("static" IN_LIST una_FIND_COMPONENTS)
  include(CMakeFindDependencyMacro)
  find_dependency(PkgConfig)
  find_dependency(Threads)
  find_dependency(ZLIB)
  pkg_check_modules(UNA_JANSSON REQUIRED IMPORTED_TARGET jansson)
  pkg_check_modules(UNA_CAIRO IMPORTED_TARGET cairo)
  pkg_check_modules(UNA_SQLITE IMPORTED_TARGET sqlite3)
  pkg_check_modules(UNA_PQ IMPORTED_TARGET libpq)
  pkg_check_modules(UNA_MD IMPORTED_TARGET libmd)
  _una_add(static STATIC libuna.a PkgConfig::UNA_JANSSON ZLIB::ZLIB Threads::Threads m@UNA_CMAKE_DNNL@)
  if(UNA_CAIRO_FOUND)
    _una_add(report_static STATIC libuna_report.a una::static PkgConfig::UNA_CAIRO)
  endif()
  if(UNA_CAIRO_FOUND AND UNA_SQLITE_FOUND AND UNA_PQ_FOUND AND UNA_MD_FOUND)
    _una_add(bench_static STATIC libuna_bench.a una::report_static PkgConfig::UNA_SQLITE PkgConfig::UNA_PQ PkgConfig::UNA_MD@UNA_CMAKE_MORE@)
  endif()
  if(_una_mpi)
    find_package(MPI QUIET COMPONENTS C)
  endif()
  if(MPI_C_FOUND)
    _una_add(mpi_static STATIC libuna_mpi.a una::static MPI::MPI_C)
  endif()
endif()
unset(_una_mpi)
unset(_una_prefix)
set(una_static_FOUND TRUE)
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/unaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/unaConfig.cmake ${PROJECT_BINARY_DIR}/unaConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/una)
