# cpack creates a tarball with the static binary (preset release) and a dynamically linked .deb, as Debian requires
# (preset deb). The same commit gives the same bytes.
set(CNSCHED_MAINTAINER "cnsched maintainers <maintainers@cnsched.invalid>"
  CACHE STRING "Maintainer of the .deb: NAME <ADDRESS>")

string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" platform)
set(CPACK_PACKAGE_FILE_NAME "cnsched-${PROJECT_VERSION}-${platform}")
set(CPACK_PACKAGE_VENDOR cnsched)
set(CPACK_PACKAGE_CONTACT "${CNSCHED_MAINTAINER}")
set(CPACK_GENERATOR TGZ)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lints the GPU placement of model servers on Kubernetes")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "cnsched reads the manifests of model servers (KServe, Seldon Core) and reports,
before anything is deployed, where each pod can run, where it cannot, and why:
which line is wrong, what the cluster does with it, and what to write instead.
It also prints the pods that the controllers create from the manifests, and
generates manifests that are pinned to accelerators.")

set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/tools/cmake/cpack_each.cmake")
set(CPACK_CNSCHED_SOURCE "${PROJECT_SOURCE_DIR}")
set(CPACK_CNSCHED_DATE ${CNSCHED_DATE})
set(CPACK_CNSCHED_STATIC ${CNSCHED_STATIC})
include(CPack)
