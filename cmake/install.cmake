# `cmake --install` and find_package(stiction).
include(CMakePackageConfigHelpers)
get_property(layers GLOBAL PROPERTY STICTION_LAYERS)
install(TARGETS stiction ${layers} EXPORT stiction-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT stiction-targets NAMESPACE stiction::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/stiction)
install(DIRECTORY include/stiction DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_package_config_file(cmake/stiction-config.cmake.in
  ${CMAKE_BINARY_DIR}/stiction-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/stiction)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/stiction-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/stiction-config.cmake
              ${CMAKE_BINARY_DIR}/stiction-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/stiction)
