#include "contact/subadmm_blocks.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <span>

#include "contact/parallel_for.h"

namespace stiction {
namespace {

// Below this a thread costs more than it saves.
constexpr int kEndsPerThread = 256;

// The slots of every subsystem, in order.
class SlotsOf {
 public:
  SlotsOf(const SplitProblem& split, int subsystems)
      : begin_(subsystems + 1, 0), slots_(split.slots.size()) {
    for (const Slot& slot : split.slots) ++begin_[slot.subsystem + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    std::vector<int> next = begin_;
    for (int s = 0; s < static_cast<int>(slots_.size()); ++s) {
      slots_[next[split.slots[s].subsystem]++] = s;
    }
  }

  std::span<const int> operator[](int j) const {
    return std::span(slots_).subspan(begin_[j], begin_[j + 1] - begin_[j]);
  }

 private:
  std::vector<int> begin_;
  std::vector<int> slots_;
};

}  // namespace

SubsystemBlocks::SubsystemBlocks(const Problem& problem, const SplitProblem& split,
                                 const Eigen::VectorXd& weights, bool articulated, int threads)
    : split_(split),
      JtJ_(split.slots.size(), Matrix6d::Zero()),
      N_(JtJ_),
      bodies_(static_cast<int>(split.slots.size())) {
  bodies_.reserve(static_cast<int>(split.slots.size()));
  const int ends = static_cast<int>(split.ends.size());
  threads_ = std::clamp(ends / kEndsPerThread, 1, std::max(threads, 1));
  for (int i = 0; i < static_cast<int>(weights.size()); ++i) {
    if (weights[i] == 0) continue;
    for (int k = split.end_begin[i]; k < split.end_begin[i + 1]; ++k) {
      const SlotEnd& end = split.ends[k];
      JtJ_[end.slot].noalias() += end.block.transpose() * (weights[i] * end.block);
    }
  }
  const SlotsOf slots_of(split, static_cast<int>(problem.subsystems.size()));
  std::vector<int> sparse_of(problem.subsystems.size(), -1);
  for (int j = 0; j < static_cast<int>(problem.subsystems.size()); ++j) {
    const Subsystem& subsystem = problem.subsystems[j];
    const std::span<const int> slots = slots_of[j];
    if (slots.empty()) continue;
    if (subsystem.sparse >= 0) {
      sparse_.emplace_back(problem, subsystem);
      sparse_subsystem_.push_back(j);
      for (int s : slots) sparse_.back().add_slot(s, split.slots[s]);
      sparse_of[j] = static_cast<int>(sparse_.size()) - 1;
    } else if (slots.size() > 1 || split.slots[slots[0]].body < 0 ||
               !bodies_.add(problem, subsystem, slots[0])) {
      trees_.emplace_back(problem, subsystem, articulated);
      for (int s : slots) trees_.back().add_slot(s, split.slots[s]);
    }
  }
  for (int i = 0; i < weights.size(); ++i) {
    for (int k = split.end_begin[i]; k < split.end_begin[i + 1]; ++k) {
      const int block = sparse_of[split.slots[split.ends[k].slot].subsystem];
      if (block >= 0) sparse_[block].add_end(split.ends[k], weights[i]);
    }
  }
}

template <class OnBodies, class OnTree, class OnSparse>
void SubsystemBlocks::for_all_blocks(const OnBodies& on_bodies, const OnTree& on_tree,
                                     const OnSparse& on_sparse) {
  const int bodies = bodies_.count();
  const int trees = static_cast<int>(trees_.size());
  const int sparse = static_cast<int>(sparse_.size());
  parallel_for(bodies, threads_, on_bodies);
  parallel_for(trees + sparse, threads_, [&](int k) {
    if (k < trees) {
      on_tree(trees_[k]);
    } else {
      on_sparse(sparse_[k - trees], sparse_subsystem_[k - trees]);
    }
  });
}

bool SubsystemBlocks::factorize(const Eigen::VectorXd& beta) {
  parallel_for(static_cast<int>(N_.size()), threads_, [&](int s) {
    N_[s] = beta[split_.slots[s].subsystem] * JtJ_[s];  // [TRO25] (42)
  });
  std::atomic<bool> ok = true;
  const auto note = [&](bool good) {
    if (!good) ok = false;
  };
  for_all_blocks([&](int k) { note(bodies_.factorize(N_, k)); },
                 [&](TreeBlock& tree) { note(tree.factorize(N_)); },
                 [&](SparseBlock& block, int j) { note(block.factorize(beta[j])); });
  return ok;
}

void SubsystemBlocks::update(double relaxation, const SlotData& slots) {
  for_all_blocks(
      [&](int k) { bodies_.update(k, relaxation, slots.record_begin, slots.wrenches, slots.x); },
      [&](TreeBlock& tree) { tree.update(relaxation, N_, slots); },
      [&](SparseBlock& block, int) { block.update(relaxation, N_, slots); });
}

}  // namespace stiction
