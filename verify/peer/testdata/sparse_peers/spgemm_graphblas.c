// C = A*B, all sparse, by SuiteSparse:GraphBLAS on one thread; rows are sorted, which
// GrB_wait sees to. Its indices have 64 bits.
#include <GraphBLAS.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
	GrB_Matrix a, b, c;
	int m, n;
} Product;

const char *peer_version()
{
	static char text[100];
	int v[3];
	GrB_init(GrB_NONBLOCKING); // an error, and nothing else, if it ran before
	GxB_Global_Option_get(GxB_LIBRARY_VERSION, v);
	snprintf(text, sizeof text, "SuiteSparse:GraphBLAS %d.%d.%d", v[0], v[1], v[2]);
	return text;
}

static GrB_Matrix matrix(int m, int n, const int *p, const int *i, const double *v)
{
	GrB_Matrix a = 0;
	long nnz = p[m];
	GrB_Index *r = malloc((nnz + 1) * sizeof *r), *c = malloc((nnz + 1) * sizeof *c);
	for (int row = 0; row < m; row++)
		for (int k = p[row]; k < p[row + 1]; k++)
			r[k] = row, c[k] = i[k];
	GrB_Matrix_new(&a, GrB_FP64, m, n);
	GxB_Matrix_Option_set(a, GxB_SPARSITY_CONTROL, GxB_SPARSE);
	if (nnz > 0)
		GrB_Matrix_build_FP64(a, r, c, v, nnz, GrB_PLUS_FP64);
	GrB_wait(a, GrB_MATERIALIZE);
	free(r);
	free(c);
	return a;
}

void *peer_prepare(int m, int k, int n, const int *ap, const int *ai, const double *av, const int *bp, const int *bi, const double *bv)
{
	GrB_init(GrB_NONBLOCKING);
	GxB_Global_Option_set(GxB_NTHREADS, 1);
	Product *p = calloc(1, sizeof *p);
	p->a = matrix(m, k, ap, ai, av);
	p->b = matrix(k, n, bp, bi, bv);
	p->m = m, p->n = n;
	return p;
}

int peer_run(Product *p)
{
	GrB_Matrix_free(&p->c);
	GrB_Matrix_new(&p->c, GrB_FP64, p->m, p->n);
	GxB_Matrix_Option_set(p->c, GxB_SPARSITY_CONTROL, GxB_SPARSE);
	int code = GrB_mxm(p->c, 0, 0, GrB_PLUS_TIMES_SEMIRING_FP64, p->a, p->b, 0);
	return code ? code : GrB_wait(p->c, GrB_MATERIALIZE);
}

long peer_nnz(Product *p)
{
	GrB_Index n = 0;
	GrB_Matrix_nvals(&n, p->c);
	return n;
}

void peer_fetch(Product *p, int *pointers, int *indices, double *values)
{
	GrB_Index n = peer_nnz(p), *r = malloc((n + 1) * sizeof *r), *c = malloc((n + 1) * sizeof *c);
	GrB_Matrix_extractTuples_FP64(r, c, values, &n, p->c);
	for (int i = 0; i <= p->m; i++)
		pointers[i] = 0;
	for (GrB_Index k = 0; k < n; k++)
		pointers[r[k] + 1]++, indices[k] = c[k];
	for (int i = 0; i < p->m; i++)
		pointers[i + 1] += pointers[i];
	free(r);
	free(c);
}

void peer_free(Product *p)
{
	GrB_Matrix_free(&p->a);
	GrB_Matrix_free(&p->b);
	GrB_Matrix_free(&p->c);
	free(p);
}
