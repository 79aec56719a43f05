// HDF5 files as named arrays: a thin layer over the C interface. Everything that is wrong with a
// file becomes an InputError that names the file, the dataset and what was expected; the library's
// own error printing is silenced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace stiction {

/// Owns an HDF5 identifier and closes it.
class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);
  Hdf5Handle(std::int64_t id, Close closer) : id_(id), close_(closer) {}
  ~Hdf5Handle();
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  Hdf5Handle(Hdf5Handle&& other) noexcept;
  Hdf5Handle& operator=(Hdf5Handle&&) = delete;

  std::int64_t id() const { return id_; }
  bool ok() const { return id_ >= 0; }
  bool close();  ///< early, for its result

 private:
  std::int64_t id_;
  Close close_;
};

class Hdf5Reader {
 public:
  explicit Hdf5Reader(const std::string& path);

  const std::string& path() const { return path_; }
  bool has(const std::string& name) const;  ///< group or dataset, absolute name
  std::vector<std::size_t> shape(const std::string& dataset) const;
  /// All values in row-major order. Numbers of another class (text, compounds) are refused, and so
  /// are integers where reals are expected and the reverse.
  std::vector<double> doubles(const std::string& dataset) const;
  std::vector<int> ints(const std::string& dataset) const;
  std::vector<std::uint64_t> ids(const std::string& dataset) const;
  std::vector<unsigned char> bytes(const std::string& dataset) const;
  std::string text(const std::string& dataset) const;
  std::vector<std::string> texts(const std::string& dataset) const;  ///< of one fixed length
  /// One integer.
  int integer(const std::string& dataset) const;
  /// `doubles` or `ints` that must have `count` values.
  std::vector<double> doubles(const std::string& dataset, std::size_t count) const;
  std::vector<int> ints(const std::string& dataset, std::size_t count) const;

  [[noreturn]] void refuse(const std::string& dataset, const std::string& what) const;

 private:
  Hdf5Handle open(const std::string& dataset) const;
  std::size_t count(const Hdf5Handle& handle, const std::string& dataset) const;
  void read(const std::string& dataset, int type_class, const char* class_name,
            std::int64_t memory_type, std::size_t value_size,
            std::vector<unsigned char>& raw) const;

  std::string path_;
  Hdf5Handle file_;
};

/// A whole file, made in memory and written by `commit`: HDF5 itself does not survive a full disk.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::string& path);

  /// Parent groups are made as needed. `shape` in row-major order.
  void doubles(const std::string& dataset, const double* values, std::vector<std::size_t> shape);
  void ints(const std::string& dataset, const int* values, std::vector<std::size_t> shape);
  void doubles(const std::string& dataset, const std::vector<double>& values);
  void ints(const std::string& dataset, const std::vector<int>& values);
  void bytes(const std::string& dataset, const std::vector<unsigned char>& values);
  void integer(const std::string& dataset, int value);
  void text(const std::string& dataset, const std::string& value);
  void texts(const std::string& dataset, const std::vector<std::string>& values);
  /// Datasets of no rows yet, to which Hdf5Appender adds rows of this shape.
  void growing_doubles(const std::string& dataset, const std::vector<std::size_t>& row);
  void growing_ints(const std::string& dataset, const std::vector<std::size_t>& row);
  void growing_ids(const std::string& dataset);  ///< numbers of 64 bits, one a row
  void growing_texts(const std::string& dataset, std::size_t length);  ///< one a row
  /// A text about a dataset that there is.
  void attribute(const std::string& dataset, const std::string& name, const std::string& value);

  void commit();

 private:
  void write(const std::string& dataset, std::int64_t file_type, std::int64_t memory_type,
             const void* values, const std::vector<std::size_t>& shape);
  void grow(const std::string& dataset, std::int64_t type, const std::vector<std::size_t>& row);

  std::string path_;
  Hdf5Handle file_;
};

/// Adds rows to the growing datasets of a file that is complete before and after: all is written by
/// `commit`, which closes the file. The file is not locked, so that others may read it meanwhile.
/// The room for all of it is reserved first: on a full disk `commit` throws InputError and the file
/// stays as it was.
class Hdf5Appender {
 public:
  explicit Hdf5Appender(std::string path) : path_(std::move(path)) {}

  /// Whole rows, whose number says how many there are if a row is empty.
  void doubles(const std::string& dataset, const std::vector<double>& values, std::size_t rows);
  void ints(const std::string& dataset, const std::vector<int>& values, std::size_t rows);
  void ids(const std::string& dataset, const std::vector<std::uint64_t>& values);
  /// Texts longer than the dataset's `length` are cut.
  void texts(const std::string& dataset, const std::vector<std::string>& values,
             std::size_t length);
  void commit();

 private:
  struct Addition {
    std::string dataset;
    std::int64_t type;                 ///< in memory; -1: as in the file
    std::vector<unsigned char> bytes;  ///< of the values
    std::size_t rows;
  };
  void append(const std::string& dataset, std::int64_t type, const void* values, std::size_t size,
              std::size_t rows);
  void write(const Hdf5Handle& file, const Addition& addition) const;

  std::string path_;
  std::vector<Addition> additions_;
};

/// The texts one after the other, each `length` bytes: cut, between letters (UTF-8), or followed by
/// zeros.
std::string pad_texts(const std::vector<std::string>& texts, std::size_t length);

/// Turns the library's own error printing off.
void silence_hdf5();

}  // namespace stiction
