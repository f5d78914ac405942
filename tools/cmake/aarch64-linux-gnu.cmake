# Compiles for arm64 Linux with Debian's cross compiler and arm64 libraries, which .ci/setup release installs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Programs that the build runs, such as cnsched_docs, run under qemu.
find_program(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# Debian's libyaml-cpp-dev can be installed for one architecture only, so that of arm64 is unpacked here.
cmake_path(SET root NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../build/tools/arm64")
list(APPEND CMAKE_LIBRARY_PATH "${root}/usr/lib/aarch64-linux-gnu")
set(CMAKE_SKIP_RPATH ON)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
