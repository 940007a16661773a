# The web bundles that draw figures (scripts/web): `npm ci` and esbuild, in the build folder only.
# Sets KERNBENCH_WEB_DIR, the folder of render.mjs (node draws SVG with it) and page.html (the page's template), and
# KERNBENCH_WEB_BUNDLES, these files.

find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM NAMES npm)
if(NOT NODE_PROGRAM OR NOT NPM_PROGRAM)
  message(FATAL_ERROR "Figures need node (18 or newer) and npm. Run scripts/setup, or: apt-get install nodejs npm")
endif()

set(KERNBENCH_WEB_DIR ${PROJECT_BINARY_DIR}/web)
set(KERNBENCH_WEB_BUNDLES ${KERNBENCH_WEB_DIR}/render.mjs ${KERNBENCH_WEB_DIR}/page.html)
set(web_source ${PROJECT_SOURCE_DIR}/scripts/web)
set(web_packages ${web_source}/package.json ${web_source}/package-lock.json ${web_source}/.npmrc)
file(GLOB web_sources CONFIGURE_DEPENDS ${web_source}/*.js ${web_source}/*.css ${web_source}/*.html)

# No package's install script is run: esbuild finds its program without.
add_custom_command(
  OUTPUT ${KERNBENCH_WEB_DIR}/work/packages.stamp
  COMMAND ${CMAKE_COMMAND} -E make_directory ${KERNBENCH_WEB_DIR}/work
  COMMAND ${CMAKE_COMMAND} -E copy ${web_packages} ${KERNBENCH_WEB_DIR}/work
  COMMAND ${NPM_PROGRAM} ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch packages.stamp
  DEPENDS ${web_packages}
  WORKING_DIRECTORY ${KERNBENCH_WEB_DIR}/work
  COMMENT "npm ci: the packages that draw figures"
  VERBATIM)

add_custom_command(
  OUTPUT ${KERNBENCH_WEB_BUNDLES}
  COMMAND ${CMAKE_COMMAND} -E copy ${web_sources} ${KERNBENCH_WEB_DIR}/work
  COMMAND ${NODE_PROGRAM} build.js ${KERNBENCH_WEB_DIR}
  DEPENDS ${web_sources} ${KERNBENCH_WEB_DIR}/work/packages.stamp
  WORKING_DIRECTORY ${KERNBENCH_WEB_DIR}/work
  COMMENT "esbuild: the bundles that draw figures"
  VERBATIM)

add_custom_target(kernbench_web DEPENDS ${KERNBENCH_WEB_BUNDLES})
