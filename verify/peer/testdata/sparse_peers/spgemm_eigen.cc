// C = A*B, all sparse, by Eigen; rows are sorted.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <cstring>
#include <memory>

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

typedef Eigen::SparseMatrix<double, Eigen::RowMajor, int> Sparse;

struct Product {
	Sparse a, b;
	std::unique_ptr<Sparse> c;
};

static Sparse copied(int m, int n, const int *pointers, const int *indices, const double *values)
{
	return Eigen::Map<const Sparse>(m, n, pointers[m], pointers, indices, values);
}

extern "C" const char *peer_version()
{
	return "Eigen " TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION) ", g++ " __VERSION__;
}

extern "C" void *peer_prepare(int m, int k, int n, const int *ap, const int *ai, const double *av, const int *bp, const int *bi, const double *bv)
{
	return new Product{copied(m, k, ap, ai, av), copied(k, n, bp, bi, bv), nullptr};
}

extern "C" int peer_run(Product *p)
{
	p->c.reset();
	p->c.reset(new Sparse(p->a * p->b));
	return 0;
}

extern "C" long peer_nnz(Product *p) { return p->c->nonZeros(); }

extern "C" void peer_fetch(Product *p, int *pointers, int *indices, double *values)
{
	p->c->makeCompressed();
	long n = p->c->nonZeros();
	std::memcpy(pointers, p->c->outerIndexPtr(), (p->c->rows() + 1) * sizeof(int));
	std::memcpy(indices, p->c->innerIndexPtr(), n * sizeof(int));
	std::memcpy(values, p->c->valuePtr(), n * sizeof(double));
}

extern "C" void peer_free(Product *p) { delete p; }
