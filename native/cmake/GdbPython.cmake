# SPDX-License-Identifier: Apache-2.0
# Asks GDB which Python it embeds: that is often not the python3 on PATH, and
# find_package(Python) would choose the latter.
#
# Sets GDB_PYTHON_INCLUDE, GDB_PYTHON_SUFFIX and GDB_PYTHON_VERSION.

# Whoever builds for a GDB that is not here says these three.
if(GDB_PYTHON_INCLUDE AND GDB_PYTHON_SUFFIX AND GDB_PYTHON_VERSION)
  message(STATUS "Building for a GDB that embeds Python ${GDB_PYTHON_VERSION}")
  return()
endif()
find_program(GDB NAMES gdb DOC "The GDB to build for")
if(NOT GDB)
  message(FATAL_ERROR "gdb was not found. Install it, or name one with -DGDB=/path/to/gdb.")
endif()

function(ask_gdb_python)
  set(marker "gdb-python:")
  set(question "import sys, sysconfig")
  string(APPEND question
    "; print('${marker}' + '|'.join((sysconfig.get_path('include')"
    ", sysconfig.get_config_var('EXT_SUFFIX'), '%d.%d' % sys.version_info[:2])))")
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=PYTHONHOME --unset=PYTHONPATH
            "${GDB}" -nx -batch -ex "python ${question}"
    OUTPUT_VARIABLE answer
    ERROR_VARIABLE complaint
  )
  if(NOT answer MATCHES "${marker}([^|\n]+)\\|([^|\n]+)\\|([^|\n]+)\n")
    message(FATAL_ERROR "${GDB} does not answer Python questions; it needs Python.\n${complaint}")
  endif()
  set(include "${CMAKE_MATCH_1}")
  set(suffix "${CMAKE_MATCH_2}")
  set(version "${CMAKE_MATCH_3}")
  if(NOT EXISTS "${include}/Python.h")
    message(FATAL_ERROR
      "${GDB} embeds Python ${version}, whose headers are not in ${include}. "
      "On Debian they come with libpython${version}-dev.")
  endif()
  set(GDB_PYTHON_INCLUDE "${include}" PARENT_SCOPE)
  set(GDB_PYTHON_SUFFIX "${suffix}" PARENT_SCOPE)
  set(GDB_PYTHON_VERSION "${version}" PARENT_SCOPE)
endfunction()

ask_gdb_python()
message(STATUS "Building for ${GDB}, which embeds Python ${GDB_PYTHON_VERSION}")
