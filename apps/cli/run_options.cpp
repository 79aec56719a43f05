// The options of what simulates, and those of `stiction run`.
#include <limits>

#include "options.h"
#include "run.h"

namespace stiction::cli {

void add_simulation_options(CLI::App& command, RunRequest& request) {
  command
      .add_option("--solver", request.solver, "Solver by name (stiction solve --help lists them)")
      ->check(not_empty("the name of a solver"));
  command.add_option("--duration", request.duration, "Seconds to simulate")->check(number_above(0));
  command.add_option("--dt", request.dt, "Time step in s; the model's own if not given")
      ->check(number_above(0));
  command
      .add_option("--theta", request.theta,
                  "Positions move with theta v + (1 - theta) v+, 0 to 1; 1/2 is of second order")
      ->check(number_in(0, 1))
      ->capture_default_str();
  command.add_option("--tol", request.tolerance, "Tolerance on the scaled residual, m/s")
      ->check(number_above(0));
  command
      .add_option("--budget", request.budget,
                  "Of every solve, of which a step may have several: 500us, 2ms, or a number of "
                  "iterations")
      ->check(not_empty("a duration like 500us, or a number of iterations"));
  command.add_option("--threads", request.threads, "Threads")->check(integer_in(1, 256));
  command.add_option("--key", request.key, "Start from this keyframe, by name or index")
      ->check(not_empty("the name or index of a keyframe"));
  command
      .add_option("--set", request.set,
                  "qpos=..., qvel=..., act=..., eq_active=... or ctrl=...: start values")
      ->allow_extra_args(false);
  command
      .add_option(
          "--on-trouble", request.on_trouble,
          "What to do about a step that misses: warn (count it and go on), throw (stop), "
          "retry (solve again with four times the budget) or fallback (solve again by canal)")
      ->capture_default_str();
}

void add_run_options(CLI::App& command, RunRequest& request) {
  add_simulation_options(command, request);
  add_floating_flag(command, request.floating);
  command.add_option("--report", request.report, "Write the report as JSON to this file")
      ->check(not_empty());
  CLI::Option* record =
      command
          .add_option("--record", request.record,
                      "Record states, contacts, sensors, forces and reports (HDF5)")
          ->check(not_empty());
  command
      .add_option("--record-every", request.record_every,
                  "Seconds between recorded frames; every step if not given")
      ->check(number_in(0, std::numeric_limits<double>::infinity()))
      ->needs(record);
  command
      .add_option("--repeat", request.repeat,
                  "Repeat this recording, made with the same options, and compare the bits; "
                  "controls and where time was up are the recording's")
      ->check(not_empty())
      ->excludes(command.get_option("--duration"));
  CLI::Option* plot = command
                          .add_option("--plot", request.plot,
                                      "Draw energy,penetration,residual,contacts,time over time")
                          ->delimiter(',')
                          ->allow_extra_args(false);
  command.add_option("--plot-file", request.plot_file, "The picture of --plot (PNG)")
      ->check(not_empty())
      ->needs(plot)
      ->capture_default_str();
  CLI::Option* dump =
      command
          .add_option(
              "--dump-worst", request.dump_worst,
              "Write the problems of the N worst steps, and what their solves started from, as "
              "NAME-step-K.h5 for stiction solve --warm")
          ->check(integer_in(0, 1000));
  command.add_option("--dump-to", request.dump_to, "Folder of --dump-worst")
      ->check(not_empty("the name of a folder"))
      ->needs(dump)
      ->capture_default_str();
  command.add_flag("--json", request.json, "Print the report as JSON");
}

}  // namespace stiction::cli
