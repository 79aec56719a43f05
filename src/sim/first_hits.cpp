#include "sim/first_hits.h"

#include <algorithm>
#include <map>
#include <utility>

namespace stiction {
namespace {

// Share of the step within which impacts count as one: a box that lands on a face does so with all
// its corners, whatever rounding says.
constexpr double kAtOnce = 1e-3;

}  // namespace

void find_first_hits(const std::vector<ContactForce>& contacts, const Eigen::VectorXd& u, double h,
                     double least, std::vector<char>& hits) {
  std::map<std::pair<int, int>, double> first;  // s, by bodies
  const auto time_of = [&](size_t k) {
    return std::max(contacts[k].gap, 0.0) / -u[3 * static_cast<Eigen::Index>(k) + 2];
  };
  hits.assign(contacts.size(), 0);
  for (size_t k = 0; k < contacts.size(); ++k) {
    const ContactForce& contact = contacts[k];
    const double approach = u[3 * static_cast<Eigen::Index>(k) + 2];
    hits[k] = approach < -least && contact.gap + h * approach < 0;
    if (!hits[k]) continue;
    const auto known = first.try_emplace({contact.body1, contact.body2}, h).first;
    known->second = std::min(known->second, time_of(k));
  }
  for (size_t k = 0; k < contacts.size(); ++k) {
    if (!hits[k]) continue;
    hits[k] = time_of(k) <= first[{contacts[k].body1, contacts[k].body2}] + kAtOnce * h;
  }
}

}  // namespace stiction
