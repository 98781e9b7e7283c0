// C = A*B by Eigen, over the caller's arrays.
#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>
#include <Eigen/SparseCore>

#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)

extern "C" const char *peer_version()
{
	return "Eigen " TEXT(EIGEN_WORLD_VERSION) "." TEXT(EIGEN_MAJOR_VERSION) "." TEXT(EIGEN_MINOR_VERSION)
	       ", g++ " __VERSION__;
}

extern "C" void peer_spmm(int m, int k, int nnz, const int *pointers, const int *indices, const float *values,
                          int n, const float *b, float *c)
{
	typedef Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Dense;
	Eigen::Map<const Eigen::SparseMatrix<float, Eigen::RowMajor, int>> a(m, k, nnz, pointers, indices, values);
	Eigen::Map<const Dense> x(b, k, n);
	Eigen::Map<Dense> out(c, m, n);
	out.noalias() = a * x;
}
