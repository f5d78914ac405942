# What we build on, as Debian 12 packages it (and as later releases do), each as a target of ours. It is found by
# its header, since not every package has a CMake configuration that works (rang) or knows its static library
# (yaml-cpp). What is missing is fetched, or the build stops with the command that installs it.
set(fetch OFF)
if(SKBUILD)  # a wheel, which installs itself
  set(fetch ON)
endif()
option(CNSCHED_FETCH "Fetch the sources of packages that are missing" ${fetch})
include(cmake/fetch.cmake)

# Makes the target cnsched_NAME of a library that is nothing but headers.
function(cnsched_headers name header directory)
  find_path(cnsched_${name}_include ${header})
  if(NOT cnsched_${name}_include)
    cnsched_fetch(${name})
    set(cnsched_${name}_include "${cnsched_${name}_source}/${directory}")
  endif()
  add_library(cnsched_${name} INTERFACE)
  target_include_directories(cnsched_${name} SYSTEM INTERFACE "${cnsched_${name}_include}")
endfunction()

cnsched_headers(cli11 CLI/CLI.hpp include)
cnsched_headers(nlohmann_json nlohmann/json.hpp include)
cnsched_headers(rang rang.hpp include)

# Makes the target cnsched_NAME of a library, static if we are, that is else compiled from `sources`.
function(cnsched_library name library header directory)
  find_path(cnsched_${name}_include ${header})
  find_library(cnsched_${name}_static lib${library}.a)
  find_library(cnsched_${name}_shared ${library})
  set(linked "${cnsched_${name}_shared}")
  if(CNSCHED_STATIC)
    set(linked "${cnsched_${name}_static}")
  endif()
  if(cnsched_${name}_include AND linked)
    add_library(cnsched_${name} INTERFACE)
    target_link_libraries(cnsched_${name} INTERFACE "${linked}")
    target_include_directories(cnsched_${name} SYSTEM INTERFACE "${cnsched_${name}_include}")
    return()
  endif()
  cnsched_fetch(${name})
  list(TRANSFORM ARGN PREPEND "${cnsched_${name}_source}/" OUTPUT_VARIABLE sources)
  file(GLOB sources ${sources})
  add_library(cnsched_${name} STATIC ${sources})
  target_include_directories(cnsched_${name} SYSTEM PUBLIC "${cnsched_${name}_source}/${directory}")
  # Its warnings are not ours to heed. yaml-cpp 0.7 forgets an include that gcc 15 no longer forgives.
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

cnsched_library(utf8proc utf8proc utf8proc.h . utf8proc.c)
cnsched_library(yaml_cpp yaml-cpp yaml-cpp/yaml.h include src/*.cpp)

# Debian has no static library of fmt, and used as headers alone its inner parts are compiled again in each of
# our files: nine tenths of a rule's time. So we compile them once, if we know what there is to compile.
find_path(cnsched_fmt_include fmt/format-inl.h)
if(NOT cnsched_fmt_include)
  cnsched_fetch(fmt)
  set(cnsched_fmt_include "${cnsched_fmt_source}/include")
endif()
file(STRINGS "${cnsched_fmt_include}/fmt/core.h" fmt_9 REGEX "^#define FMT_VERSION 9")
if(fmt_9)
  add_library(cnsched_fmt STATIC cmake/fmt.cpp)
  target_include_directories(cnsched_fmt SYSTEM PUBLIC "${cnsched_fmt_include}")
else()
  add_library(cnsched_fmt INTERFACE)
  target_include_directories(cnsched_fmt SYSTEM INTERFACE "${cnsched_fmt_include}")
  target_compile_definitions(cnsched_fmt INTERFACE FMT_HEADER_ONLY)
endif()
