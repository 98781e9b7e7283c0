// The product of a library, over and over, without Go. Compiled by loop.go, which has
// struct calls too.
#include <stdint.h>

struct calls {
	void *function;
	int64_t convention; // how function is called; one of the cases below
	int64_t transA, transB, m, n, k, lda, ldb, ldc;
	int64_t count, strideA, strideB, strideC; // products side by side, in elements
	const char *a, *b;
	char *c;
};

// What libxsmm 2.x passes to a kernel: six words a matrix, of which the first is its
// address.
struct xsmm {
	void *op[4];
	const void *a[6], *b[6];
	void *c[6];
};

#define TRANSPOSE(t) ((t) ? 112 : 111)

#define LOOP(NAME, T)                                                                         \
	typedef void (*NAME##_cblas)(int order, int transA, int transB, int m, int n, int k,  \
	                             T alpha, const T *a, int lda, const T *b, int ldb,       \
	                             T beta, T *c, int ldc);                                  \
	typedef int (*NAME##_dnnl)(char transA, char transB, int64_t m, int64_t n, int64_t k, \
	                           T alpha, const T *a, int64_t lda, const T *b, int64_t ldb, \
	                           T beta, T *c, int64_t ldc);                                \
	typedef void (*NAME##_xsmm1)(const T *a, const T *b, T *c);                           \
	typedef void (*NAME##_xsmm2)(const struct xsmm *);                                    \
                                                                                              \
	void NAME(const struct calls *p, int64_t times) {                                     \
		struct calls s = *p;                                                          \
		const T *a = (const T *)s.a, *b = (const T *)s.b;                             \
		T *c = (T *)s.c;                                                              \
		struct xsmm x = {{0}};                                                        \
		switch (s.convention) {                                                       \
		case 1:                                                                       \
			for (int64_t t = 0; t < times; t++)                                   \
				for (int64_t i = 0; i < s.count; i++)                         \
					((NAME##_cblas)s.function)(101, TRANSPOSE(s.transA),  \
						TRANSPOSE(s.transB), s.m, s.n, s.k,           \
						1, a + i * s.strideA, s.lda,                  \
						b + i * s.strideB, s.ldb,                     \
						0, c + i * s.strideC, s.ldc);                 \
			break;                                                                \
		case 2:                                                                       \
			for (int64_t t = 0; t < times; t++)                                   \
				for (int64_t i = 0; i < s.count; i++)                         \
					((NAME##_dnnl)s.function)(s.transA ? 'T' : 'N',       \
						s.transB ? 'T' : 'N', s.m, s.n, s.k,          \
						1, a + i * s.strideA, s.lda,                  \
						b + i * s.strideB, s.ldb,                     \
						0, c + i * s.strideC, s.ldc);                 \
			break;                                                                \
		case 3: /* column-major: the factors change places */                         \
			for (int64_t t = 0; t < times; t++)                                   \
				for (int64_t i = 0; i < s.count; i++)                         \
					((NAME##_xsmm1)s.function)(b + i * s.strideB,         \
						a + i * s.strideA, c + i * s.strideC);        \
			break;                                                                \
		case 4:                                                                       \
			for (int64_t t = 0; t < times; t++)                                   \
				for (int64_t i = 0; i < s.count; i++) {                       \
					x.a[0] = b + i * s.strideB;                           \
					x.b[0] = a + i * s.strideA;                           \
					x.c[0] = c + i * s.strideC;                           \
					((NAME##_xsmm2)s.function)(&x);                       \
				}                                                             \
			break;                                                                \
		}                                                                             \
	}

LOOP(peer_loop_float, float)
LOOP(peer_loop_double, double)
