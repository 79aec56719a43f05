// Symbolic analysis of a square matrix with a symmetric pattern of blocks, done once per problem:
// a fill-reducing order of the blocks (approximate minimum degree), the fronts of the multifrontal
// method (Duff and Reid 1983), and where every entry goes. A front eliminates some rows and
// updates the rows that they reach; fronts are merged while that costs less than keeping them
// apart, so that a small coupled problem becomes one dense matrix and a pile stays sparse.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace stiction {

/// Neighbouring rows of a front that are neighbours in its parent, too.
struct RowRun {
  int row = 0;     ///< among the updated rows
  int parent = 0;  ///< row of the parent front
  int count = 0;
};

struct Front {
  int begin = 0;       ///< first eliminated row, in elimination order
  int width = 0;       ///< eliminated rows
  int size = 0;        ///< width + updated rows; the front is size x size
  int parent = -1;     ///< front that receives the update, or -1
  int rows_begin = 0;  ///< of BlockPattern::rows, size - width entries
  int runs_begin = 0;  ///< of BlockPattern::runs
  int runs_end = 0;
  ptrdiff_t offset = 0;  ///< of its column-major values
};

class BlockPattern {
 public:
  BlockPattern() = default;  ///< of an empty matrix
  /// `couplings` are pairs of blocks with entries between them; order and repetition are free, the
  /// diagonal is implied. Same input, same result.
  BlockPattern(const std::vector<int>& block_sizes,
               const std::vector<std::pair<int, int>>& couplings);

  int size() const { return static_cast<int>(position_.size()); }
  ptrdiff_t value_count() const { return value_count_; }
  const std::vector<Front>& fronts() const { return fronts_; }
  /// Updated rows of all fronts, in elimination order, and where they are in the parent front.
  const std::vector<int>& rows() const { return rows_; }
  const std::vector<RowRun>& runs() const { return runs_; }
  /// Place of a row (blocks in the caller's order) in elimination order.
  int position(int row) const { return position_[row]; }

  /// Where the entry (row, column) is stored; it must be in the pattern.
  ptrdiff_t offset(int row, int column) const;
  /// Distance in memory between two neighbours of a row, at the entry (row, column).
  int column_stride(int row, int column) const;
  /// True if the entry is in the part that a symmetric factorization reads.
  bool is_lower(int row, int column) const { return position_[row] >= position_[column]; }

 private:
  void find_runs(Front& front);
  int local_row(const Front& front, int position) const;

  std::vector<int> position_;
  std::vector<int> front_of_;  ///< by position
  std::vector<Front> fronts_;
  std::vector<int> rows_;
  std::vector<RowRun> runs_;
  ptrdiff_t value_count_ = 0;
};

}  // namespace stiction
