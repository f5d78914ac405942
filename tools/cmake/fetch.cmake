# The sources of the libraries, for builds without their packages (CNSCHED_FETCH): the upstream archives of the releases
# in Debian 12, checked by SHA-256.
set(cli11_archive https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
  26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb)
set(fmt_archive https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2)
set(nlohmann_json_archive https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
  d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273)
set(rang_archive https://github.com/agauniyal/rang/archive/refs/tags/v3.2.tar.gz
  8b42d9c33a6529a6c283a4f4c73c26326561ccc67fbb3e6a3225edd688b39973)
set(re2_archive https://github.com/google/re2/archive/refs/tags/2022-06-01.tar.gz
  f89c61410a072e5cbcf8c27e3a778da7d6fd2f2b5b1445cd4f4508bee946ab0f)
set(utf8proc_archive https://github.com/JuliaStrings/utf8proc/archive/refs/tags/v2.8.0.tar.gz
  a0a60a79fe6f6d54e7d411facbfcc867a6e198608f2cd992490e46f04b1bcecc)
set(yaml_cpp_archive https://github.com/jbeder/yaml-cpp/archive/refs/tags/yaml-cpp-0.7.0.tar.gz
  43e6a9fcb146ad871515f0d0873947e5d497a1c9c60c58cb102a97b47208b7c3)

file(STRINGS .ci/setup packages REGEX "^ +lib.*-dev$")
string(STRIP "${packages}" packages)
set(cnsched_packages_advice "On Debian and Ubuntu, run .ci/setup, or as root\n  apt-get install ${packages}\n")

# Sets cnsched_NAME_source to the unpacked sources of `name`, unless that (-Dcnsched_NAME_source=DIR) is set.
function(cnsched_fetch name)
  if(cnsched_${name}_source)
    return()
  endif()
  if(NOT CNSCHED_FETCH)
    message(FATAL_ERROR "The package of ${name} is missing. ${cnsched_packages_advice}"
      "Elsewhere, or without root, -DCNSCHED_FETCH=MISSING fetches the sources of what is missing,\n"
      "and -DCNSCHED_STATIC=OFF does without static libraries.\n")
  endif()
  list(GET ${name}_archive 0 url)
  list(GET ${name}_archive 1 expected)
  message(STATUS "Fetching ${url}")
  set(directory "${PROJECT_BINARY_DIR}/sources/${name}")
  file(DOWNLOAD "${url}" "${directory}.tar.gz" INACTIVITY_TIMEOUT 30 STATUS status)
  file(SHA256 "${directory}.tar.gz" hash)
  if(NOT hash STREQUAL expected)
    list(GET status 1 reason)
    message(FATAL_ERROR "${url} does not give the sources of ${name} (${reason}; SHA-256 ${hash}). ${cnsched_packages_advice}"
      "Elsewhere, unpack the sources by hand and say where: -Dcnsched_${name}_source=DIR\n")
  endif()
  file(ARCHIVE_EXTRACT INPUT "${directory}.tar.gz" DESTINATION "${directory}")
  file(GLOB source "${directory}/*")
  set(cnsched_${name}_source "${source}" CACHE PATH "Unpacked sources of ${name}")
endfunction()
