# SPDX-License-Identifier: MIT
# What costs an attacker much and una next to nothing: canaries on the stack, checked copies, no page that is both
# written and run, every address looked up before main and write-protected then. Each flag is asked for first, so that
# other compilers and processors build with what they have. Sanitizers look closer by themselves, and fortified
# functions would hide calls from them; without an optimiser, as in programs of tests, there is nothing to fortify.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)

check_pie_supported(LANGUAGES C)             # CMAKE_POSITION_INDEPENDENT_CODE alone compiles so, but does not link so
target_compile_options(una_flags INTERFACE -Wformat -Wformat-security)

# una_harden(TARGET): an INTERFACE library, for whoever links it.
function(una_harden target)
  set(flags "")
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full)
    string(MAKE_C_IDENTIFIER "UNA_KNOWS${flag}" known)
    set(CMAKE_REQUIRED_FLAGS -Werror)        # clang only warns of flags that another processor knows
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      list(APPEND flags ${flag})
    endif()
  endforeach()

  # Level 3 knows sizes that are found at run time; an old C library would say that it knows 2 only.
  foreach(level 3 2)
    set(fortify -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level})
    set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
    check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }" UNA_FORTIFY_${level})
    if(UNA_FORTIFY_${level})
      list(APPEND flags ${fortify})
      break()
    endif()
  endforeach()

  set(CMAKE_REQUIRED_FLAGS "")
  set(links "")
  foreach(word relro now noexecstack)
    check_linker_flag(C LINKER:-z,${word} UNA_LINKS_${word})
    if(UNA_LINKS_${word})
      list(APPEND links LINKER:-z,${word})
    endif()
  endforeach()
  target_compile_options(${target} INTERFACE "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNA_TEST>>>:${flags}>")
  target_link_options(${target} INTERFACE ${links})
endfunction()

if(NOT UNA_SANITIZE AND NOT UNA_COVERAGE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  una_harden(una_flags)
endif()
