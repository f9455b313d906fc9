/* Sanitizers make everything slow, and find in few cases what they find in many: tests of many
 * cases take one in so many of them there, and find as many fewer. Release has them all. */
#ifndef TESTS_ONE_IN_H
#define TESTS_ONE_IN_H
#ifdef __SANITIZE_ADDRESS__
enum { TESTS_ONE_IN = 4 };
#else
enum { TESTS_ONE_IN = 1 };
#endif
#endif
