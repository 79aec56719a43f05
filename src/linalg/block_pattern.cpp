#include "linalg/block_pattern.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <numeric>

namespace stiction {
namespace {

// Below this size one dense front beats any structure.
constexpr int kDenseSize = 32;

// A front before rows are numbered: blocks in the order of elimination.
struct Draft {
  std::vector<int> columns;  ///< eliminated blocks
  std::vector<int> reach;    ///< blocks that they update, rising
  int width = 0;
  int reach_size = 0;
  bool merged = false;  ///< into its parent
};

// Flops of a partial LU, of passing the update on, and of handling a front at all.
double cost(int width, int reach) {
  const double a = width + reach;
  const double b = reach;
  return 2.0 / 3.0 * (a * a * a - b * b * b) + 4 * b * b + 1500;
}

std::vector<int> order_blocks(int count, const std::vector<std::pair<int, int>>& couplings) {
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(2 * couplings.size() + count);
  for (int i = 0; i < count; ++i) entries.emplace_back(i, i, 1);
  for (const auto& [i, j] : couplings) {
    entries.emplace_back(i, j, 1);
    entries.emplace_back(j, i, 1);
  }
  Eigen::SparseMatrix<double> graph(count, count);
  graph.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order(count);
  Eigen::AMDOrdering<int>()(graph, order);
  std::vector<int> rank(count);  // order.indices()[k] is the block eliminated at step k
  for (int k = 0; k < count; ++k) rank[order.indices()[k]] = k;
  return rank;
}

// reach(k) = later neighbours of k and of everything eliminated into k (fill-in included).
std::vector<Draft> eliminate(const std::vector<int>& rank, const std::vector<int>& sizes,
                             const std::vector<std::pair<int, int>>& couplings) {
  const int count = static_cast<int>(rank.size());
  std::vector<Draft> drafts(count);
  for (int block = 0; block < count; ++block) {
    drafts[rank[block]].columns = {rank[block]};
    drafts[rank[block]].width = sizes[block];
  }
  for (const auto& [i, j] : couplings) {
    if (i == j) continue;
    drafts[std::min(rank[i], rank[j])].reach.push_back(std::max(rank[i], rank[j]));
  }
  std::vector<std::vector<int>> children(count);
  std::vector<int> mark(count, -1);
  for (int k = 0; k < count; ++k) {
    std::vector<int> reach;
    const auto add = [&](int i) {
      if (i == k || mark[i] == k) return;
      mark[i] = k;
      reach.push_back(i);
    };
    for (int i : drafts[k].reach) add(i);
    for (int child : children[k]) {
      for (int i : drafts[child].reach) add(i);
    }
    std::sort(reach.begin(), reach.end());
    for (int i : reach) drafts[k].reach_size += drafts[i].width;
    if (!reach.empty()) children[reach.front()].push_back(k);
    drafts[k].reach = std::move(reach);
  }
  return drafts;
}

// A child joins its parent when one front is cheaper than two.
void merge(std::vector<Draft>& drafts) {
  const int count = static_cast<int>(drafts.size());
  std::vector<std::vector<int>> children(count);
  for (int k = 0; k < count; ++k) {
    if (!drafts[k].reach.empty()) children[drafts[k].reach.front()].push_back(k);
  }
  for (int k = 0; k < count; ++k) {
    Draft& parent = drafts[k];
    std::vector<int> candidates = children[k];
    for (size_t c = 0; c < candidates.size(); ++c) {
      Draft& child = drafts[candidates[c]];
      if (!child.merged) {
        const double apart =
            cost(child.width, child.reach_size) + cost(parent.width, parent.reach_size);
        if (cost(child.width + parent.width, parent.reach_size) > apart) continue;
        parent.columns.insert(parent.columns.end(), child.columns.begin(), child.columns.end());
        parent.width += child.width;
        child.merged = true;
      }
      // What hangs on a merged child now hangs on the parent.
      candidates.insert(candidates.end(), children[candidates[c]].begin(),
                        children[candidates[c]].end());
    }
    std::sort(parent.columns.begin(), parent.columns.end());
  }
}

}  // namespace

BlockPattern::BlockPattern(const std::vector<int>& block_sizes,
                           const std::vector<std::pair<int, int>>& couplings) {
  const int count = static_cast<int>(block_sizes.size());
  const int n = std::accumulate(block_sizes.begin(), block_sizes.end(), 0);
  position_.resize(n);
  front_of_.resize(n);
  if (n <= kDenseSize) {
    std::iota(position_.begin(), position_.end(), 0);
    if (n > 0) fronts_.push_back({.width = n, .size = n});
    value_count_ = static_cast<ptrdiff_t>(n) * n;
    return;
  }
  const std::vector<int> rank = order_blocks(count, couplings);
  std::vector<Draft> drafts = eliminate(rank, block_sizes, couplings);
  merge(drafts);

  std::vector<int> block_of(count);
  std::vector<int> row_begin(count + 1, 0);  // in the caller's order
  for (int i = 0; i < count; ++i) {
    block_of[rank[i]] = i;
    row_begin[i + 1] = row_begin[i] + block_sizes[i];
  }
  std::vector<int> begin_of(count);  // first position of a block, by rank
  int next = 0;
  for (const Draft& draft : drafts) {
    if (draft.merged) continue;
    Front front;
    front.begin = next;
    front.width = draft.width;
    front.size = draft.width + draft.reach_size;
    front.offset = value_count_;
    value_count_ += static_cast<ptrdiff_t>(front.size) * front.size;
    for (int k : draft.columns) {
      begin_of[k] = next;
      const int block = block_of[k];
      for (int r = 0; r < block_sizes[block]; ++r) {
        front_of_[next] = static_cast<int>(fronts_.size());
        position_[row_begin[block] + r] = next++;
      }
    }
    fronts_.push_back(front);
  }
  int f = 0;
  for (const Draft& draft : drafts) {
    if (draft.merged) continue;
    Front& front = fronts_[f++];
    front.rows_begin = static_cast<int>(rows_.size());
    for (int k : draft.reach) {
      for (int r = 0; r < block_sizes[block_of[k]]; ++r) rows_.push_back(begin_of[k] + r);
    }
    std::sort(rows_.begin() + front.rows_begin, rows_.end());
    if (front.size > front.width) front.parent = front_of_[rows_[front.rows_begin]];
  }
  for (Front& front : fronts_) find_runs(front);
}

void BlockPattern::find_runs(Front& front) {
  front.runs_begin = static_cast<int>(runs_.size());
  for (int r = 0; r < front.size - front.width; ++r) {
    const int place = local_row(fronts_[front.parent], rows_[front.rows_begin + r]);
    const bool first = static_cast<int>(runs_.size()) == front.runs_begin;
    if (!first && place == runs_.back().parent + runs_.back().count) {
      ++runs_.back().count;
    } else {
      runs_.push_back({r, place, 1});
    }
  }
  front.runs_end = static_cast<int>(runs_.size());
}

int BlockPattern::local_row(const Front& front, int position) const {
  if (position < front.begin + front.width) return position - front.begin;
  const auto begin = rows_.begin() + front.rows_begin;
  const auto end = begin + (front.size - front.width);
  return front.width + static_cast<int>(std::lower_bound(begin, end, position) - begin);
}

ptrdiff_t BlockPattern::offset(int row, int column) const {
  const int i = position_[row];
  const int j = position_[column];
  const Front& front = fronts_[front_of_[std::min(i, j)]];
  return front.offset + local_row(front, i) +
         static_cast<ptrdiff_t>(front.size) * local_row(front, j);
}

int BlockPattern::column_stride(int row, int column) const {
  return fronts_[front_of_[std::min(position_[row], position_[column])]].size;
}

}  // namespace stiction
