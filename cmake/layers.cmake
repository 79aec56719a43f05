# One static library per folder of src/. Sources are found by glob so that a new file needs no
# other change; a folder without sources becomes an interface library.

add_library(stiction_flags INTERFACE)
target_compile_options(stiction_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wno-sign-conversion
# GCC 12 sees uninitialised registers inside its own AVX-512 intrinsics.
                                                -Wno-maybe-uninitialized)
if(STICTION_NATIVE)
  target_compile_options(stiction_flags INTERFACE -march=native)
endif()
if(STICTION_SANITIZE)
  # A finding ends the program, so that a test cannot pass with one.
  add_compile_options(-fsanitize=${STICTION_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${STICTION_SANITIZE})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

function(add_layer name)
  cmake_parse_arguments(ARG "" "" "LINKS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp
                                      ${PROJECT_SOURCE_DIR}/src/${name}/*/*.cpp)
  if(sources)
    add_library(stiction_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(stiction_${name} PRIVATE $<BUILD_INTERFACE:stiction_flags> ${ARG_PRIVATE})
  else()
    add_library(stiction_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  foreach(link ${ARG_LINKS})
    if(TARGET stiction_${link})
      target_link_libraries(stiction_${name} ${scope} stiction_${link})
    else()
      target_link_libraries(stiction_${name} ${scope} ${link})
    endif()
  endforeach()
  # With -march=native Eigen would align to 32 or 64 bytes, and every library or program that
  # passes Eigen types to ours would have to be built alike. 16 is what a plain x86-64 build uses.
  # Eigen still computes with the widest vectors; only sweeps over long vectors get slower (a
  # quarter, measured with AVX-512), matrix products and small fixed sizes do not.
  target_compile_definitions(stiction_${name} ${scope} EIGEN_MAX_ALIGN_BYTES=16)
  target_include_directories(stiction_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_property(GLOBAL APPEND PROPERTY STICTION_LAYERS stiction_${name})
endfunction()
