// Impacts that follow each other within a step: a ball that is hit hits the next one, with a speed
// that is known only after the first impact.
//
// The step's own solve knows the speeds of its start. Where it stops a contact with restitution
// that was no impact then, while another bounces, the impacts are gone through one after the other,
// without forces,
//
//   A v_k = A v_{k-1} + J^T lambda_k,   J_n v_k >= -r J_n v_{k-1} at all contacts that hit,
//
// in rounds: contacts that v_{k-1} closes within the step hit, all at once, but of two bodies the
// first (first_hits.h); others with restitution are open, touching ones too; those without it hold
// in every round, as limits and equalities do.
// A contact that was pushed then leaves with the speed after the last round, e_n = -J_n v_k, which
// makes v_k the solution of the step's own problem, but for the forces.
//
// The last of too many rounds is plastic. With friction or different r a round may add energy; what
// comes of it is limited as for any bounce (bounce.h).
#pragma once

#include <stiction/problem.h>
#include <stiction/simulation.h>
#include <stiction/solve.h>

#include <Eigen/Core>
#include <vector>

namespace stiction {

class ImpactSequence {
 public:
  /// `problem` is the step's; `contacts` are its first constraints, v the velocity before the first
  /// impact. Approaching slower than `least` (m/s) is no impact.
  /// Contacts that have `landed` are left out.
  ImpactSequence(const Problem& problem, const std::vector<ContactForce>& contacts,
                 const std::vector<char>& landed, const Eigen::VectorXd& v, double h, double least);

  /// Whether the impulses of the step's own solve stop something that should bounce.
  bool is_needed(const Eigen::VectorXd& lambda) const;

  /// Whether something hits, still.
  bool any_hits() const;
  /// The next round; if it is `plastic`, all that closes stops.
  void start_round(bool plastic);
  const Problem& round() const { return round_; }
  void finish_round(const Solution& solution);
  const Eigen::VectorXd& v() const { return v_; }  ///< after the last round

  /// Gives contacts and limits that were pushed the velocity after the last round.
  void set_biases(Problem& problem) const;

 private:
  void find_hits();
  void add_constraint(int i, double e_n);

  const Problem& problem_;
  const std::vector<ContactForce>& contacts_;
  const std::vector<char>& landed_;
  double h_;
  double least_;
  Eigen::VectorXd v_;         ///< after the last round
  Eigen::VectorXd Jv_;        ///< of it
  std::vector<char> hits_;    ///< per contact: whether it hits with it
  Eigen::VectorXd lambda_;    ///< sum of all rounds
  std::vector<char> in_any_;  ///< per constraint: whether a round had it
  Problem round_;
  std::vector<double> e_of_round_;
  std::vector<int> of_round_;  ///< its constraints, as in the step
};

}  // namespace stiction
