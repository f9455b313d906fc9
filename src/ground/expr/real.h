/* Numbers of a kernel's text that steps one trajectory. The same text is compiled with vectors too,
 * one lane for each trajectory (lanes_text.h): then a comparison has an answer for each lane. Plain
 * C without includes: the text is handed to a compiler. */
#ifndef RATTLE__EXPR_REAL_H
#define RATTLE__EXPR_REAL_H
#define REAL double
#define MASK int
#define ALL 1
#define UNIFORM(x) (x) /* a number that is the same in all lanes */
#define SQUARE_ROOT(x) __builtin_sqrt(x)
#define MAGNITUDE(x) __builtin_fabs(x)
#define NOT(mask) ((int)!(mask)) /* an int also where compilers tell truth values apart */
#define SELECT(mask, a, b) ((mask) ? (a) : (b))
#define WHERE(mask, to, x)                                                                         \
  if (mask) (to) = (x)
#define ANY(mask) (mask) /* in a lane */
#define ANY_LANE(x) (x)  /* the number of a lane, of those that are the same in all */
#define LEAVE_IF_NONE(good)                                                                        \
  if (!(good)) return good /* for one lane alone: of many some are good */
#endif
