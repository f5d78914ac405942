# The libraries, each as a target cnsched_NAME. Sources that are given (-Dcnsched_NAME_source=DIR) are used instead of
# an installed package. A package is found by its header, because some of Debian 12's packages have a broken CMake
# configuration (rang) or none for the static library (yaml-cpp). A missing library is fetched, or the build stops and
# prints the command that installs it.
set(fetch OFF)
if(SKBUILD)  # a wheel, which installs itself
  set(fetch MISSING)
endif()
set(CNSCHED_FETCH ${fetch} CACHE STRING
  "Fetch the sources of the libraries: ON, OFF, or MISSING, only of those without an installed package")
include(tools/cmake/fetch.cmake)

# Sets cnsched_NAME_include, and cnsched_NAME_source if the sources are used.
macro(cnsched_find name header directory)
  if(CNSCHED_FETCH AND NOT CNSCHED_FETCH STREQUAL MISSING)
    cnsched_fetch(${name})
  endif()
  if(NOT cnsched_${name}_source)
    find_path(cnsched_${name}_include ${header})
    if(NOT cnsched_${name}_include)
      cnsched_fetch(${name})
    endif()
  endif()
  if(cnsched_${name}_source)
    set(cnsched_${name}_include "${cnsched_${name}_source}/${directory}")
  endif()
endmacro()

# Defines the target cnsched_NAME for a header-only library.
function(cnsched_headers name header directory)
  cnsched_find(${name} ${header} ${directory})
  add_library(cnsched_${name} INTERFACE)
  target_include_directories(cnsched_${name} SYSTEM INTERFACE "${cnsched_${name}_include}")
endfunction()

cnsched_headers(cli11 CLI/CLI.hpp include)
cnsched_headers(nlohmann_json nlohmann/json.hpp include)
cnsched_headers(rang rang.hpp include)

# Defines the target cnsched_NAME for a library, static if CNSCHED_STATIC is on; otherwise compiles `sources`.
function(cnsched_library name library header directory)
  cnsched_find(${name} ${header} ${directory})
  if(NOT cnsched_${name}_source)
    find_library(cnsched_${name}_static lib${library}.a)
    find_library(cnsched_${name}_shared ${library})
    set(linked "${cnsched_${name}_shared}")
    if(CNSCHED_STATIC)
      set(linked "${cnsched_${name}_static}")
    endif()
    if(linked)
      add_library(cnsched_${name} INTERFACE)
      target_link_libraries(cnsched_${name} INTERFACE "${linked}")
      target_include_directories(cnsched_${name} SYSTEM INTERFACE "${cnsched_${name}_include}")
      return()
    endif()
    cnsched_fetch(${name})
  endif()
  list(TRANSFORM ARGN PREPEND "${cnsched_${name}_source}/" OUTPUT_VARIABLE sources)
  file(GLOB sources ${sources})
  add_library(cnsched_${name} STATIC ${sources})
  target_include_directories(cnsched_${name} SYSTEM PUBLIC "${cnsched_${name}_source}/${directory}")
  # Warnings of other projects are disabled. yaml-cpp 0.7 lacks an include that gcc 15 requires.
  target_compile_options(cnsched_${name} PRIVATE -w "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include cstdint>")
endfunction()

if(CNSCHED_STATIC)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static)
  check_cxx_source_compiles("#include <iostream>\nint main() { std::cout << 1; }" CNSCHED_CAN_BE_STATIC)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(NOT CNSCHED_CAN_BE_STATIC)
    message(STATUS "No static C or C++ library here: linking dynamically")
    set(CNSCHED_STATIC OFF)
  endif()
endif()

cnsched_library(re2 re2 re2/re2.h . re2/*.cc util/rune.cc util/strutil.cc)
cnsched_library(utf8proc utf8proc utf8proc.h . utf8proc.c)
cnsched_library(yaml_cpp yaml-cpp yaml-cpp/yaml.h include src/*.cpp)

# Debian has no static library of fmt. Used header-only, its implementation is compiled again in each source file,
# which takes nine tenths of a rule's compile time. For versions with a known layout it is compiled once here.
cnsched_find(fmt fmt/format-inl.h include)
file(STRINGS "${cnsched_fmt_include}/fmt/core.h" fmt_9 REGEX "^#define FMT_VERSION 9")
if(fmt_9)
  add_library(cnsched_fmt STATIC tools/cmake/fmt.cpp)
  target_include_directories(cnsched_fmt SYSTEM PUBLIC "${cnsched_fmt_include}")
else()
  add_library(cnsched_fmt INTERFACE)
  target_include_directories(cnsched_fmt SYSTEM INTERFACE "${cnsched_fmt_include}")
  target_compile_definitions(cnsched_fmt INTERFACE FMT_HEADER_ONLY)
endif()
