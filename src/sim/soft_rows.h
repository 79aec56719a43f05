// Soft and nonholonomic rows ([TRO25] (4)): tendons with armature, springs, dampers or servos,
// servos along other moments, the user's springs, and rolling without slip.
#pragma once

#include "sim/assemble.h"

namespace stiction {

/// A row per fixed tendon that couples its joints; `set_tendon_rows` gives it its numbers.
void add_tendon_rows(const AssembleInput& input, Problem& problem,
                     std::vector<ConstraintSource>& sources);

/// lambda = -c u+ + impulse, u+ the tendon's rate: armature, and what is implicit in springs,
/// dampers and servos, for the servos' present modes.
void set_tendon_rows(const AssembleInput& input, const std::vector<ConstraintSource>& sources,
                     Problem& problem);

/// A row per servo that acts on several dofs and no tendon; `set_servo_rows` gives it its numbers.
void add_servo_rows(const AssembleInput& input, Problem& problem,
                    std::vector<ConstraintSource>& sources);

/// lambda = -c u+ + impulse, u+ the rate along the servo's moment, for the present modes.
void set_servo_rows(const AssembleInput& input, const std::vector<ConstraintSource>& sources,
                    Problem& problem);

void add_springs(const AssembleInput& input, Problem& problem,
                 std::vector<ConstraintSource>& sources);

void add_rolling(const AssembleInput& input, Problem& problem,
                 std::vector<ConstraintSource>& sources);

}  // namespace stiction
