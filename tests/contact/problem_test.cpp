// Every malformed field of a problem is refused before any iteration, by index and value.
#include <gtest/gtest.h>
#include <stiction/error.h>
#include <stiction/solve.h>

#include <cmath>
#include <functional>
#include <limits>

#include "contact/random_problem.h"
#include "message_of.h"

namespace stiction {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Spoiled {
  const char* name;
  std::function<void(Problem&)> spoil;
  std::vector<std::string> expected;  // parts of the message
};

int first_of(const Problem& problem, ConstraintType type) {
  for (int i = 0; i < static_cast<int>(problem.constraints.size()); ++i) {
    if (problem.constraints[i].type == type) return i;
  }
  return -1;
}

Constraint& any_of(Problem& problem, ConstraintType type) {
  return problem.constraints[first_of(problem, type)];
}

// random_problem: bodies 0 and 1 are free, 2 to 10 a tree, subsystem 3 a sparse block.
const std::vector<Spoiled> kSpoiled = {
    {"BNan", [](Problem& p) { p.b[3] = kNan; }, {"b, 3", "nan"}},
    {"BInfinite", [](Problem& p) { p.b[0] = kInfinity; }, {"b, 0", "inf"}},
    {"ENan", [](Problem& p) { p.e[7] = kNan; }, {"e, 7", "nan"}},
    {"DNan", [](Problem& p) { p.D[2] = kNan; }, {"D, 2", "nan"}},
    {"SNan", [](Problem& p) { p.S(4, 13) = kNan; }, {"S row 4, column 13", "nan"}},
    {"SizeOfB", [](Problem& p) { p.b.conservativeResize(p.n() - 1); }, {"S"}},
    {"SizeOfD", [](Problem& p) { p.D.conservativeResize(5); }, {"D", "5"}},
    {"SizeOfE", [](Problem& p) { p.e.conservativeResize(p.n_c() - 1); }, {"e"}},
    {"InertiaNan", [](Problem& p) { p.bodies[4].H(1, 2) = kNan; }, {"body 4", "row 1", "nan"}},
    {"InertiaAsymmetric", [](Problem& p) { p.bodies[1].H(0, 5) += 1; }, {"body 1", "symmetric"}},
    {"InertiaNegative", [](Problem& p) { p.bodies[0].H *= -1; }, {"subsystem 0", "definite"}},
    {"InertiaZero", [](Problem& p) { p.bodies[1].H.setZero(); }, {"subsystem 1", "definite"}},
    {"ArmatureNegative", [](Problem& p) { p.D[14] = -1e6; }, {"subsystem 2", "definite"}},
    {"ParentAfter", [](Problem& p) { p.bodies[4].parent = 9; }, {"body 4", "parent 9"}},
    {"ParentItself", [](Problem& p) { p.bodies[4].parent = 4; }, {"body 4", "parent 4"}},
    {"ParentElsewhere", [](Problem& p) { p.bodies[4].parent = 1; }, {"body 4", "parent 1"}},
    {"ParentNegative", [](Problem& p) { p.bodies[4].parent = -7; }, {"body 4", "parent -7"}},
    {"BodyDofBegin", [](Problem& p) { p.bodies[4].dof_begin += 1; }, {"body 4", "dofs"}},
    {"BodyDofCount", [](Problem& p) { p.bodies[10].dof_count = 99; }, {"body 10", "99"}},
    {"BodyDofNegative", [](Problem& p) { p.bodies[3].dof_count = -1; }, {"body 3", "-1"}},
    {"TreeDofCount", [](Problem& p) { p.bodies[10].dof_count = 0; }, {"subsystem 2", "dofs"}},
    {"SubsystemDofBegin", [](Problem& p) { p.subsystems[1].dof_begin = 5; }, {"subsystem 1", "5"}},
    {"SubsystemEmpty", [](Problem& p) { p.subsystems[0].dof_count = 0; }, {"subsystem 0", "0"}},
    {"SubsystemHuge",
     [](Problem& p) { p.subsystems[3].dof_count = std::numeric_limits<int>::max(); },
     {"subsystem 3"}},
    {"SubsystemNoBody", [](Problem& p) { p.subsystems[1].body_count = 0; }, {"subsystem 1"}},
    {"SubsystemBodies", [](Problem& p) { p.subsystems[2].body_count = 10; }, {"subsystem 2", "10"}},
    {"SubsystemMissing", [](Problem& p) { p.subsystems.pop_back(); }, {"subsystems", "dofs"}},
    {"BodyLeftOver", [](Problem& p) { p.bodies.emplace_back(); }, {"bodies"}},
    {"SparseMissing", [](Problem& p) { p.subsystems[3].sparse = 4; }, {"subsystem 3", "4"}},
    {"SparseSize",
     [](Problem& p) { p.sparse_blocks[0].conservativeResize(11, 11); },
     {"subsystem 3", "11 x 11"}},
    {"SparseAsymmetric",
     [](Problem& p) { p.sparse_blocks[0].coeffRef(0, 3) = 5; },
     {"subsystem 3", "symmetric"}},
    {"SparseNan", [](Problem& p) { p.sparse_blocks[0].coeffRef(2, 2) = kNan; }, {"subsystem 3"}},
    {"SparseIndefinite",
     [](Problem& p) { p.sparse_blocks[0].coeffRef(2, 2) = -4; },
     {"subsystem 3", "definite"}},
    {"MuNegative", [](Problem& p) { p.constraints[2].mu = -0.5; }, {"constraint 2", "mu", "-0.5"}},
    {"MuNan", [](Problem& p) { p.constraints[2].mu = kNan; }, {"constraint 2", "mu", "nan"}},
    {"MuInfinite", [](Problem& p) { p.constraints[2].mu = kInfinity; }, {"constraint 2", "inf"}},
    {"BoundNegative",
     [](Problem& p) { any_of(p, ConstraintType::kJointFriction).bound = -0.25; },
     {"constraint", "bound", "-0.25"}},
    {"LimitsCrossed",
     [](Problem& p) { any_of(p, ConstraintType::kJointLimit).lower = 3; },
     {"constraint", "limits", "3"}},
    {"LimitsNan",
     [](Problem& p) { any_of(p, ConstraintType::kJointLimit).upper = kNan; },
     {"constraint", "limits", "nan"}},
    {"SoftZero", [](Problem& p) { any_of(p, ConstraintType::kSoft).c = 0; }, {"soft c is 0"}},
    {"SoftNan", [](Problem& p) { any_of(p, ConstraintType::kSoft).k = kNan; }, {"k nan"}},
    {"ContactRows", [](Problem& p) { p.constraints[1].rows = 1; }, {"constraint 1", "1 rows", "3"}},
    {"EqualityRows",
     [](Problem& p) { any_of(p, ConstraintType::kEquality).rows = 2; },
     {"2 rows", "1 or 3"}},
    {"RowBegin", [](Problem& p) { p.constraints[3].row_begin = 8; }, {"constraint 3", "8", "9"}},
    {"NoPorts", [](Problem& p) { p.constraints[0].port_count = 0; }, {"constraint 0", "0 ports"}},
    {"ThreePorts",
     [](Problem& p) { p.constraints[0].port_count = 3; },
     {"constraint 0", "3 ports"}},
    {"PortsBeyond",
     [](Problem& p) { p.constraints.back().port_begin = std::numeric_limits<int>::max(); },
     {"constraint", "ports"}},
    {"PortsNegative", [](Problem& p) { p.constraints[0].port_begin = -1; }, {"constraint 0", "-1"}},
    {"PortBody", [](Problem& p) { p.ports[1].body = 77; }, {"constraint 0, port 1", "body 77"}},
    {"PortNan",
     [](Problem& p) { p.ports[0].block(1, 4) = kNan; },
     {"constraint 0, port 0", "row 1, column 4", "nan"}},
    {"PortBoth", [](Problem& p) { p.ports[0].entry_count = 1; }, {"constraint 0, port 0", "dofs"}},
    {"DuplicateBody",
     [](Problem& p) { p.ports[1].body = p.ports[0].body; },
     {"constraint 0", "both ports", "body 0"}},
    {"DuplicateDof", [](Problem& p) { p.port_dofs[1] = p.port_dofs[0]; }, {"appears twice"}},
    {"NoSuchDof", [](Problem& p) { p.port_dofs[0] = p.n(); }, {"no dof"}},
    {"NegativeDof", [](Problem& p) { p.port_dofs[0] = -1; }, {"no dof -1"}},
    {"ColumnNan", [](Problem& p) { p.port_columns[0][1] = kNan; }, {"nan"}},
    {"ColumnsMissing", [](Problem& p) { p.port_columns.pop_back(); }, {"port_columns"}},
    {"NamesMissing", [](Problem& p) { p.names = {"one"}; }, {"names", "1"}},
};

class SpoiledProblem : public testing::TestWithParam<Spoiled> {};

TEST_P(SpoiledProblem, IsRefusedWithIndexAndValue) {
  Problem problem = random_problem(1);
  ASSERT_NO_THROW(validate(problem));
  GetParam().spoil(problem);
  Solution solution;
  const std::string message = message_of([&] { solve(problem, "pgs", {}, false, solution); });
  EXPECT_EQ(message.rfind("problem: ", 0), 0u) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  for (const std::string& part : GetParam().expected) {
    EXPECT_NE(message.find(part), std::string::npos) << message << " lacks " << part;
  }
  EXPECT_EQ(solution.lambda.size(), 0);  // nothing was touched
}

INSTANTIATE_TEST_SUITE_P(Fields, SpoiledProblem, testing::ValuesIn(kSpoiled),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(Problem, WarmStartsOfTheWrongSizeAreRefused) {
  const Problem problem = generate_problem("one", 1);
  Solution solution;
  solution.warm = true;
  solution.v.setZero(5);
  solution.lambda.setZero(3);
  EXPECT_THROW(solve(problem, "pgs", {}, false, solution), InputError);
  EXPECT_THROW(solve(problem, "no such solver", {}, false, solution), InputError);
}

}  // namespace
}  // namespace stiction
