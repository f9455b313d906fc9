#ifndef RATTLE__LOADER_H
#define RATTLE__LOADER_H
/* Declarations shared by the files of the Lua front end: the state of one load, kept with the
 * lua_State, and helpers for messages.
 *
 * Expressions are light userdata: the handle itself, so that they cost no memory, equal expressions
 * are equal Lua values, and variables can be keys of tables. Functions named rattle__lua_... that
 * return int raise Lua errors, "file:line: text". */
#include <lauxlib.h>
#include <lua.h>
#include <stdint.h>

#include "files/lua/beads.h"
#include "files/lua/bundle.h"
#include "problem/model/chart.h"

/* Per pair: the parts of its start that the model has given. */
enum { GIVEN_Q = 1, GIVEN_P = 2, GIVEN_VELOCITY = 4, GIVEN_MASS = 8 };

typedef enum rattle__limit {
  WITHIN_LIMITS,
  TOO_MUCH_WORK,
  TOO_MUCH_MEMORY,
  TOO_MUCH_TIME,
  TOO_MUCH_AT_ONCE,
  WAS_INTERRUPTED /* by the caller's flag */
} rattle__limit;

typedef struct rattle__loader {
  rattle_model *model;
  lua_State *L;
  rattle_error error;   /* of the call below, for rattle__lua_raise */
  rattle_status status; /* that a Lua error amounts to */

  /* -P overrides; asked[i]: the model has asked for it */
  const rattle_parameter *overrides;
  unsigned char *asked;
  int override_count;
  const char *const *inputs; /* names of parameters that remain symbols */
  int input_count;
  int branches; /* 1: rattle_model_options.branches */

  /* limits; work is counted in Lua instructions, or their like in time */
  long long work, max_work;
  double deadline, max_seconds; /* on the monotonic clock */
  const volatile int *interrupt;
  size_t bytes, max_bytes; /* Lua's and the model's; the graph is counted apart */
  size_t reserve;          /* beyond the limits, for the message that says so */
  rattle__limit exhausted; /* once not 0, nothing runs any more */

  /* [room] by pair */
  unsigned char *given;
  double *mass;
  rattle_expr *mass_input; /* [mass_room] NONE: a number */
  int given_room, mass_room;
  rattle__beads beads;

  int omit_redundant; /* constraints that follow from others: redundant "omit" */
  int mass_used, potential_used, hamiltonian_used, integrate_used, output_used, closed;
  rattle_expr hamiltonian_read;   /* H with masses when hamiltonian() or potential() gave it */
  const char *hamiltonian_reader; /* "file:line" of that */
  int fibre, flow, chart_of;      /* references to functions, LUA_NOREF if none */
  int momenta_of;                 /* the same of what the last of these returns: the images of
                                     momenta, if they are asked for */
  rattle__chart *chart;           /* what chart_of has returned */
  double *weight; /* [n] factors of coordinates in H that its sweeps have, or NULL */
  rattle_wishes wishes;
  uint64_t random; /* state of the generator */
  int random_seeded;
  char *where; /* last "file:line" of a constraint, in the model's pool */
  const char *where_source;
  int where_line;

  int from_file;          /* 1: the model was read from a file, whose folder may have modules */
  rattle__module *module; /* those that the model has required and its text does not hold */
  int modules;
} rattle__loader;

static inline rattle__loader *rattle__lua_loader(lua_State *L) {
  return *(rattle__loader **)lua_getextraspace(L);
}

/* ---- messages.c ---- */
/* Pushes what stands at an index, in words: "nothing", "the number 3", "the string \"a\"", "the
 * expression x + 1" ...; returns it. */
const char *rattle__lua_found(lua_State *L, int index);
/* Raises the loader's error at the model's line. */
int rattle__lua_raise(lua_State *L);
/* Raises unless status is RATTLE_OK. */
void rattle__lua_check(lua_State *L, rattle_status status);
int rattle__lua_no_memory(lua_State *L);
/* Argument `index` as a name or text: a string without zero bytes; `what` as in "the name of a
 * pair". */
const char *rattle__lua_string(lua_State *L, int index, const char *what);
/* The value at an index as a finite number. */
double rattle__lua_number(lua_State *L, int index, const char *what);
/* The same as a whole number within [low, high]. */
long long rattle__lua_integer(lua_State *L, int index, const char *what, long long low,
                              long long high);
void rattle__lua_table(lua_State *L, int index, const char *what);
/* The name of the option whose key and value are on top, of a table of options of `word`. */
const char *rattle__lua_option_name(lua_State *L, const char *word);
int rattle__lua_boolean(lua_State *L, int index, const char *what);
/* Refuses declarations in the functions given to fibre, flow and draw. */
void rattle__lua_declaring(lua_State *L, const char *what);

/* ---- sandbox.c, strict.c, library.c, metatables.c ---- */
#define RATTLE__LUA_LONGEST_STRING ((size_t)1 << 20)
double rattle__lua_clock(void);                      /* monotonic, s */
lua_State *rattle__lua_open(rattle__loader *loader); /* NULL if there is no memory */
void rattle__lua_make_room(lua_State *L);            /* for the sentence about a limit */
void rattle__lua_metatables(lua_State *L);           /* setmetatable */
void rattle__lua_libraries(lua_State *L);            /* math, string, table and the safe part of the
                                                      * base library */
void rattle__lua_strict(lua_State *L); /* unknown names are errors; to be called last */
/* The same of the names in the table on top, which a module returns. */
void rattle__lua_seal_module(lua_State *L, const char *name);
void rattle__lua_charge(lua_State *L, double work); /* counts work done in C; reads the clock */
void rattle__lua_charge_bytes(lua_State *L,
                              size_t size); /* counts memory of the model and of the graph */

/* ---- tokens.c ---- */
/* TOKEN_BLANK: a space, or a comment. */
typedef enum rattle__token {
  TOKEN_NONE,
  TOKEN_BLANK,
  TOKEN_STRING,
  TOKEN_NUMBER,
  TOKEN_NAME,
  TOKEN_SIGN
} rattle__token;
/* The end of the token that begins here; its kind, TOKEN_NONE at the end of the text. */
const char *rattle__lua_token(const char *at, rattle__token *kind);

/* ---- integers.c ---- */
/* Pushes a whole number: below 10000 an integer, from there on a float, whose products do not
 * wrap. */
void rattle__lua_push_integer(lua_State *L, double value);
/* Refuses an integer of 2^53 or more: it may have wrapped. Each number that a model gives to the
 * library is checked. */
void rattle__lua_check_integer(lua_State *L, int index);
/* The end of the next decimal integer of five digits or more in a text, which is read as a float;
 * NULL: there is none. */
const char *rattle__lua_long_literal(const char *text);
/* Refuses a text that has both such integers and operators on bits: whether 64 bits are meant is
 * not known. name: of the chunk. */
void rattle__lua_check_bits(lua_State *L, const char *text, const char *name);
/* Pushes the value at an index as a text: whole numbers up to 2^53 without a point. */
void rattle__lua_push_text(lua_State *L, int index);
void rattle__lua_integers(
    lua_State *L); /* math.floor, math.ceil, tonumber, tostring; after the libraries */

/* ---- symbol_check.c ---- */
/* Searches a text for a token that could depend on the value of a number, without an error if an
 * expression takes the number's place: a comparison with == or ~=, an index, a function. NULL:
 * there is none. */
const char *rattle__lua_value_dependent(const char *text, size_t *length);

/* ---- load.c ---- */
/* Takes over `text`. from_file: `name` is the path of the file. */
rattle_status rattle__lua_parse(rattle_model **model, char *text, const char *name,
                                const rattle_model_options *given, int from_file,
                                rattle_error *error);
/* ---- compile.c, files.c, require.c, blame.c ---- */
/* Pushes the text as a function, or raises Lua's complaint with an explanation; name: of the
 * chunk. */
void rattle__lua_compile(lua_State *L, const char *text, const char *name);
/* The whole file with a zero byte, malloc'ed. A module that does not exist is NULL. */
rattle_status rattle__lua_read_model(char **text, const char *path, rattle_error *error);
/* length: NULL, or where the count of bytes goes of a file that need not be a text. */
rattle_status rattle__lua_read_module(char **text, size_t *length, const char *path,
                                      rattle_error *error);
void rattle__lua_require(lua_State *L);
/* Handler of errors: those that arise in shipped modules get the place of the line that called
 * them. */
int rattle__lua_blame(lua_State *L);
/* The nearest level of the stack from `level` on that is a line of the model or of a file next to
 * it; 0: there is none */
int rattle__lua_place(lua_State *L, int level, lua_Debug *at);

/* ---- algebra.c ---- */
void rattle__lua_algebra(lua_State *L);
rattle_expr rattle__lua_expr(lua_State *L, int index, const char *what); /* numbers are taken too */
int rattle__lua_push(lua_State *L, rattle_expr e);                       /* checked; returns 1 */
/* The input at an index, NONE if it is none. Arithmetic of parameters that remain symbols makes
 * inputs. */
rattle_expr rattle__lua_input(lua_State *L, int index);
void rattle__lua_choices(lua_State *L); /* choice.c; after the algebra */

/* ---- branches.c: inputs by their values, where the model is read so ---- */
/* The value at an index is an input, or a number where another one is an input, of such a model. */
int rattle__lua_has_value(lua_State *L, int index);
/* a < b, or with or_equal a <= b, of the inputs or numbers at two indices, which is noted. */
int rattle__lua_less(lua_State *L, int a, int b, int or_equal);
/* round(a), floor or ceil, of the input at an index, which is noted. */
double rattle__lua_rounded(lua_State *L, int index, double (*round)(double));
/* The value of an input in its place on the stack; anything else stays. */
void rattle__lua_settle(lua_State *L, int index);
void rattle__lua_branches(lua_State *L); /* type, math.type, string.format; after the libraries */

/* ---- declare.c, event.c, controller.c, start.c, wishes.c, flow.c, coefficients.c ... ---- */
void rattle__lua_declarations(lua_State *L);
void rattle__lua_starts(lua_State *L);
void rattle__lua_events(lua_State *L);
void rattle__lua_controllers(lua_State *L);
void rattle__lua_switches(lua_State *L);
void rattle__lua_units(lua_State *L);    /* units.c */
void rattle__lua_drawings(lua_State *L); /* draw.c */
void rattle__lua_wishes(lua_State *L);
void rattle__lua_flows(lua_State *L);
int rattle__lua_arithmetic(lua_State *L); /* vectors.c */
void rattle__lua_charts(lua_State *L);    /* chart.c */
/* awaited.c: awaited(); the number of the symbol at an index, -1: no such symbol; pushes the
 * function push(x). */
void rattle__lua_awaiting(lua_State *L);
int rattle__lua_awaited(lua_State *L, int index);
void rattle__lua_push_pushes(lua_State *L);
void rattle__lua_coefficients(lua_State *L);
void rattle__lua_random(lua_State *L);
uint64_t *rattle__lua_random_state(lua_State *L);
double
rattle__lua_normal(lua_State *L); /* of mean 0 and variance 1, from the numbers of random() */
/* "file:line" of the call of the word that is being read, kept by the model. */
char *rattle__lua_where(lua_State *L);
/* The mass of a pair; another one given before is an error. */
void rattle__lua_give_mass(lua_State *L, int pair, double mass);
/* ---- molecule.c, bonded.c, pair_potential.c ---- */
void rattle__lua_molecules(lua_State *L);
void rattle__lua_bonded(lua_State *L);
void rattle__lua_pair_potentials(lua_State *L);
/* Graph variable that a key (name, or variable) at an index stands for; `table` as in "start". */
int rattle__lua_variable(lua_State *L, int index, const char *table);
/* The flags of a pair, zero at first. */
unsigned char *rattle__lua_given(lua_State *L, int pair);
/* A parameter's value: the override or the default; NaN as default: there must be an override. */
double rattle__lua_parameter(lua_State *L, const char *name, double value);
/* Steps after the last line of the file, one a function. */
void rattle__lua_finish_metatables(lua_State *L);
rattle_expr rattle__lua_whole_hamiltonian(lua_State *L);
void rattle__lua_finish_chart(lua_State *L);   /* before the masses */
void rattle__lua_finish_momenta(lua_State *L); /* of the chart, after all that may contain them */
void rattle__lua_finish_masses(lua_State *L);
/* energies.c: pushes H as it is so far, without the p_t of a time; H where all momenta are 0.
 * where: "file:line" of the call, in the model's pool. */
int rattle__lua_hamiltonian_so_far(lua_State *L, const char *where);
int rattle__lua_potential_so_far(lua_State *L, const char *where);
void rattle__lua_finish_flows(lua_State *L);
void rattle__lua_finish_parameters(lua_State *L);
void rattle__lua_finish_drawings(
    lua_State *L); /* after the flows: nothing else can be declared in these functions */
#endif
