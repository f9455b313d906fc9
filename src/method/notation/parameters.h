#ifndef RATTLE__METHOD_PARAMETERS_H
#define RATTLE__METHOD_PARAMETERS_H
/* The words by which rows of methods.def declare their parameters: for table.c, which expands the
 * rows.
 *
 *     TAKES("text for users", parameter, ...)                 those given by their place first,
 *     then the options
 *     NONE                                                    no parameters
 *     INTEGER(name, low, high, text)                          a whole number that must be given
 *     NUMBER(name, low, high, text)                           a number that must be given
 *     WORD(name, "a|b", default, text)                        one of a few words
 *     A_NAME(name, text), A_NAME_OR(name, otherwise, text)    a name that the model gives;
 *     `otherwise`: what leaving it out means
 *     NUMBER_OPTION(name, default, otherwise, low, high, text, effect), INTEGER_OPTION(... , text),
 *     WORD_OPTION(name, "a|b", ...)
 *                                                             options, given as name=value; default
 *                                                             "" and `otherwise`: none but what
 *                                                             leaving it out means
 *     A_MAP, A_FIELD, A_SOLVER, A_TOLERANCE, ...              those that several rows share */
#include "rattle/method.h"

#define TAKES(text, ...) .parameters = text, .parameter = {__VA_ARGS__}
#define NONE .parameters = ""

#define INTEGER(name, low, high, text)                                                             \
  { name, RATTLE_TAKES_INTEGER, 0, NULL, NULL, low, high, NULL, text, RATTLE_NO_EFFECT }
#define NUMBER(name, low, high, text)                                                              \
  { name, RATTLE_TAKES_NUMBER, 0, NULL, NULL, low, high, NULL, text, RATTLE_NO_EFFECT }
#define WORD(name, choices, fallback, text)                                                        \
  { name, RATTLE_TAKES_WORD, 0, choices, fallback, 0, 0, NULL, text, RATTLE_NO_EFFECT }
#define A_NAME(name, text)                                                                         \
  { name, RATTLE_TAKES_NAME, 0, NULL, NULL, 0, 0, NULL, text, RATTLE_NO_EFFECT }
#define A_NAME_OR(name, otherwise, text)                                                           \
  { name, RATTLE_TAKES_NAME, 0, NULL, "", 0, 0, otherwise, text, RATTLE_NO_EFFECT }
#define NUMBER_OPTION(name, fallback, otherwise, low, high, text, effect)                          \
  { name, RATTLE_TAKES_NUMBER, 1, NULL, fallback, low, high, otherwise, text, effect }
#define INTEGER_OPTION(name, fallback, otherwise, low, high, text)                                 \
  { name, RATTLE_TAKES_INTEGER, 1, NULL, fallback, low, high, otherwise, text, RATTLE_NO_EFFECT }
#define WORD_OPTION(name, choices, fallback, text)                                                 \
  { name, RATTLE_TAKES_WORD, 1, choices, fallback, 0, 0, NULL, text, RATTLE_NO_EFFECT }

#define A_MAP                                                                                      \
  { "map", RATTLE_TAKES_MAP, 0, NULL, NULL, 0, 0, NULL, "the map inside", RATTLE_NO_EFFECT }
#define A_FIELD                                                                                    \
  {                                                                                                \
    "field", RATTLE_TAKES_FIELD, 0, NULL, "hamiltonian", 0, 0, NULL,                               \
        "the field that is integrated", RATTLE_NO_EFFECT                                           \
  }
#define A_SOLVER                                                                                   \
  {                                                                                                \
    "solver", RATTLE_TAKES_SOLVER, 1, NULL, "auto", 0, 0, NULL, "of the multiplier equations",     \
        RATTLE_NO_EFFECT                                                                           \
  }
#define A_TOLERANCE                                                                                \
  NUMBER_OPTION("tol", "", "round-off", 1e-16, 0.1,                                                \
                "where the iterations for the multipliers end", RATTLE_LOOSENS)
#define AN_ERROR_BOUND                                                                             \
  NUMBER_OPTION("tol", "", "not divided", 1e-16, 0.1,                                              \
                "bound on the error of a step, which is divided to keep it", RATTLE_DIVIDES)
#define A_TEMPERATURE                                                                              \
  NUMBER_OPTION("temperature", "1", "", 1e-300, 1e300,                                             \
                "of the measure exp(-V/temperature), in units of energy", RATTLE_NO_EFFECT)
#define A_MEASURE                                                                                  \
  WORD_OPTION("measure", "surface|delta", "surface",                                               \
              "the surface measure of the metric M, or delta(g) dq")
#define A_METRIC                                                                                   \
  WORD_OPTION("metric", "given|diagonal|dense", "given",                                           \
              "of the motion, not of the measure: M, or masses learned in the warm-up")
#define A_CHOICE                                                                                   \
  WORD_OPTION("solutions", "one|any|all", "one",                                                   \
              "of the multipliers: that which a run follows, the first that is found, or one of "  \
              "all, at random"),                                                                   \
      NUMBER_OPTION("near", "", "as any other", 1e-6, 0.999999,                                    \
                    "probability of the nearest of several solutions", RATTLE_NO_EFFECT),          \
      NUMBER_OPTION("reach", "", "10 step sqrt(n temperature)", 1e-300, 1e300,                     \
                    "how far solutions are sought, in the metric of M", RATTLE_NO_EFFECT),         \
      A_STARTS
#define A_STARTS                                                                                   \
  INTEGER_OPTION("starts", "10", "", 1, 1000,                                                      \
                 "from which solutions are sought where there are several constraints")
#define A_HOPS                                                                                     \
  NUMBER_OPTION("hops", "", "none", 1e-6, 0.999999,                                                \
                "probability that a transition is a hop to another point of a random section",     \
                RATTLE_NO_EFFECT),                                                                 \
      NUMBER_OPTION("across", "", "1 to 1024 step sqrt(n temperature)", 1e-300, 1e300,             \
                    "radius of the sections of hops, in the metric of M", RATTLE_NO_EFFECT)
#define A_GUESS                                                                                    \
  {                                                                                                \
    "guess", RATTLE_TAKES_WORD, 1, "start|past", "start", 0, 0, NULL,                              \
        "of the stages: from where the step starts, or the stages before continued, in joint "     \
        "coordinates",                                                                             \
        RATTLE_REMEMBERS                                                                           \
  }
#define A_PROJECTION                                                                               \
  WORD_OPTION("project", "step|output", "step",                                                    \
              "what is projected: each step, or only points of output")
#endif
