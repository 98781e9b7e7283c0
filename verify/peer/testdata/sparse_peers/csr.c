/* C = A*B as one writes it in C, for the compiler to make the best of. */
#include <stddef.h>
#include <string.h>

const char *peer_version(void) { return "gcc " __VERSION__ ", plain loop"; }

void peer_spmm(int m, int k, int nnz, const int *restrict pointers, const int *restrict indices,
               const float *restrict values, int n, const float *restrict b, float *restrict c)
{
	(void)k, (void)nnz;
	for (int i = 0; i < m; i++) {
		float *restrict row = c + (size_t)i * n;
		memset(row, 0, sizeof *row * (size_t)n);
		for (int e = pointers[i]; e < pointers[i + 1]; e++) {
			const float v = values[e];
			const float *restrict x = b + (size_t)indices[e] * n;
			for (int j = 0; j < n; j++)
				row[j] += v * x[j];
		}
	}
}
