// What the page knows of the solvers beyond their names.

interface Known {
  words: string;
  iterations?: number; // to begin with; else the solver's own limit
}

// Fifty sweeps: what engines that sweep spend on a step (PyBullet's default; others take fewer).
export const SWEEPS = 50;

const KNOWN: Record<string, Known> = {
  grip: { words: "exact, the default" },
  canal: { words: "exact, augmented Lagrangian" },
  convex: { words: "soft contact, as MuJoCo has it" },
  subadmm: { words: "splits by body, for many" },
  subadmm_aa: { words: "the same, accelerated" },
  pgs: { words: "sweeps, as game engines do", iterations: SWEEPS },
  pgs_cg: { words: "sweeps, accelerated", iterations: SWEEPS },
  pj: { words: "Jacobi sweeps", iterations: SWEEPS },
  fadmm: { words: "ADMM on the whole" },
  nobody: { words: "ADMM by subsystem" },
  implicit: { words: "implicit complementarity" },
  nnewton: { words: "Fischer-Burmeister Newton" },
  trdogleg: { words: "strict, with dogleg" },
  dampedsn: { words: "strict, with damping" },
};

export function inWords(solver: string): string {
  return KNOWN[solver] ? `${solver} · ${KNOWN[solver].words}` : solver;
}

export function firstIterations(solver: string): number {
  return KNOWN[solver]?.iterations ?? 0;
}
