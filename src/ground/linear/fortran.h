#ifndef RATTLE__FORTRAN_H
#define RATTLE__FORTRAN_H
/* The routines of LAPACK that the library calls, as gfortran compiles them: the lengths of
 * character arguments come last. All that is said of LAPACK to the compiler is said here: names,
 * types of results, the type of lengths. A LAPACK translated to C, or one's own, has other ones. */
#include <stddef.h>

#ifndef RATTLE__LAPACK
#define RATTLE__LAPACK(name) name##_
#endif

#define rattle__dgeev RATTLE__LAPACK(dgeev)
#define rattle__dgelsd RATTLE__LAPACK(dgelsd)
#define rattle__dgelsy RATTLE__LAPACK(dgelsy)
#define rattle__dgesdd RATTLE__LAPACK(dgesdd)
#define rattle__dgesvd RATTLE__LAPACK(dgesvd)
#define rattle__dhseqr RATTLE__LAPACK(dhseqr)
#define rattle__dposv RATTLE__LAPACK(dposv)

/* eigenvalues */
void rattle__dgeev(const char *left, const char *right, const int *size, double *A, const int *lda,
                   double *real, double *imaginary, double *VL, const int *ldvl, double *VR,
                   const int *ldvr, double *work, const int *lwork, int *info, size_t left_length,
                   size_t right_length);
/* least squares by singular values */
void rattle__dgelsd(const int *rows, const int *columns, const int *right, double *A,
                    const int *lda, double *b, const int *ldb, double *S, const double *rcond,
                    int *rank, double *work, const int *lwork, int *iwork, int *info);
/* least squares by an orthogonal factorisation */
void rattle__dgelsy(const int *rows, const int *columns, const int *right, double *A,
                    const int *lda, double *b, const int *ldb, int *jpvt, const double *rcond,
                    int *rank, double *work, const int *lwork, int *info);
/* singular values, by dividing */
void rattle__dgesdd(const char *job, const int *rows, const int *columns, double *A, const int *lda,
                    double *s, double *U, const int *ldu, double *VT, const int *ldvt, double *work,
                    const int *lwork, int *iwork, int *info, size_t job_length);
/* singular values, by QR */
void rattle__dgesvd(const char *left, const char *right, const int *rows, const int *columns,
                    double *A, const int *lda, double *S, double *U, const int *ldu, double *VT,
                    const int *ldvt, double *work, const int *lwork, int *info, size_t left_length,
                    size_t right_length);
/* eigenvalues of a Hessenberg matrix */
void rattle__dhseqr(const char *job, const char *vectors, const int *n, const int *low,
                    const int *high, double *H, const int *ldh, double *real, double *imaginary,
                    double *Z, const int *ldz, double *work, const int *lwork, int *info,
                    size_t job_length, size_t vectors_length);
/* a positive definite system */
void rattle__dposv(const char *part, const int *n, const int *columns, double *A, const int *lda,
                   double *b, const int *ldb, int *info, size_t part_length);
#endif
