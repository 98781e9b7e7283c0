// x = T^-1*b by Eigen, over the caller's arrays, for a lower triangle in compressed rows.
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

extern "C" void peer_sptrsm(int m, int nnz, const int *pointers, const int *indices, const double *values,
                            int n, const double *b, double *x)
{
	Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>> t(m, m, nnz, pointers, indices, values);
	if (n == 1) {
		Eigen::Map<Eigen::VectorXd> out(x, m);
		out = Eigen::Map<const Eigen::VectorXd>(b, m);
		t.triangularView<Eigen::Lower>().solveInPlace(out);
		return;
	}
	typedef Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> Dense;
	Eigen::Map<Dense> out(x, m, n);
	out = Eigen::Map<const Dense>(b, m, n);
	t.triangularView<Eigen::Lower>().solveInPlace(out);
}
