// Datasets that grow row by row.
#include <hdf5.h>
#include <stiction/error.h>

#include <algorithm>

#include "io/hdf5.h"

namespace stiction {
namespace {

constexpr std::size_t kChunkValues = 2048;  // 8 or 16 kB: small files stay small

Hdf5Handle open_to_append(const std::string& path) {
  silence_hdf5();
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id(), false, true);
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose);
  if (!file.ok()) throw InputError(path + ": HDF5 cannot open it to add to it");
  return file;
}

}  // namespace

void Hdf5Writer::grow(const std::string& dataset, std::int64_t type,
                      const std::vector<std::size_t>& row) {
  std::vector<hsize_t> now{0};
  std::vector<hsize_t> largest{H5S_UNLIMITED};
  std::vector<hsize_t> chunk{1};
  std::size_t row_values = 1;
  for (std::size_t side : row) {
    now.push_back(side);
    largest.push_back(side > 0 ? side : H5S_UNLIMITED);  // a chunk cannot have a side of 0
    chunk.push_back(std::max<std::size_t>(side, 1));
    row_values *= chunk.back();
  }
  chunk[0] = std::max<std::size_t>(kChunkValues / row_values, 1);
  const Hdf5Handle space(H5Screate_simple(static_cast<int>(now.size()), now.data(), largest.data()),
                         H5Sclose);
  const Hdf5Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(groups.id(), 1);
  const Hdf5Handle layout(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_chunk(layout.id(), static_cast<int>(chunk.size()), chunk.data());
  const Hdf5Handle handle(H5Dcreate2(file_.id(), dataset.c_str(), type, space.id(), groups.id(),
                                     layout.id(), H5P_DEFAULT),
                          H5Dclose);
  if (!handle.ok()) throw InputError(part_.target() + ": " + dataset + ": cannot be written");
}

void Hdf5Writer::growing_doubles(const std::string& dataset, const std::vector<std::size_t>& row) {
  grow(dataset, H5T_IEEE_F64LE, row);
}

void Hdf5Writer::growing_ints(const std::string& dataset, const std::vector<std::size_t>& row) {
  grow(dataset, H5T_STD_I32LE, row);
}

Hdf5Appender::Hdf5Appender(const std::string& path) : path_(path), file_(open_to_append(path)) {}

void Hdf5Appender::append(const std::string& dataset, std::int64_t type, const void* values,
                          std::size_t count) {
  if (count == 0) return;
  const auto check = [&](bool done) {
    if (!done) throw InputError(path_ + ": " + dataset + ": cannot be added to");
  };
  const Hdf5Handle handle(H5Dopen2(file_.id(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(handle.ok());
  const Hdf5Handle before(H5Dget_space(handle.id()), H5Sclose);
  std::vector<hsize_t> extent(H5Sget_simple_extent_ndims(before.id()));
  H5Sget_simple_extent_dims(before.id(), extent.data(), nullptr);
  std::vector<hsize_t> start(extent.size(), 0);
  std::vector<hsize_t> added = extent;
  start[0] = extent[0];
  added[0] = count;
  for (std::size_t k = 1; k < extent.size(); ++k) added[0] /= extent[k];
  extent[0] += added[0];
  check(H5Dset_extent(handle.id(), extent.data()) >= 0);
  const Hdf5Handle after(H5Dget_space(handle.id()), H5Sclose);
  H5Sselect_hyperslab(after.id(), H5S_SELECT_SET, start.data(), nullptr, added.data(), nullptr);
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(added.size()), added.data(), nullptr),
                          H5Sclose);
  check(H5Dwrite(handle.id(), type, memory.id(), after.id(), H5P_DEFAULT, values) >= 0);
}

void Hdf5Appender::doubles(const std::string& dataset, const std::vector<double>& values) {
  append(dataset, H5T_NATIVE_DOUBLE, values.data(), values.size());
}

void Hdf5Appender::ints(const std::string& dataset, const std::vector<int>& values) {
  append(dataset, H5T_NATIVE_INT, values.data(), values.size());
}

void Hdf5Appender::commit() {
  const bool flushed = H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0;
  if (!file_.close() || !flushed) throw InputError(path_ + ": cannot be added to");
}

}  // namespace stiction
