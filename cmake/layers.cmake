# Compiler flags, and add_layer: one static library per folder of src/. Sources are found by glob so
# that a new file needs no other change; a folder without sources becomes an interface library.
include(CheckCXXCompilerFlag)

# These are off: GCC 12 raises (maybe-)uninitialized and the overruns for its own AVX-512 headers, when
# Eigen takes a dynamic part of a fixed vector, and with sanitizers for any copy of a small matrix;
# restrict for std::string's own operator+.
add_library(stiction_flags INTERFACE)
target_compile_options(stiction_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                                                -Wno-sign-conversion -Wno-uninitialized
                                                -Wno-maybe-uninitialized -Wno-array-bounds
                                                -Wno-stringop-overflow -Wno-stringop-overread
                                                -Wno-restrict)
if(STICTION_SANITIZE)
  # A finding ends the program, so that a test cannot pass with one.
  add_compile_options(-fsanitize=${STICTION_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${STICTION_SANITIZE})
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# Eigen as every layer and every user of the library sees it. With wide vectors Eigen would align
# its types to 32 or 64 bytes and allocate them with a malloc of its own, and whatever exchanges
# Eigen objects with the library would have to be built alike: an object freed on the other side
# crashes. These two settings are what a plain x86-64 build, and so a Debian package, has. Eigen's
# own threads are off: the layers say themselves what runs in parallel, and products must not.
add_library(stiction_eigen INTERFACE)
target_link_libraries(stiction_eigen INTERFACE Eigen3::Eigen)
target_compile_features(stiction_eigen INTERFACE cxx_std_20)
target_compile_definitions(stiction_eigen INTERFACE EIGEN_MAX_ALIGN_BYTES=16
                                                    EIGEN_MALLOC_ALREADY_ALIGNED=1
                                                    EIGEN_DONT_PARALLELIZE)
# Eigen's matrix products still use aligned moves on their scratch memory, which then faults. The
# assembler can write every aligned move as an unaligned one, which works on any address.
set(unaligned_moves -Wa,-muse-unaligned-vector-move)
check_cxx_compiler_flag(${unaligned_moves} STICTION_UNALIGNED_MOVES)
if(STICTION_UNALIGNED_MOVES)
  target_compile_options(stiction_eigen INTERFACE $<$<CXX_COMPILER_ID:GNU>:${unaligned_moves}>)
endif()
if(STICTION_NATIVE AND STICTION_UNALIGNED_MOVES)
  target_compile_options(stiction_flags INTERFACE -march=native)
elseif(STICTION_NATIVE)
  message(WARNING "-march=native is left out: the assembler has no -muse-unaligned-vector-move")
endif()
set_property(GLOBAL APPEND PROPERTY STICTION_LAYERS stiction_eigen)

# precompile(target headers...): Eigen takes most of a file's compile time, so it is parsed once per
# target. ccache cannot see through that; whoever builds many copies of the tree sets
# STICTION_CCACHE in the environment and has the cache instead.
function(precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# together(target): compiles the target's files eight at a time, which halves the time of a build from
# nothing. Not for layers where one changes a file and wants to see the result within seconds. Names
# in the anonymous namespaces of such a target must differ.
function(together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
endfunction()

function(add_layer name)
  cmake_parse_arguments(ARG "TOGETHER" "" "LINKS;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp
                                      ${PROJECT_SOURCE_DIR}/src/${name}/*/*.cpp)
  if(sources)
    add_library(stiction_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(stiction_${name} PRIVATE $<BUILD_INTERFACE:stiction_flags> ${ARG_PRIVATE})
    if(ARG_TOGETHER)
      together(stiction_${name})
    endif()
    list(LENGTH sources count)
    if(count GREATER 30 OR NOT ARG_TOGETHER)
      precompile(stiction_${name} <Eigen/Core> <Eigen/Geometry> <vector> <string>)
    endif()
  else()
    add_library(stiction_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  foreach(link ${ARG_LINKS})
    target_link_libraries(stiction_${name} ${scope} stiction_${link})
  endforeach()
  target_include_directories(stiction_${name} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_property(GLOBAL APPEND PROPERTY STICTION_LAYERS stiction_${name})
endfunction()
