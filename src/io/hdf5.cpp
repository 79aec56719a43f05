#include "io/hdf5.h"

#include <hdf5.h>
#include <stiction/error.h>
#include <stiction/files.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace stiction {
namespace {

// Compressed or never written datasets may be larger than what is stored, but a damaged header must
// not ask for all memory.
constexpr std::size_t kLargestUnstored = std::size_t{1} << 27;

Hdf5Handle open_file(const std::string& path) {
  silence_hdf5();
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw InputError(path + ": there is no such file");
  if (std::filesystem::is_directory(path, error)) {
    throw InputError(path + ": is a folder, expected an HDF5 file");
  }
  if (H5Fis_hdf5(path.c_str()) <= 0) throw InputError(path + ": is not an HDF5 file");
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.ok()) throw InputError(path + ": HDF5 cannot open it; truncated or damaged");
  return file;
}

Hdf5Handle create_in_memory(const std::string& path) {
  silence_hdf5();
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.id(), std::size_t{1} << 16, false);
  // Under the name of a file that exists, HDF5 would read all of it first, or wait for a pipe.
  const std::string name = path + ".memory" + std::to_string(getpid());
  Hdf5Handle file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose);
  if (!file.ok()) throw InputError(path + ": HDF5 cannot make a file");
  return file;
}

}  // namespace

void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Hdf5Handle::~Hdf5Handle() { close(); }

Hdf5Handle::Hdf5Handle(Hdf5Handle&& other) noexcept : id_(other.id_), close_(other.close_) {
  other.id_ = -1;
}

bool Hdf5Handle::close() {
  if (id_ < 0) return true;
  const bool closed = close_(id_) >= 0;
  id_ = -1;
  return closed;
}

Hdf5Reader::Hdf5Reader(const std::string& path) : path_(path), file_(open_file(path)) {}

void Hdf5Reader::refuse(const std::string& dataset, const std::string& what) const {
  throw InputError(path_ + ": " + dataset + ": " + what);
}

bool Hdf5Reader::has(const std::string& name) const {
  // H5Lexists wants every part of the way to exist.
  for (std::size_t slash = 1; slash != std::string::npos;) {
    slash = name.find('/', slash);
    if (slash != std::string::npos) ++slash;
    const std::string part = name.substr(0, slash == std::string::npos ? slash : slash - 1);
    if (H5Lexists(file_.id(), part.c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return true;
}

Hdf5Handle Hdf5Reader::open(const std::string& dataset) const {
  if (!has(dataset)) refuse(dataset, "is missing");
  Hdf5Handle handle(H5Dopen2(file_.id(), dataset.c_str(), H5P_DEFAULT), H5Dclose);
  if (!handle.ok()) refuse(dataset, "is not a dataset");
  return handle;
}

std::vector<std::size_t> Hdf5Reader::shape(const std::string& dataset) const {
  const Hdf5Handle handle = open(dataset);
  const Hdf5Handle space(H5Dget_space(handle.id()), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank < 0) refuse(dataset, "has no simple shape");
  std::vector<hsize_t> extent(rank);
  if (rank > 0) H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  return {extent.begin(), extent.end()};
}

std::size_t Hdf5Reader::count(const Hdf5Handle& handle, const std::string& dataset) const {
  const Hdf5Handle space(H5Dget_space(handle.id()), H5Sclose);
  const hssize_t points = H5Sget_simple_extent_npoints(space.id());
  if (points < 0) refuse(dataset, "has no simple shape");
  const Hdf5Handle type(H5Dget_type(handle.id()), H5Tclose);
  const std::size_t stored =
      H5Dget_storage_size(handle.id()) / std::max<std::size_t>(H5Tget_size(type.id()), 1);
  const std::size_t limit = std::max(stored, kLargestUnstored);
  if (static_cast<std::size_t>(points) > limit) {
    refuse(dataset, "its shape has " + std::to_string(points) + " values, expected at most " +
                        std::to_string(limit) + " from what is stored");
  }
  return static_cast<std::size_t>(points);
}

void Hdf5Reader::read(const std::string& dataset, int type_class, const char* class_name,
                      std::int64_t memory_type, std::size_t value_size,
                      std::vector<unsigned char>& raw) const {
  const Hdf5Handle handle = open(dataset);
  const Hdf5Handle type(H5Dget_type(handle.id()), H5Tclose);
  if (H5Tget_class(type.id()) != type_class) {
    refuse(dataset, std::string("is of another type, expected ") + class_name);
  }
  raw.resize(count(handle, dataset) * value_size);
  if (raw.empty()) return;
  if (H5Dread(handle.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0) {
    refuse(dataset, "cannot be read; truncated or damaged");
  }
}

std::vector<double> Hdf5Reader::doubles(const std::string& dataset) const {
  std::vector<unsigned char> raw;
  read(dataset, H5T_FLOAT, "real numbers", H5T_NATIVE_DOUBLE, sizeof(double), raw);
  std::vector<double> values(raw.size() / sizeof(double));
  if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

std::vector<int> Hdf5Reader::ints(const std::string& dataset) const {
  std::vector<unsigned char> raw;
  read(dataset, H5T_INTEGER, "integers", H5T_NATIVE_INT, sizeof(int), raw);
  std::vector<int> values(raw.size() / sizeof(int));
  if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

std::vector<std::uint64_t> Hdf5Reader::ids(const std::string& dataset) const {
  std::vector<unsigned char> raw;
  read(dataset, H5T_INTEGER, "integers", H5T_NATIVE_UINT64, sizeof(std::uint64_t), raw);
  std::vector<std::uint64_t> values(raw.size() / sizeof(std::uint64_t));
  if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
  return values;
}

std::vector<unsigned char> Hdf5Reader::bytes(const std::string& dataset) const {
  std::vector<unsigned char> raw;
  read(dataset, H5T_INTEGER, "bytes", H5T_NATIVE_UCHAR, 1, raw);
  return raw;
}

std::vector<std::string> Hdf5Reader::texts(const std::string& dataset) const {
  const Hdf5Handle handle = open(dataset);
  const Hdf5Handle type(H5Dget_type(handle.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) > 0) {
    refuse(dataset, "is of another type, expected text of fixed length");
  }
  const std::size_t length = H5Tget_size(type.id());
  std::vector<char> raw(count(handle, dataset) * length);
  if (!raw.empty() &&
      H5Dread(handle.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, raw.data()) < 0) {
    refuse(dataset, "cannot be read; truncated or damaged");
  }
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < raw.size(); at += length) {
    texts.emplace_back(&raw[at], strnlen(&raw[at], length));
  }
  return texts;
}

std::string Hdf5Reader::text(const std::string& dataset) const {
  const std::vector<std::string> all = texts(dataset);
  if (all.size() != 1) refuse(dataset, "expected one text");
  return all[0];
}

int Hdf5Reader::integer(const std::string& dataset) const { return ints(dataset, 1)[0]; }

std::vector<double> Hdf5Reader::doubles(const std::string& dataset, std::size_t expected) const {
  std::vector<double> values = doubles(dataset);
  if (values.size() != expected) {
    refuse(dataset, "has " + std::to_string(values.size()) + " values, expected " +
                        std::to_string(expected));
  }
  return values;
}

std::vector<int> Hdf5Reader::ints(const std::string& dataset, std::size_t expected) const {
  std::vector<int> values = ints(dataset);
  if (values.size() != expected) {
    refuse(dataset, "has " + std::to_string(values.size()) + " values, expected " +
                        std::to_string(expected));
  }
  return values;
}

Hdf5Writer::Hdf5Writer(const std::string& path) : path_(path), file_(create_in_memory(path)) {}

void Hdf5Writer::write(const std::string& dataset, std::int64_t file_type, std::int64_t memory_type,
                       const void* values, const std::vector<std::size_t>& shape) {
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  std::size_t count = 1;
  for (std::size_t side : shape) count *= side;
  const Hdf5Handle groups(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  H5Pset_create_intermediate_group(groups.id(), 1);
  const Hdf5Handle space(
      shape.empty() ? H5Screate(H5S_SCALAR)
                    : H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
      H5Sclose);
  Hdf5Handle handle(H5Dcreate2(file_.id(), dataset.c_str(), file_type, space.id(), groups.id(),
                               H5P_DEFAULT, H5P_DEFAULT),
                    H5Dclose);
  if (!handle.ok() || (count > 0 && H5Dwrite(handle.id(), memory_type, H5S_ALL, H5S_ALL,
                                             H5P_DEFAULT, values) < 0)) {
    throw InputError(path_ + ": " + dataset + ": cannot be written");
  }
}

void Hdf5Writer::doubles(const std::string& dataset, const double* values,
                         std::vector<std::size_t> shape) {
  write(dataset, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, shape);
}

void Hdf5Writer::ints(const std::string& dataset, const int* values,
                      std::vector<std::size_t> shape) {
  write(dataset, H5T_STD_I32LE, H5T_NATIVE_INT, values, shape);
}

void Hdf5Writer::doubles(const std::string& dataset, const std::vector<double>& values) {
  doubles(dataset, values.data(), {values.size()});
}

void Hdf5Writer::ints(const std::string& dataset, const std::vector<int>& values) {
  ints(dataset, values.data(), {values.size()});
}

void Hdf5Writer::bytes(const std::string& dataset, const std::vector<unsigned char>& values) {
  write(dataset, H5T_STD_U8LE, H5T_NATIVE_UCHAR, values.data(), {values.size()});
}

void Hdf5Writer::integer(const std::string& dataset, int value) { ints(dataset, &value, {1}); }

void Hdf5Writer::text(const std::string& dataset, const std::string& value) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), value.size() + 1);
  write(dataset, type.id(), type.id(), value.c_str(), {});
}

std::string pad_texts(const std::vector<std::string>& texts, std::size_t length) {
  const auto continues_letter = [](char byte) { return (byte & 0xC0) == 0x80; };
  std::string padded;
  for (const std::string& text : texts) {
    std::size_t size = std::min(text.size(), length);
    if (size < text.size()) {
      while (size > 0 && continues_letter(text[size])) --size;
    }
    padded.append(text, 0, size);
    padded.append(length - size, '\0');
  }
  return padded;
}

void Hdf5Writer::texts(const std::string& dataset, const std::vector<std::string>& values) {
  std::size_t length = 1;
  for (const std::string& value : values) length = std::max(length, value.size());
  const std::string padded = pad_texts(values, length);
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), length);
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  write(dataset, type.id(), type.id(), padded.data(), {values.size()});
}

// Of variable length, which h5py turns into str.
void Hdf5Writer::attribute(const std::string& dataset, const std::string& name,
                           const std::string& value) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Handle handle(H5Acreate_by_name(file_.id(), dataset.c_str(), name.c_str(), type.id(),
                                            space.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                          H5Aclose);
  const char* text = value.c_str();
  if (!handle.ok() || H5Awrite(handle.id(), type.id(), &text) < 0) {
    throw InputError(path_ + ": " + dataset + ": its " + name + " cannot be written");
  }
}

void Hdf5Writer::commit() {
  const auto check = [this](bool done) {
    if (!done) throw InputError(path_ + ": HDF5 cannot make the file");
  };
  check(H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0);
  const ssize_t size = H5Fget_file_image(file_.id(), nullptr, 0);
  check(size > 0);
  std::string image(static_cast<std::size_t>(size), '\0');
  check(H5Fget_file_image(file_.id(), image.data(), image.size()) == size);
  write_file(path_, image);
}

}  // namespace stiction
