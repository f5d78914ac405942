# The packages we build on, as Debian 12 ships them (and as later releases do).
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

# yaml-cpp's own target is the shared library only; the static one lies beside it.
find_package(yaml-cpp REQUIRED)
find_library(CNSCHED_YAML_CPP_STATIC NAMES libyaml-cpp.a)
find_library(CNSCHED_UTF8PROC NAMES utf8proc)
find_library(CNSCHED_UTF8PROC_STATIC NAMES libutf8proc.a)
find_path(CNSCHED_UTF8PROC_INCLUDE utf8proc.h REQUIRED)

# Debian's rang package lacks a file that its CMake configuration includes: find the header.
find_path(CNSCHED_RANG_INCLUDE rang.hpp REQUIRED)

add_library(cnsched_yaml_cpp INTERFACE)
add_library(cnsched_utf8proc INTERFACE)
target_include_directories(cnsched_utf8proc SYSTEM INTERFACE "${CNSCHED_UTF8PROC_INCLUDE}")
if(CNSCHED_STATIC AND CNSCHED_YAML_CPP_STATIC AND CNSCHED_UTF8PROC_STATIC)
  target_link_libraries(cnsched_yaml_cpp INTERFACE "${CNSCHED_YAML_CPP_STATIC}")
  target_link_libraries(cnsched_utf8proc INTERFACE "${CNSCHED_UTF8PROC_STATIC}")
  target_compile_definitions(cnsched_utf8proc INTERFACE UTF8PROC_STATIC)
else()
  if(CNSCHED_STATIC)
    message(STATUS "libyaml-cpp.a or libutf8proc.a not found: linking dynamically")
    set(CNSCHED_STATIC OFF)
  endif()
  if(TARGET yaml-cpp::yaml-cpp)
    target_link_libraries(cnsched_yaml_cpp INTERFACE yaml-cpp::yaml-cpp)
  else()
    target_link_libraries(cnsched_yaml_cpp INTERFACE yaml-cpp)
  endif()
  target_link_libraries(cnsched_utf8proc INTERFACE "${CNSCHED_UTF8PROC}")
endif()

add_library(cnsched_rang INTERFACE)
target_include_directories(cnsched_rang SYSTEM INTERFACE "${CNSCHED_RANG_INCLUDE}")
