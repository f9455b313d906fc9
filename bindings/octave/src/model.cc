#include "model.h"

#include <octave/Cell.h>
#include <octave/quit.h>

#include <cmath>
#include <limits>

extern "C" {
#include <rattle/fields.h>
#include <rattle/trajectory.h>
}

static void check(rattle_status status, const failure &f) {
  if (status) throw f;
}

/* rows samples in columns of the library -> a matrix with a row for each sample */
static Matrix rows(const double *values, long long count, int width) {
  Matrix all(octave_idx_type(count), width);
  for (long long k = 0; k < count; k++)
    for (int i = 0; i < width; i++) all(k, i) = values[k * width + i];
  return all;
}

static double number(const octave_scalar_map &of, const char *name, double otherwise) {
  if (!of.isfield(name)) return otherwise;
  const octave_value v = of.contents(name);
  if (!v.is_real_scalar() && !v.is_bool_scalar()) error("rattle_run: \"%s\" must be a number", name);
  return v.double_value();
}

static Cell names(const rattle_model *model, int count, const char *(*name)(const rattle_model *, int)) {
  Cell all(1, count);
  for (int i = 0; i < count; i++) all(i) = name(model, i);
  return all;
}

static own<rattle_model> load(const std::string &path, const octave_scalar_map &options) {
  failure f;
  std::vector<rattle_parameter> parameters;
  const octave_scalar_map given =
      options.isfield("parameters") ? options.contents("parameters").scalar_map_value() : octave_scalar_map();
  const string_vector keys = given.fieldnames();
  for (octave_idx_type i = 0; i < keys.numel(); i++) {
    parameters.emplace_back();
    parameters.back().value = given.contents(keys(i)).xdouble_value("rattle_run: a parameter must be a number");
  }
  for (octave_idx_type i = 0; i < keys.numel(); i++) parameters[i].name = keys[i].c_str();
  rattle_model_options how = {};
  how.struct_size = sizeof how;
  how.parameters = parameters.data();
  how.parameter_count = int(parameters.size());
  rattle_model *model = nullptr;
  check(rattle_model_load(&model, path.c_str(), &how, &f.error), f);
  return own<rattle_model>(model);
}

/* start values by name: a structure, or a cell of names and values for names like x[1] */
static std::vector<std::pair<std::string, double>> start_values(const octave_value &start) {
  const char *want = "rattle_run: \"start\" must be a structure, or a cell of names and numbers";
  std::vector<std::pair<std::string, double>> values;
  if (start.isstruct()) {
    const octave_scalar_map map = start.xscalar_map_value(want);
    const string_vector keys = map.fieldnames();
    for (octave_idx_type i = 0; i < keys.numel(); i++) values.emplace_back(keys(i), map.contents(keys(i)).xdouble_value(want));
    return values;
  }
  const Cell cell = start.xcell_value(want);
  if (cell.numel() % 2) error("%s", want);
  for (octave_idx_type i = 0; i < cell.numel(); i += 2)
    values.emplace_back(cell(i).xstring_value(want), cell(i + 1).xdouble_value(want));
  return values;
}

/* the model, with the start values of the options in place of its own */
static own<rattle_model> load_and_start(const std::string &path, const octave_scalar_map &options) {
  own<rattle_model> model = load(path, options);
  if (!options.isfield("start")) return model;
  failure f;
  for (const auto &[name, value] : start_values(options.contents("start")))
    check(rattle_model_start_variable(model.get(), name.c_str(), value, &f.error), f);
  return model;
}

/* the record that the options ask for, NULL if none */
static own<rattle_record> record_of(const octave_scalar_map &options, const rattle_integrator *integrator,
                                    const rattle_problem *problem, const rattle_state &state, const rattle_run_options &run,
                                    double stop) {
  if (!options.isfield("record")) return nullptr;
  const rattle_method *method = rattle_integrator_method(integrator);
  rattle_record_options how = {};
  how.struct_size = sizeof how;
  how.force = number(options, "force", 0) != 0;
  how.method = rattle_method_text(method);
  how.step = state.h;
  how.start_time = state.t0;
  how.stop =
      options.isfield("steps") || std::isnan(stop)
          ? rattle_method_adapts(method) ? std::numeric_limits<double>::quiet_NaN() : state.t0 + double(run.steps) * state.h
          : stop;
  how.steps = run.steps;
  how.every = run.every;
  how.events = run.events;
  how.interrupt = run.interrupt;
  failure f;
  rattle_record *record = nullptr;
  const std::string path = options.contents("record").xstring_value("rattle_run: \"record\" must be the name of a file");
  check(rattle_record_create(&record, path.c_str(), problem, &how, &f.error), f);
  return own<rattle_record>(record);
}

/* steps from the options, or from what the model wishes */
static long long steps_of(const octave_scalar_map &options, const rattle_wishes *wishes, double h) {
  if (options.isfield("steps")) return (long long)number(options, "steps", 0);
  const double stop = number(options, "stop", wishes->stop);
  if (!options.isfield("stop") && wishes->steps >= 0) return wishes->steps;
  if (std::isnan(stop)) error("rattle_run: neither the model nor the options have \"stop\" or \"steps\"");
  const double steps = (stop - wishes->start_time) / h;
  if (!(steps >= 0)) error("rattle_run: stop lies before the start for a step of %g", h);
  if (!(steps < 9e15)) error("rattle_run: %g steps are too many", steps);
  return (long long)std::ceil(steps * (1 - 1e-12));
}

/* what the model asks for between steps: output at given times, and with `exact` the end */
static rattle_events events_of(const rattle_wishes *wishes, const double *end, bool by_steps) {
  rattle_events events = {};
  events.struct_size = sizeof events;
  events.times = wishes->at;
  events.time_count = wishes->at_count;
  events.time_step = wishes->at_step;
  if (wishes->exact && !by_steps && !std::isnan(*end)) events.end = end;
  return events;
}

/* the sentences about a run, a column of cells */
static Cell texts_of(const rattle_warnings *warnings) {
  Cell texts(rattle_warnings_count(warnings), 1);
  for (int i = 0; i < rattle_warnings_count(warnings); i++) texts(i, 0) = rattle_warnings_text(warnings, i);
  return texts;
}

static void put_events(octave_scalar_map &out, const rattle_trajectory *trajectory, int ended_by) {
  octave_scalar_map all;
  std::string ended;
  for (int e = 0; e < rattle_trajectory_events(trajectory); e++) {
    const rattle_samples *s = rattle_trajectory_event(trajectory, e);
    if (!s) continue;
    octave_scalar_map one;
    one.assign("t", rows(s->time, s->count, 1));
    one.assign("q", rows(s->q, s->count, s->n));
    one.assign("p", rows(s->p, s->count, s->n));
    one.assign("observed", rows(s->observed, s->count, s->observables));
    all.assign(s->name, one);
    if (e == ended_by) ended = s->name;
  }
  out.assign("events", all);
  out.assign("ended_by", ended);
}

static void put_samples(octave_scalar_map &out, const rattle_samples *s, rattle_model *model) {
  out.assign("t", rows(s->time, s->count, 1));
  out.assign("q", rows(s->q, s->count, s->n));
  out.assign("p", rows(s->p, s->count, s->n));
  out.assign("energy", rows(s->energy, s->count, 1));
  out.assign("g", rows(s->g, s->count, s->m));
  out.assign("psi", rows(s->psi, s->count, s->m));
  out.assign("multipliers", rows(s->multipliers, s->count, s->m));
  out.assign("observed", rows(s->observed, s->count, s->observables));
  out.assign("coordinates", names(model, s->n, rattle_model_coordinate_name));
  out.assign("momenta", names(model, s->n, rattle_model_momentum_name));
  out.assign("constraints", names(model, s->m, rattle_model_constraint_name));
  out.assign("observables", names(model, s->observables, rattle_model_observable_name));
}

static void put_summary(octave_scalar_map &out, const rattle_summary &s) {
  out.assign("steps", double(s.steps));
  out.assign("step", s.step);
  out.assign("seconds", s.wall_seconds);
  out.assign("energy_error", s.energy_max_error);
  out.assign("g_max", s.g_max);
  out.assign("psi_max", s.psi_max);
  out.assign("status", rattle_status_name(s.status));
  out.assign("message", s.status ? s.error.message : "");
  octave_scalar_map all, counts;
#define FIGURE(kind, key, member) all.assign(#member, double(s.member));
  RATTLE_SUMMARY_FIELDS(FIGURE)
#define COUNT(name, text) counts.assign(#name, double(s.counts.name));
#include <rattle/counts.def>
  all.assign("counts", counts);
  out.assign("summary", all);
}

octave_value_list run_model(const octave_value_list &a) {
  const octave_scalar_map options = a(2).scalar_map_value();
  failure f;
  own<rattle_model> model = load_and_start(a(1).string_value(), options);
  const rattle_wishes *wishes = rattle_model_wishes(model.get());

  rattle_problem *problem = nullptr;
  rattle_problem_options how = {};
  how.struct_size = sizeof how;
  const double h = number(options, "step", wishes->step);
  if (h == 0) error("rattle_run: neither the model nor the options have a \"step\" other than 0");
  how.steps = steps_of(options, wishes, h);
  check(rattle_problem_create(&problem, model.get(), &how, &f.error), f);
  own<rattle_problem> made(problem);

  std::string method = options.isfield("method")
                           ? options.contents("method").xstring_value("rattle_run: \"method\" must be a text")
                       : wishes->method ? wishes->method
                                        : rattle_default_method(problem);
  if (number(options, "compensated", wishes->compensated) != 0) {
    rattle_method *parsed = nullptr;
    check(rattle_method_parse(&parsed, method.c_str(), &f.error), f);
    rattle_method_compensate(parsed);
    method = rattle_method_text(parsed);
    rattle_method_destroy(&parsed);
  }
  rattle_integrator *integrator = nullptr;
  check(rattle_integrator_create(&integrator, problem, method.c_str(), &f.error), f);
  own<rattle_integrator> compiled(integrator);

  if (wishes->certify) check(rattle_integrator_certify(integrator, &f.error), f);

  std::vector<double> q(rattle_problem_n(problem)), p(q.size());
  check(rattle_problem_start(problem, number(options, "project", wishes->project) != 0, q.data(), p.data(), nullptr, &f.error),
        f);
  rattle_trajectory *trajectory = nullptr;
  check(rattle_trajectory_create(&trajectory, problem, &f.error), f);
  own<rattle_trajectory> kept(trajectory);

  rattle_state state = {};
  state.struct_size = sizeof state;
  state.q = q.data();
  state.p = p.data();
  state.t0 = wishes->start_time;
  state.h = h;
  rattle_run_options run = {};
  run.struct_size = sizeof run;
  run.steps = how.steps;
  run.every = (long long)number(options, "every", double(wishes->every));
  run.initial_energy = std::numeric_limits<double>::quiet_NaN();
  /* set by Ctrl-C; from Octave 9 on an atomic int, which is an int in memory */
  static_assert(sizeof octave_interrupt_state == sizeof(int), "an int");
  run.interrupt = reinterpret_cast<const volatile int *>(&octave_interrupt_state);
  double until = number(options, "stop", wishes->stop);
  if (rattle_method_adapts(rattle_integrator_method(integrator)) && !std::isnan(until) && !options.isfield("steps")) {
    run.until = &until;
    run.steps = std::numeric_limits<long long>::max();
  }
  const rattle_events events =
      events_of(wishes, &until, options.isfield("steps") || (!options.isfield("stop") && wishes->steps >= 0));
  run.events = &events;
  rattle_summary summary = {};
  summary.struct_size = sizeof summary;
  const own<rattle_record> record = record_of(options, integrator, problem, state, run, until);
  rattle_warnings *warnings = nullptr;
  check(rattle_warnings_create(&warnings, integrator, &f.error), f);
  const own<rattle_warnings> said(warnings);
  if (record) rattle_record_keep_warnings(record.get(), warnings);
  rattle_observer *observers[] = {rattle_warnings_observer(warnings, &state), rattle_trajectory_observer(trajectory),
                                  record ? rattle_record_observer(record.get()) : nullptr};
  const rattle_status status = rattle_run(integrator, &state, &run, observers, record ? 3 : 2, &summary, &f.error);
  OCTAVE_QUIT;
  if (status == RATTLE_NO_MEMORY || status == RATTLE_BAD_ARGUMENT || status == RATTLE_EXISTS || status == RATTLE_IO) throw f;

  octave_scalar_map out;
  put_samples(out, rattle_trajectory_samples(trajectory), model.get());
  put_events(out, trajectory, summary.ended_by);
  put_summary(out, summary);
  out.assign("warnings", texts_of(warnings));
  out.assign("method", rattle_method_text(rattle_integrator_method(integrator)));
  return octave_value_list(octave_value(out));
}
