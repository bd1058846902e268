# SPDX-License-Identifier: MIT
# What `make install` puts where. The man page and the completions are made by the program itself, from the
# flag tables it parses with; una.pc and the CMake package find their prefix from their own place, so that
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

install(FILES ${PROJECT_SOURCE_DIR}/include/una.h ${PROJECT_SOURCE_DIR}/include/una_bench.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS una_static una_shared
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# From <libdir>/pkgconfig and <libdir>/cmake/una back to the prefix.
file(RELATIVE_PATH UNA_UP_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
file(RELATIVE_PATH UNA_UP_FROM_CMAKE /prefix/${CMAKE_INSTALL_LIBDIR}/cmake/una /prefix)

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/una.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@UNA_UP_FROM_PC@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: una
Description: Regression that knows what it does not know
Version: @PROJECT_VERSION@
Requires.private: jansson sqlite3 cairo zlib
Cflags: -I${includedir}
Libs: -L${libdir} -luna
Libs.private: -lpthread -lm
]])
install(FILES ${PROJECT_BINARY_DIR}/una.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/unaConfig.cmake @ONLY CONTENT [[
# find_package(una) gives una::una (shared); find_package(una COMPONENTS static) also una::static.
get_filename_component(_una_prefix "${CMAKE_CURRENT_LIST_DIR}/@UNA_UP_FROM_CMAKE@" ABSOLUTE)
if(NOT TARGET una::una)
  add_library(una::una SHARED IMPORTED)
  set_target_properties(una::una PROPERTIES
    IMPORTED_LOCATION "${_una_prefix}/@CMAKE_INSTALL_LIBDIR@/libuna${CMAKE_SHARED_LIBRARY_SUFFIX}"
    INTERFACE_INCLUDE_DIRECTORIES "${_una_prefix}/@CMAKE_INSTALL_INCLUDEDIR@")
endif()
if("static" IN_LIST una_FIND_COMPONENTS AND NOT TARGET una::static)
  include(CMakeFindDependencyMacro)
  find_dependency(PkgConfig)
  find_dependency(Threads)
  find_dependency(ZLIB)
  pkg_check_modules(UNA_NEEDS REQUIRED IMPORTED_TARGET jansson sqlite3 cairo)
  add_library(una::static STATIC IMPORTED)
  set_target_properties(una::static PROPERTIES
    IMPORTED_LOCATION "${_una_prefix}/@CMAKE_INSTALL_LIBDIR@/libuna.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_una_prefix}/@CMAKE_INSTALL_INCLUDEDIR@"
    INTERFACE_LINK_LIBRARIES "PkgConfig::UNA_NEEDS;ZLIB::ZLIB;Threads::Threads;m")
endif()
unset(_una_prefix)
set(una_static_FOUND TRUE)
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/unaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/unaConfig.cmake ${PROJECT_BINARY_DIR}/unaConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/una)
