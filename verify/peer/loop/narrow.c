// Products of narrow types, over and over, without Go. Compiled by loop.go together with
// loop.c; narrow*.go have the structs too.

struct narrow {
	void *function;
	int64_t m, n, k;
	const void *a, *b;
	void *c;
};

// MKL's, whose second factor is packed: CblasRowMajor, CblasNoTrans and CblasPacked.
void peer_narrow_float(const struct narrow *p, int64_t times) {
	typedef void (*gemm)(int order, int transA, int transB, int m, int n, int k, float alpha, const void *a, int lda,
	                     const void *b, int ldb, float beta, void *c, int ldc);
	struct narrow s = *p;
	for (int64_t t = 0; t < times; t++)
		((gemm)s.function)(101, 111, 151, s.m, s.n, s.k, 1, s.a, s.k, s.b, s.n, 0, s.c, s.n);
}

// The same of bytes and words, without offsets: CblasFixOffset.
#define INTEGER(NAME, T)                                                                                                   \
	void NAME(const struct narrow *p, int64_t times) {                                                                 \
		typedef void (*gemm)(int order, int transA, int transB, int offset, int m, int n, int k, float alpha,      \
		                     const void *a, int lda, T ao, const void *b, int ldb, T bo, float beta, void *c,      \
		                     int ldc, const int32_t *co);                                                          \
		struct narrow s = *p;                                                                                      \
		const int32_t zero = 0;                                                                                    \
		for (int64_t t = 0; t < times; t++)                                                                        \
			((gemm)s.function)(101, 111, 151, 173, s.m, s.n, s.k, 1, s.a, s.k, 0, s.b, s.n, 0, 0, s.c, s.n, &zero); \
	}

INTEGER(peer_narrow_int8, int8_t)
INTEGER(peer_narrow_int16, int16_t)

// libxsmm's, column-major: the factors change places.
void peer_narrow_xsmm(const struct narrow *p, int64_t times) {
	struct xsmm x = {{0}};
	x.a[0] = p->b;
	x.b[0] = p->a;
	x.c[0] = p->c;
	for (int64_t t = 0; t < times; t++)
		((void (*)(const struct xsmm *))p->function)(&x);
}

// oneDNN's: a primitive with its arguments. The result is its last status.
int64_t peer_narrow_dnnl(void *function, void *primitive, void *stream, int64_t count, const void *args, int64_t times) {
	int status = 0;
	for (int64_t t = 0; t < times && status == 0; t++)
		status = ((int (*)(void *, void *, int, const void *))function)(primitive, stream, (int)count, args);
	return status;
}
