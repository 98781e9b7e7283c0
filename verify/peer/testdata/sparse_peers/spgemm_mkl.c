// C = A*B, all sparse, by MKL's inspector-executor interface on one thread. Built with
// -DORDERED it sorts the rows, which mkl_sparse_spmm does not.
#include <stdlib.h>
#include <string.h>

typedef void *handle;
struct matrix_descr { int type, mode, diag; };
int MKL_Set_Interface_Layer(int), MKL_Set_Threading_Layer(int);
void MKL_Get_Version_String(char *, int);
int mkl_sparse_d_create_csr(handle *, int base, int rows, int cols, int *start, int *end, int *col, double *v);
int mkl_sparse_spmm(int op, handle a, handle b, handle *c);
int mkl_sparse_order(handle);
int mkl_sparse_d_export_csr(handle, int *base, int *rows, int *cols, int **start, int **end, int **col, double **v);
int mkl_sparse_destroy(handle);

typedef struct {
	handle a, b, c;
	int m;
	int *p, *i;
	double *v;
} Product;

const char *peer_version()
{
	static char text[200];
	MKL_Get_Version_String(text, sizeof text);
	return text;
}

static void *copied(const void *x, long bytes) { return memcpy(aligned_alloc(64, (bytes + 127) / 64 * 64), x, bytes); }

static handle matrix(int m, int n, const int *p, const int *i, const double *v)
{
	handle a = 0;
	int *q = copied(p, 4L * (m + 1));
	mkl_sparse_d_create_csr(&a, 0, m, n, q, q + 1, copied(i, 4L * p[m]), copied(v, 8L * p[m]));
	return a;
}

void *peer_prepare(int m, int k, int n, const int *ap, const int *ai, const double *av, const int *bp, const int *bi, const double *bv)
{
	MKL_Set_Interface_Layer(0);
	MKL_Set_Threading_Layer(1);
	Product *p = calloc(1, sizeof *p);
	p->a = matrix(m, k, ap, ai, av);
	p->b = matrix(k, n, bp, bi, bv);
	p->m = m;
	return p;
}

int peer_run(Product *p)
{
	if (p->c)
		mkl_sparse_destroy(p->c);
	p->c = 0;
	int code = mkl_sparse_spmm(10, p->a, p->b, &p->c);
#ifdef ORDERED
	if (!code)
		code = mkl_sparse_order(p->c);
#endif
	return code;
}

static void take(Product *p)
{
	int base, rows, cols, *end;
	mkl_sparse_d_export_csr(p->c, &base, &rows, &cols, &p->p, &end, &p->i, &p->v);
}

long peer_nnz(Product *p) { return take(p), p->p[p->m]; }

void peer_fetch(Product *p, int *pointers, int *indices, double *values)
{
	take(p);
	long n = p->p[p->m];
	memcpy(pointers, p->p, 4L * (p->m + 1));
	memcpy(indices, p->i, 4 * n);
	memcpy(values, p->v, 8 * n);
}

void peer_free(Product *p)
{
	mkl_sparse_destroy(p->a);
	mkl_sparse_destroy(p->b);
	if (p->c)
		mkl_sparse_destroy(p->c);
	free(p);
}
