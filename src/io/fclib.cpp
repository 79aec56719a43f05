#include "io/fclib.h"

#include <stiction/error.h>

#include <algorithm>

#include "contact/dynamics.h"

namespace stiction {
namespace {

using Eigen::VectorXd;

bool has_only(const Problem& problem, bool equalities_too) {
  return std::all_of(problem.constraints.begin(), problem.constraints.end(), [&](const auto& c) {
    return c.type == ConstraintType::kContact ||
           (equalities_too && c.type == ConstraintType::kEquality);
  });
}

void check_spacedim(const Hdf5Reader& file, const std::string& root) {
  const int dimension = file.integer(root + "/spacedim");
  if (dimension != 3) {
    file.refuse(root + "/spacedim", "is " + std::to_string(dimension) + ", expected 3");
  }
}

// The impulse of a guess or solution group, in our order; empty if there is none of that size, or
// if it is zero, as in files that reserve the place only.
VectorXd read_impulse(const Hdf5Reader& file, const std::string& group, const Problem& problem) {
  const std::string name = group + "/r";
  if (!file.has(name)) return {};
  const std::vector<double> r = file.doubles(name);
  const std::vector<double> l =
      file.has(group + "/l") ? file.doubles(group + "/l") : std::vector<double>{};
  if (r.size() + l.size() != static_cast<std::size_t>(problem.n_c())) return {};
  VectorXd lambda(problem.n_c());
  const int contacts = static_cast<int>(r.size());
  for (int k = 0; k < contacts; ++k) lambda[k] = r[fclib_row(k)];
  for (std::size_t k = 0; k < l.size(); ++k) lambda[contacts + static_cast<int>(k)] = l[k];
  if (lambda.isZero(0) || !lambda.allFinite()) return {};
  return lambda;
}

// v = A^-1 (b + J^T lambda): what the file says about v is not needed.
VectorXd velocity_of(const Problem& problem, const VectorXd& lambda) {
  const DynamicsFactor factor(problem);
  Matrix6Xd W(6, problem.bodies.size());
  VectorXd v = problem.b;
  add_J_transposed(problem, lambda, W, v);
  factor.solve_in_place(v);
  return v;
}

void read_guess(const Hdf5Reader& file, StoredProblem& stored) {
  for (const char* group : {"/guesses/1", "/guesses/0", "/solution"}) {
    if (!file.has(group)) continue;
    const VectorXd lambda = read_impulse(file, group, stored.problem);
    if (lambda.size() == 0) continue;
    stored.has_guess = true;
    stored.guess.lambda = lambda;
    stored.guess.v = velocity_of(stored.problem, lambda);
    stored.guess.warm = true;
    return;
  }
}

// Contacts first, in FCLIB's order, then equalities.
void write_guess(Hdf5Writer& file, const Problem& problem, const Solution& guess) {
  std::vector<double> r;
  std::vector<double> l;
  for (const Constraint& c : problem.constraints) {
    const double* at = guess.lambda.data() + c.row_begin;
    if (c.type == ConstraintType::kContact) {
      r.insert(r.end(), {at[2], at[0], at[1]});
    } else {
      l.insert(l.end(), at, at + c.rows);
    }
  }
  Matrix6Xd V(6, problem.bodies.size());
  VectorXd u(problem.n_c());
  multiply_J(problem, guess.v, V, u);
  u += problem.e;
  std::vector<double> u_contacts;
  for (const Constraint& c : problem.constraints) {
    if (c.type != ConstraintType::kContact) continue;
    const double* at = u.data() + c.row_begin;
    u_contacts.insert(u_contacts.end(), {at[2], at[0], at[1]});
  }
  file.doubles("/solution/v", guess.v.data(), {static_cast<std::size_t>(guess.v.size())});
  file.doubles("/solution/u", u_contacts);
  file.doubles("/solution/r", r);
  if (!l.empty()) file.doubles("/solution/l", l);
}

}  // namespace

StoredProblem read_problem(const std::string& path) {
  const Hdf5Reader file(path);
  StoredProblem stored;
  const bool exact = file.has("/stiction");
  if (exact) {
    stored.problem = read_exact(file);
  } else if (file.has("/fclib_global")) {
    check_spacedim(file, "/fclib_global");
    stored.problem = read_global(file);
  } else if (file.has("/fclib_local")) {
    check_spacedim(file, "/fclib_local");
    stored.problem = read_local(file);
  } else {
    throw InputError(path + ": expected a group /fclib_global, /fclib_local or /stiction");
  }
  try {
    validate(stored.problem);
  } catch (const InputError& error) {
    throw InputError(path + ": " + error.what());
  }
  if (exact) {
    stored.has_guess = read_exact_guess(file, stored.problem, stored.guess);
  } else {
    read_guess(file, stored);
  }
  return stored;
}

void write_problem(const std::string& path, const Problem& problem, ProblemForm form,
                   const Solution* guess) {
  Hdf5Writer file(path);
  write_exact(file, problem);
  const bool local = form == ProblemForm::kLocal;
  if (local && !has_only(problem, false)) {
    throw InputError(path + ": the local form knows contacts only, and the problem has others");
  }
  if (local) {
    write_local(file, problem);
  } else if (has_only(problem, true)) {
    write_global(file, problem);
  }
  const std::string root = local ? "/fclib_local" : "/fclib_global";
  file.text(root + "/info/title", "stiction");
  file.text(root + "/info/description",
            has_only(problem, true) ? "a contact problem written by stiction"
                                    : "see /stiction: FCLIB has no form for these constraints");
  file.text(root + "/info/math_info", "M v = f + H r, u = H^T v + w");
  if (guess != nullptr) {
    write_exact_guess(file, *guess);
    write_guess(file, problem, *guess);
  }
  file.commit();
}

}  // namespace stiction
