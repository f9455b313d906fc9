#ifndef RATTLE__MIRROR_H
#define RATTLE__MIRROR_H
/* MIRROR(k, g_1, ..., g_k): the initializer g_1, ..., g_k, 1 - 2 (g_1 + ... + g_k), g_k, ..., g_1,
 * a constant expression. */
#define MIRROR(k, ...)                                                                             \
  __VA_ARGS__, 1.0L - 2.0L * (MIRROR_SUM_##k(__VA_ARGS__)), MIRROR_BACK_##k(__VA_ARGS__)

#define MIRROR_SUM_1(g) g
#define MIRROR_SUM_2(g, ...) g + MIRROR_SUM_1(__VA_ARGS__)
#define MIRROR_SUM_3(g, ...) g + MIRROR_SUM_2(__VA_ARGS__)
#define MIRROR_SUM_4(g, ...) g + MIRROR_SUM_3(__VA_ARGS__)
#define MIRROR_SUM_5(g, ...) g + MIRROR_SUM_4(__VA_ARGS__)
#define MIRROR_SUM_6(g, ...) g + MIRROR_SUM_5(__VA_ARGS__)
#define MIRROR_SUM_7(g, ...) g + MIRROR_SUM_6(__VA_ARGS__)
#define MIRROR_SUM_8(g, ...) g + MIRROR_SUM_7(__VA_ARGS__)
#define MIRROR_SUM_9(g, ...) g + MIRROR_SUM_8(__VA_ARGS__)
#define MIRROR_SUM_10(g, ...) g + MIRROR_SUM_9(__VA_ARGS__)
#define MIRROR_SUM_11(g, ...) g + MIRROR_SUM_10(__VA_ARGS__)
#define MIRROR_SUM_12(g, ...) g + MIRROR_SUM_11(__VA_ARGS__)
#define MIRROR_SUM_13(g, ...) g + MIRROR_SUM_12(__VA_ARGS__)
#define MIRROR_SUM_14(g, ...) g + MIRROR_SUM_13(__VA_ARGS__)
#define MIRROR_SUM_15(g, ...) g + MIRROR_SUM_14(__VA_ARGS__)
#define MIRROR_SUM_16(g, ...) g + MIRROR_SUM_15(__VA_ARGS__)
#define MIRROR_SUM_17(g, ...) g + MIRROR_SUM_16(__VA_ARGS__)

#define MIRROR_BACK_1(g) g
#define MIRROR_BACK_2(g, ...) MIRROR_BACK_1(__VA_ARGS__), g
#define MIRROR_BACK_3(g, ...) MIRROR_BACK_2(__VA_ARGS__), g
#define MIRROR_BACK_4(g, ...) MIRROR_BACK_3(__VA_ARGS__), g
#define MIRROR_BACK_5(g, ...) MIRROR_BACK_4(__VA_ARGS__), g
#define MIRROR_BACK_6(g, ...) MIRROR_BACK_5(__VA_ARGS__), g
#define MIRROR_BACK_7(g, ...) MIRROR_BACK_6(__VA_ARGS__), g
#define MIRROR_BACK_8(g, ...) MIRROR_BACK_7(__VA_ARGS__), g
#define MIRROR_BACK_9(g, ...) MIRROR_BACK_8(__VA_ARGS__), g
#define MIRROR_BACK_10(g, ...) MIRROR_BACK_9(__VA_ARGS__), g
#define MIRROR_BACK_11(g, ...) MIRROR_BACK_10(__VA_ARGS__), g
#define MIRROR_BACK_12(g, ...) MIRROR_BACK_11(__VA_ARGS__), g
#define MIRROR_BACK_13(g, ...) MIRROR_BACK_12(__VA_ARGS__), g
#define MIRROR_BACK_14(g, ...) MIRROR_BACK_13(__VA_ARGS__), g
#define MIRROR_BACK_15(g, ...) MIRROR_BACK_14(__VA_ARGS__), g
#define MIRROR_BACK_16(g, ...) MIRROR_BACK_15(__VA_ARGS__), g
#define MIRROR_BACK_17(g, ...) MIRROR_BACK_16(__VA_ARGS__), g
#endif
