# cmake -D BUILD_DIR=... -D OUTSIDE_DIR=... -D SCRATCH_DIR=... -D CXX_COMPILER=... -P this
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${SCRATCH_DIR})
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${SCRATCH_DIR}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${OUTSIDE_DIR} -B ${SCRATCH_DIR}/build
    -D CMAKE_PREFIX_PATH=${SCRATCH_DIR}/prefix -D CMAKE_CXX_COMPILER=${CXX_COMPILER}
    -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${SCRATCH_DIR}/build)
run(${SCRATCH_DIR}/build/outside)
run(${SCRATCH_DIR}/prefix/bin/stiction --version)
file(REMOVE_RECURSE ${SCRATCH_DIR})
