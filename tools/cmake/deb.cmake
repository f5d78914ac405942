# cpack reads this between installing and packing: it writes the documents in Debian's form.
set(usr "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr")
set(doc "${usr}/share/doc/cnsched")
# /usr/share/common-licenses has the text.
file(REMOVE "${doc}/LICENSE")

# CHANGELOG.md, "## VERSION (DATE)" above "- what" with its next lines, in the form of Debian's changelogs:
# an entry is one line first, which is then folded.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(STRINGS "${doc}/CHANGELOG.md" lines)
file(REMOVE "${doc}/CHANGELOG.md")
set(changelog "")
set(signature "\n\n -- SIGNATURE\n")  # not to be folded
foreach(line IN LISTS lines)
  if(line MATCHES "^## ([0-9.]+) \\((.*)\\)")
    set(distribution stable)
    if(CMAKE_MATCH_2 STREQUAL unreleased)
      set(distribution UNRELEASED)
    endif()
    if(changelog)
      string(APPEND changelog "${signature}\n")
    endif()
    string(APPEND changelog "cnsched (${CMAKE_MATCH_1}) ${distribution}; urgency=medium\n")
  elseif(changelog AND line MATCHES "^- (.*)")
    string(APPEND changelog "\n  * ${CMAKE_MATCH_1}")
  elseif(changelog AND line MATCHES "^  (.*)")
    string(APPEND changelog " ${CMAKE_MATCH_1}")
  endif()
endforeach()
file(WRITE "${doc}/lines" "${changelog}${signature}")
execute_process(
  COMMAND fold -s -w 75 "${doc}/lines"
  COMMAND sed -e "s/ *$//" -e "/^cnsched (/!s/^[^ ]/    &/"
  OUTPUT_VARIABLE changelog COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE "${doc}/lines")
string(REPLACE " -- SIGNATURE" " -- ${CPACK_PACKAGE_CONTACT}  ${date}" changelog "${changelog}")
file(WRITE "${doc}/changelog" "${changelog}")

file(GLOB_RECURSE pages "${usr}/share/man/*")
execute_process(COMMAND gzip -9n "${doc}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
# Whatever the umask is.
execute_process(COMMAND chmod -R u=rwX,go=rX "${usr}" COMMAND_ERROR_IS_FATAL ANY)
