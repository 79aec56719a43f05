// Mass and inertia. A body that moves needs both, in itself or in what is welded to it; an inertia
// must be one that some distribution of mass has: its principal moments are not negative and no one
// of them exceeds the sum of the other two.
#include <Eigen/Eigenvalues>

#include "model/checks.h"

namespace stiction {
namespace {

constexpr double kSmallest = 1e-15;  // kg, kg m^2: as in MuJoCo
constexpr double kRounding = 1e-9;   // relative, of inertias written with nine digits

/// Smallest principal moment; throws if the tensor is no inertia.
double check_inertia(const Part& where, const Body& body) {
  check_not_negative(where, "mass", body.mass);
  check_finite(where, "centre of mass", body.com);
  check_finite(where, "inertia", body.inertia.reshaped());
  const double scale = body.inertia.cwiseAbs().maxCoeff();
  if ((body.inertia - body.inertia.transpose()).cwiseAbs().maxCoeff() > kRounding * scale) {
    const Eigen::Matrix3d& I = body.inertia;
    refuse(where, "inertia is not symmetric: xy, xz, yz are " + text(I(0, 1)) + ", " +
                      text(I(0, 2)) + ", " + text(I(1, 2)) + " above and " + text(I(1, 0)) + ", " +
                      text(I(2, 0)) + ", " + text(I(2, 1)) + " below the diagonal");
  }
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(body.inertia, Eigen::EigenvaluesOnly)
          .eigenvalues();  // rising
  if (moments[0] < -kRounding * scale) {
    refuse(where, "smallest principal inertia is " + text(moments[0]) + ", expected >= 0");
  }
  if (moments[0] + moments[1] < (1 - kRounding) * moments[2]) {
    refuse(where, "principal inertias are " + text(moments[0]) + ", " + text(moments[1]) + ", " +
                      text(moments[2]) + ", expected that no one exceeds the sum of the others");
  }
  return moments[0];
}

}  // namespace

void validate_inertias(const Model& model) {
  const int n = static_cast<int>(model.bodies.size());
  std::vector<char> heavy(n, false);  // the body, or one welded to it, has mass and inertia
  for (int i = n - 1; i > 0; --i) {
    const Body& body = model.bodies[i];
    const double smallest = check_inertia(Part{"body", i, body.name}, body);
    if (body.mass >= kSmallest && smallest >= kSmallest) heavy[i] = true;
    if (body.joint_count == 0 && heavy[i]) heavy[body.parent] = true;
  }
  for (int i = 1; i < n; ++i) {
    const Body& body = model.bodies[i];
    if (body.joint_count == 0 || heavy[i]) continue;
    const double smallest = check_inertia(Part{"body", i, body.name}, body);
    refuse(Part{"body", i, body.name}, "moves, but its mass is " + text(body.mass) +
                                           " and its smallest inertia " + text(smallest) +
                                           ", expected both >= " + text(kSmallest));
  }
}

}  // namespace stiction
