// Datasets that grow row by row.
#include <fcntl.h>
#include <hdf5.h>
#include <stiction/error.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "io/hdf5.h"

namespace stiction {
namespace {

constexpr std::size_t kChunkValues = 2048;  // 8 or 16 kB: small files stay small

constexpr std::size_t kChunksPerNode = 64;  // of a dataset's index, the library's default
constexpr std::size_t kSlack = 65536;       // whatever else the library may add

Hdf5Handle open_unlocked(const std::string& path, unsigned mode) {
  silence_hdf5();
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access.id(), false, true);
  Hdf5Handle file(H5Fopen(path.c_str(), mode, access.id()), H5Fclose);
  if (!file.ok()) throw InputError(path + ": HDF5 cannot open it to add to it");
  return file;
}

std::vector<hsize_t> extent_of(const Hdf5Handle& dataset) {
  const Hdf5Handle space(H5Dget_space(dataset.id()), H5Sclose);
  std::vector<hsize_t> extent(std::max(H5Sget_simple_extent_ndims(space.id()), 0));
  if (!extent.empty()) H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  return extent;
}

// How much an index (a B-tree, format version 1) may grow with `added` chunks. Full nodes split in
// halves, as do those above them.
std::size_t index_growth(std::size_t rank, std::size_t chunks, std::size_t added) {
  const std::size_t key = 16 + 8 * rank;
  const std::size_t node = 24 + 8 * kChunksPerNode + key * (kChunksPerNode + 1);
  if (chunks + added > kChunksPerNode) return node * (3 + added / (kChunksPerNode / 4));
  return chunks == 0 ? node : 0;
}

// By how much the file may grow when a dataset does.
std::size_t growth(const Hdf5Handle& file, const std::string& dataset, std::size_t rows) {
  const Hdf5Handle handle(H5Dopen2(file.id(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  const std::vector<hsize_t> extent = extent_of(handle);
  if (extent.empty()) return 0;  // refused when it is added to
  const Hdf5Handle layout(H5Dget_create_plist(handle.id()), H5Pclose);
  std::vector<hsize_t> chunk(extent.size(), 1);
  H5Pget_chunk(layout.id(), static_cast<int>(chunk.size()), chunk.data());
  const auto chunks = [&chunk](hsize_t row_count) { return (row_count + chunk[0] - 1) / chunk[0]; };
  const std::size_t before = chunks(extent[0]);
  const std::size_t added = chunks(extent[0] + rows) - before;
  const Hdf5Handle type(H5Dget_type(handle.id()), H5Tclose);
  std::size_t chunk_bytes = H5Tget_size(type.id());
  for (hsize_t side : chunk) chunk_bytes *= side;
  return added * chunk_bytes + index_growth(extent.size(), before, added);
}

// Takes `bytes` of the disk behind the end of the file, or throws and leaves the file as it was.
// HDF5 ignores what is behind its own end, and cuts it off when it closes the file.
void reserve(const std::string& path, std::size_t bytes) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  const off_t size = file >= 0 ? lseek(file, 0, SEEK_END) : -1;
  int error = size < 0 ? errno : posix_fallocate(file, size, static_cast<off_t>(bytes));
  if (error != 0 && size >= 0 && ftruncate(file, size) != 0) error = errno;
  if (file >= 0) close(file);
  if (error != 0) throw InputError(path + ": cannot be added to: " + std::strerror(error));
}

}  // namespace

void Hdf5Writer::grow(const std::string& dataset, std::int64_t type,
                      const std::vector<std::size_t>& row) {
  std::vector<hsize_t> now{0};
  std::vector<hsize_t> largest{H5S_UNLIMITED};
  std::vector<hsize_t> chunk{1};
  std::size_t row_values = std::max<std::size_t>(H5Tget_size(type) / sizeof(double), 1);
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
  if (!handle.ok()) throw InputError(path_ + ": " + dataset + ": cannot be written");
}

void Hdf5Writer::growing_doubles(const std::string& dataset, const std::vector<std::size_t>& row) {
  grow(dataset, H5T_IEEE_F64LE, row);
}

void Hdf5Writer::growing_ints(const std::string& dataset, const std::vector<std::size_t>& row) {
  grow(dataset, H5T_STD_I32LE, row);
}

void Hdf5Writer::growing_ids(const std::string& dataset) { grow(dataset, H5T_STD_U64LE, {}); }

void Hdf5Writer::growing_texts(const std::string& dataset, std::size_t length) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), length);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  grow(dataset, type.id(), {});
}

void Hdf5Appender::append(const std::string& dataset, std::int64_t type, const void* values,
                          std::size_t size, std::size_t rows) {
  if (rows == 0) return;
  const auto* bytes = static_cast<const unsigned char*>(values);
  additions_.push_back({dataset, type, {bytes, bytes + size}, rows});
}

void Hdf5Appender::doubles(const std::string& dataset, const std::vector<double>& values,
                           std::size_t rows) {
  append(dataset, H5T_NATIVE_DOUBLE, values.data(), values.size() * sizeof(double), rows);
}

void Hdf5Appender::ints(const std::string& dataset, const std::vector<int>& values,
                        std::size_t rows) {
  append(dataset, H5T_NATIVE_INT, values.data(), values.size() * sizeof(int), rows);
}

void Hdf5Appender::ids(const std::string& dataset, const std::vector<std::uint64_t>& values) {
  append(dataset, H5T_NATIVE_UINT64, values.data(), values.size() * sizeof(std::uint64_t),
         values.size());
}

void Hdf5Appender::texts(const std::string& dataset, const std::vector<std::string>& values,
                         std::size_t length) {
  const std::string padded = pad_texts(values, length);
  append(dataset, -1, padded.data(), padded.size(), values.size());
}

void Hdf5Appender::write(const Hdf5Handle& file, const Addition& addition) const {
  const auto check = [&](bool done) {
    if (!done) throw InputError(path_ + ": " + addition.dataset + ": cannot be added to");
  };
  const Hdf5Handle handle(H5Dopen2(file.id(), addition.dataset.c_str(), H5P_DEFAULT), H5Dclose);
  check(handle.ok());
  std::vector<hsize_t> extent = extent_of(handle);
  check(!extent.empty());
  std::vector<hsize_t> start(extent.size(), 0);
  std::vector<hsize_t> added = extent;
  start[0] = extent[0];
  added[0] = addition.rows;
  extent[0] += addition.rows;
  check(H5Dset_extent(handle.id(), extent.data()) >= 0);
  if (addition.bytes.empty()) return;
  const Hdf5Handle after(H5Dget_space(handle.id()), H5Sclose);
  H5Sselect_hyperslab(after.id(), H5S_SELECT_SET, start.data(), nullptr, added.data(), nullptr);
  const Hdf5Handle memory(H5Screate_simple(static_cast<int>(added.size()), added.data(), nullptr),
                          H5Sclose);
  const Hdf5Handle own_type(H5Dget_type(handle.id()), H5Tclose);
  const std::int64_t type = addition.type >= 0 ? addition.type : own_type.id();
  check(H5Dwrite(handle.id(), type, memory.id(), after.id(), H5P_DEFAULT, addition.bytes.data()) >=
        0);
}

void Hdf5Appender::commit() {
  std::size_t room = kSlack;
  {
    const Hdf5Handle file = open_unlocked(path_, H5F_ACC_RDONLY);
    for (const Addition& addition : additions_) {
      room += growth(file, addition.dataset, addition.rows);
    }
  }
  reserve(path_, room);
  Hdf5Handle file = open_unlocked(path_, H5F_ACC_RDWR);
  for (const Addition& addition : additions_) write(file, addition);
  const bool flushed = H5Fflush(file.id(), H5F_SCOPE_GLOBAL) >= 0;
  if (!file.close() || !flushed) throw InputError(path_ + ": cannot be added to");
  additions_.clear();
}

}  // namespace stiction
