// A cuBLAS that computes nothing: it refuses what is not as the test wants it, and
// keeps the arguments of the last product as text.
#include <stdio.h>

static char last[512];
static int dummy;

const char *fake_last(void) { return last; }

int cublasCreate_v2(void **handle) { *handle = &dummy; return 0; }
int cublasSetStream_v2(void *handle, void *stream) { return handle == &dummy && stream == (void *)0x5712ea ? 0 : 7; }
int cublasGetVersion_v2(void *handle, int *v) { *v = 120805; return handle == &dummy ? 0 : 1; }
int cublasDestroy_v2(void *handle) { return handle == &dummy ? 0 : 1; }

int cublasGemmEx(void *handle, int opa, int opb, int m, int n, int k, const void *alpha, const void *a, int ta, int lda,
                 const void *b, int tb, int ldb, const void *beta, void *c, int tc, int ldc, int compute, int algo) {
	if (handle != &dummy) return 1;
	snprintf(last, sizeof last, "op %d %d, %d x %d x %d, alpha %g, a %p type %d ld %d, b %p type %d ld %d, beta %g, c %p type %d ld %d, compute %d, algo %d",
	         opa, opb, m, n, k, *(const float *)alpha, a, ta, lda, b, tb, ldb, *(const float *)beta, c, tc, ldc, compute, algo);
	return m == 999 ? 15 : 0;
}
