// Gauss-Seidel with as many constraints at once as the machine has lanes. Constraints that touch no
// subsystem in common do not see each other: brought to their laws one after the other or all at
// once, the result is the same. A pack holds constraints of one colour, by which no two that share
// a subsystem have the same, and of one kind; what is left over goes one by one. Of robots only the
// dry friction of joints is packed: every robot has the same, whereas colours of their contacts are
// many and small.
//
// Impulses are kept in the order of the packs, lane by lane, w as in root_rows.h.
#pragma once

#include <stiction/problem.h>

#include <Eigen/Core>
#include <vector>

#include "contact/lane_laws.h"
#include "contact/one_constraint.h"
#include "contact/root_rows.h"
#include "math/lanes.h"

namespace stiction {

/// Whether the problem is of small subsystems, such as free bodies: grains.
bool is_of_grains(const Problem& problem);

class SweepPacks {
 public:
  SweepPacks(const Problem& problem, const RootRows& rows);

  /// Impulses in the order of the packs, and back.
  Eigen::VectorXd pack(const Eigen::VectorXd& lambda) const;
  void unpack(const Eigen::VectorXd& packed, Eigen::VectorXd& lambda) const;
  /// 1 / m_i for every row of every constraint, in that order; zero in unused lanes.
  Eigen::VectorXd packed_weights() const;

  /// Brings every constraint to its law, in turn.
  void sweep(Eigen::VectorXd& packed, Eigen::VectorXd& w);
  /// The scaled residual (residual.h), where w is that of the impulses.
  double residual(const Eigen::VectorXd& packed, const Eigen::VectorXd& w) const;

 private:
  enum class Kind { kContact, kJointFriction, kAlone };
  struct Pack {
    Kind kind;
    int constraint[kLanes];  ///< -1 in unused lanes
    int rows;
    int quads;         ///< places in w per lane
    int place_begin;   ///< in place_, lane by lane for every quad
    int Z_begin;       ///< in Z_: for every quad, its four components, for each the rows
    int law_begin;     ///< in law_
    int contacts;      ///< in contacts_
    int lambda_begin;  ///< in packed impulses
  };
  struct Alone {
    OneConstraint one;
    double gamma = 0;  ///< memory of `one`
    RootRows::Quads quads;
    int constraint;
    int rows;
    int lambda_begin;
  };

  Kind kind_of(int i) const;
  void add_pack(Kind kind, const int* members, int count);
  void add_alone(int i);
  void velocity(const Pack& pack, const Lanes* x, Lanes u[3]) const;
  void sweep_pack(const Pack& pack, double* lambda, Eigen::VectorXd& w);
  void sweep_row(const Alone& alone, double& lambda, double* w) const;
  void sweep_alone(Alone& alone, double* lambda, double* w) const;
  double defect(const Pack& pack, const double* lambda, const Eigen::VectorXd& w) const;
  double defect(const Alone& alone, const double* lambda, const Eigen::VectorXd& w) const;
  /// Calls visit(place in packed impulses, place in lambda) for every row.
  template <class Visit>
  void visit_rows(const Visit& visit) const;

  const Problem& problem_;
  const RootRows& rows_;
  std::vector<int> order_;  ///< of packs, and as -1 - k of constraints alone
  std::vector<Pack> packs_;
  std::vector<Alone> alone_;
  std::vector<int> place_;
  std::vector<Lanes> Z_;
  std::vector<Lanes> law_;  ///< e by row, m; of contacts mu, of friction 1 / W and the bound
  std::vector<ContactLanes> contacts_;
  int size_ = 0;  ///< of packed impulses, with zeros at the end
};

}  // namespace stiction
