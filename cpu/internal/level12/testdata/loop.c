// Calls routines of Levels 1 and 2 over and over, so that a crossing from Go into C is not timed with each.
#include <dlfcn.h>

int level12(const char *file, int what, long times, int n, double *a, double *x, double *y) {
	static const char *names[] = {"cblas_ddot", "cblas_daxpy", "cblas_dnrm2", "cblas_dgemv", "cblas_dgemv", "cblas_dger", "cblas_dsymv"};
	void *lib = dlopen(file, RTLD_LAZY);
	void *f = lib ? dlsym(lib, names[what]) : 0;
	if (!f)
		return 1;
	for (; times > 0; times--)
		switch (what) {
		case 0: ((double (*)(int, double *, int, double *, int))f)(n, x, 1, y, 1); break;
		case 1: ((void (*)(int, double, double *, int, double *, int))f)(n, 1e-30, x, 1, y, 1); break;
		case 2: ((double (*)(int, double *, int))f)(n, x, 1); break;
		case 3:
		case 4: ((void (*)(int, int, int, int, double, double *, int, double *, int, double, double *, int))f)(101, what == 3 ? 111 : 112, n, n, 1, a, n, x, 1, 0, y, 1); break;
		case 5: ((void (*)(int, int, int, double, double *, int, double *, int, double *, int))f)(101, n, n, 1e-30, x, 1, y, 1, a, n); break;
		case 6: ((void (*)(int, int, int, double, double *, int, double *, int, double, double *, int))f)(101, 122, n, 1, a, n, x, 1, 0, y, 1); break;
		}
	return 0;
}
