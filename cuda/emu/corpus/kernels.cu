// Kernels of the corpus for the emulator. A line //- NAME begins one; all have this.
#define KERNEL extern "C" __global__ void
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
typedef unsigned int u32;
//- saxpy
KERNEL saxpy(const float *x, float *y, float a, int n) {
	int i = INDEX;
	if (i < n) y[i] = a * x[i] + y[i];
}
//- reduce_shuffle
KERNEL reduce_shuffle(const float *x, float *z, int n) {
	__shared__ float part[32];
	int i = INDEX, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
	float v = i < n ? x[i] : 0;
	for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
	if (lane == 0) part[warp] = v;
	__syncthreads();
	if (warp == 0) {
		v = lane < blockDim.x / 32 ? part[lane] : 0;
		for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
		if (lane == 0) atomicAdd(z, v);
	}
}
//- reduce_shared
KERNEL reduce_shared(const int *x, int *z, int n) {
	extern __shared__ int part[];
	int i = INDEX, t = threadIdx.x;
	part[t] = i < n ? x[i] : 0;
	for (int d = blockDim.x / 2; d; d >>= 1) {
		__syncthreads();
		if (t < d) part[t] += part[t + d];
	}
	if (t == 0) atomicAdd(z, part[0]);
}
//- reduce_groups
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
KERNEL reduce_groups(const int *x, int *z, int n) {
	auto block = cg::this_thread_block();
	auto tile = cg::tiled_partition<16>(block);
	int i = INDEX, v = i < n ? x[i] : 0;
	for (int d = 8; d; d >>= 1) v += tile.shfl_down(v, d);
	if (tile.thread_rank() == 0) atomicAdd(z, v);
}
//- reduce_last_block
__device__ int parts[64];
__device__ u32 done;
KERNEL reduce_last_block(const int *x, int *z, int n) {
	__shared__ int sum;
	__shared__ bool last;
	if (threadIdx.x == 0) sum = 0;
	__syncthreads();
	int i = INDEX;
	if (i < n) atomicAdd(&sum, x[i]);
	__syncthreads();
	if (threadIdx.x == 0) {
		parts[blockIdx.x] = sum;
		__threadfence();
		last = atomicAdd(&done, 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		__threadfence();
		int all = 0;
		for (int b = 0; b < gridDim.x; b++) all += ((volatile int *)parts)[b];
		*z = all;
	}
}
//- scan_block
KERNEL scan_block(const int *x, int *z) {
	__shared__ int a[2][256];
	int t = threadIdx.x, from = 0;
	a[0][t] = x[t];
	__syncthreads();
	for (int d = 1; d < 256; d *= 2, from ^= 1) {
		a[from ^ 1][t] = a[from][t] + (t >= d ? a[from][t - d] : 0);
		__syncthreads();
	}
	z[t] = a[from][t];
}
//- scan_lookback
__device__ unsigned long long state[64]; // sum << 2 | 1 of a block, | 2 of all up to it
KERNEL scan_lookback(const int *x, int *z, int n) {
	__shared__ int a[128];
	__shared__ int before;
	int i = INDEX, t = threadIdx.x;
	int v = i < n ? x[i] : 0;
	a[t] = v;
	for (int d = 1; d < 128; d *= 2) {
		__syncthreads();
		int w = t >= d ? a[t - d] : 0;
		__syncthreads();
		a[t] += w;
	}
	__syncthreads();
	if (t == 0) {
		unsigned long long own = a[127];
		atomicExch(&state[blockIdx.x], own << 2 | (blockIdx.x == 0 ? 2 : 1));
		unsigned long long sum = 0;
		for (int b = (int)blockIdx.x - 1; b >= 0;) {
			unsigned long long s = atomicAdd(&state[b], 0);
			if (s == 0) continue;
			sum += s >> 2;
			if (s & 2) break;
			b--;
		}
		if (blockIdx.x) atomicExch(&state[blockIdx.x], (sum + own) << 2 | 2);
		before = (int)sum;
	}
	__syncthreads();
	if (i < n) z[i] = a[t] + before;
}
//- histogram
KERNEL histogram(const int *x, int *z, int n) {
	__shared__ int h[64];
	if (threadIdx.x < 64) h[threadIdx.x] = 0;
	__syncthreads();
	for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) atomicAdd(&h[x[i] & 63], 1);
	__syncthreads();
	if (threadIdx.x < 64) atomicAdd(&z[threadIdx.x], h[threadIdx.x]);
}
//- sort_bitonic
KERNEL sort_bitonic(float *x) {
	__shared__ float a[512];
	int t = threadIdx.x;
	a[t] = x[t], a[t + 256] = x[t + 256];
	for (int k = 2; k <= 512; k *= 2)
		for (int j = k / 2; j; j /= 2) {
			__syncthreads();
			int i = 2 * t - (t & (j - 1));
			float p = a[i], q = a[i + j];
			if ((p > q) == ((i & k) == 0)) a[i] = q, a[i + j] = p;
		}
	__syncthreads();
	x[t] = a[t], x[t + 256] = a[t + 256];
}
//- sort_radix
KERNEL sort_radix(u32 *x) {
	__shared__ u32 a[256], zeros[8];
	int t = threadIdx.x, lane = t & 31, warp = t >> 5;
	u32 v = x[t];
	for (int bit = 0; bit < 10; bit++) {
		bool one = v >> bit & 1;
		u32 m = __ballot_sync(~0u, !one);
		if (lane == 0) zeros[warp] = __popc(m);
		__syncthreads();
		int before = 0, all = 0;
		for (int w = 0; w < 8; w++) {
			if (w < warp) before += zeros[w];
			all += zeros[w];
		}
		before += __popc(m & ((1u << lane) - 1));
		a[one ? all + t - before : before] = v;
		__syncthreads();
		v = a[t];
	}
	x[t] = v;
}
//- compact
KERNEL compact(const int *x, int *z, int *count) {
	__shared__ int base[4];
	int t = threadIdx.x, lane = t & 31, v = x[t];
	u32 m = __ballot_sync(~0u, v & 1);
	if (lane == 0) base[t >> 5] = __popc(m);
	__syncthreads();
	int at = __popc(m & ((1u << lane) - 1));
	for (int w = 0; w < t >> 5; w++) at += base[w];
	if (v & 1) z[at] = v;
	if (t == 127) *count = at + (v & 1);
}
//- transpose
KERNEL transpose(const float *x, float *z, int m, int n) {
	__shared__ float a[32][33];
	int j = blockIdx.x * 32 + threadIdx.x, i = blockIdx.y * 32;
	for (int r = threadIdx.y; r < 32; r += 8)
		if (i + r < m && j < n) a[r][threadIdx.x] = x[(i + r) * n + j];
	__syncthreads();
	i += threadIdx.x, j = blockIdx.x * 32;
	for (int r = threadIdx.y; r < 32; r += 8)
		if (i < m && j + r < n) z[(j + r) * m + i] = a[threadIdx.x][r];
}
//- matmul_naive
KERNEL matmul_naive(const float *a, const float *b, float *c, int m, int n, int k) {
	int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
	float sum = 0;
	for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + j];
	c[i * n + j] = sum;
}
//- matmul_tiled
KERNEL matmul_tiled(const float *a, const float *b, float *c, int m, int n, int k) {
	__shared__ float x[16][16], y[16][16];
	int s = threadIdx.y, t = threadIdx.x, i = blockIdx.y * 16 + s, j = blockIdx.x * 16 + t;
	float sum = 0;
	for (int l = 0; l < k; l += 16) {
		x[s][t] = a[i * k + l + t], y[s][t] = b[(l + s) * n + j];
		__syncthreads();
#pragma unroll
		for (int q = 0; q < 16; q++) sum += x[s][q] * y[q][t];
		__syncthreads();
	}
	c[i * n + j] = sum;
}
//- matmul_registers
KERNEL matmul_registers(const float *a, const float *b, float *c, int m, int n, int k) {
	__shared__ float x[8][32], y[8][32];
	int t = threadIdx.x, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32, s = t / 8 * 4, r = t % 8 * 4;
	float sum[4][4] = {};
	for (int l = 0; l < k; l += 8) {
		for (int e = t; e < 256; e += 64) {
			int i = i0 + e / 8;
			x[e % 8][e / 8] = i < m ? a[i * k + l + e % 8] : 0;
			y[e / 32][e % 32] = b[(l + e / 32) * n + j0 + e % 32];
		}
		__syncthreads();
		for (int q = 0; q < 8; q++) {
			float4 u = *(float4 *)&x[q][s], v = *(float4 *)&y[q][r];
			float p[4] = {u.x, u.y, u.z, u.w}, w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
			for (int i = 0; i < 4; i++)
#pragma unroll
				for (int j = 0; j < 4; j++) sum[i][j] += p[i] * w[j];
		}
		__syncthreads();
	}
	for (int i = 0; i < 4; i++)
		if (i0 + s + i < m) *(float4 *)&c[(i0 + s + i) * n + j0 + r] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
//- matmul_pipelined
#include <cuda_pipeline_primitives.h>
KERNEL matmul_pipelined(const float *a, const float *b, float *c, int m, int n, int k) {
	__shared__ float x[2][16][16], y[2][16][16];
	int s = threadIdx.y, t = threadIdx.x, i = blockIdx.y * 16 + s, j = blockIdx.x * 16 + t;
	auto load = [&](int l, int p) {
		__pipeline_memcpy_async(&x[p][s][t], &a[i * k + l + t], 4);
		__pipeline_memcpy_async(&y[p][s][t], &b[(l + s) * n + j], 4);
		__pipeline_commit();
	};
	load(0, 0);
	float sum = 0;
	for (int l = 0, p = 0; l < k; l += 16, p ^= 1) {
		if (l + 16 < k) {
			load(l + 16, p ^ 1);
			__pipeline_wait_prior(1);
		} else
			__pipeline_wait_prior(0);
		__syncthreads();
		for (int q = 0; q < 16; q++) sum += x[p][s][q] * y[p][q][t];
		__syncthreads();
	}
	c[i * n + j] = sum;
}
//- matmul_wmma
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
KERNEL matmul_wmma(const half *a, const half *b, float *c, int m, int n, int k) {
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
	wmma::fill_fragment(sum, 0.0f);
	for (int l = 0; l < k; l += 16) {
		wmma::load_matrix_sync(x, a + blockIdx.y * 16 * k + l, k);
		wmma::load_matrix_sync(y, b + l * n + blockIdx.x * 16, n);
		wmma::mma_sync(sum, x, y, sum);
	}
	wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}
//- matmul_mma
#include <cuda_fp16.h>
KERNEL matmul_mma(const half *a, const half *b, float *c, int m, int n, int k) {
	int lane = threadIdx.x, g = lane >> 2, t = lane & 3, i = blockIdx.y * 16, j = blockIdx.x * 8;
	float d[4] = {};
	for (int l = 0; l < k; l += 16) {
		auto two = [&](const half *p, int r, int q) { return *(const u32 *)(p + r * k + l + q); };
		u32 x0 = two(a, i + g, 2 * t), x1 = two(a, i + g + 8, 2 * t), x2 = two(a, i + g, 2 * t + 8), x3 = two(a, i + g + 8, 2 * t + 8);
		u32 y0 = two(b, j + g, 2 * t), y1 = two(b, j + g, 2 * t + 8);
		asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
			: "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(x0), "r"(x1), "r"(x2), "r"(x3), "r"(y0), "r"(y1));
	}
	for (int e = 0; e < 4; e++) c[(i + g + e / 2 * 8) * n + j + 2 * t + e % 2] = d[e];
}
//- matmul_wmma_int8
#include <mma.h>
using namespace nvcuda;
KERNEL matmul_wmma_int8(const signed char *a, const signed char *b, int *c) {
	wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> y;
	wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
	wmma::fill_fragment(sum, 0);
	for (int l = 0; l < 64; l += 16) {
		wmma::load_matrix_sync(x, a + l, 64);
		wmma::load_matrix_sync(y, b + l, 64);
		wmma::mma_sync(sum, x, y, sum);
	}
	wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
//- matmul_dp4a
KERNEL matmul_dp4a(const int *a, const int *b, int *c) {
	int sum = 0;
	for (int l = 0; l < 16; l++) sum = __dp4a(a[threadIdx.y * 16 + l], b[threadIdx.x * 16 + l], sum);
	c[threadIdx.y * 16 + threadIdx.x] = sum;
}
//- matmul_double
KERNEL matmul_double(const double *a, const double *b, double *c, int m, int n, int k) {
	int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
	double sum = 0;
	for (int l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + j];
	c[i * n + j] = sum;
}
//- softmax
__device__ float all(float v, bool top) {
	__shared__ float part[4];
	for (int d = 16; d; d >>= 1) {
		float w = __shfl_xor_sync(~0u, v, d);
		v = top ? fmaxf(v, w) : v + w;
	}
	__syncthreads();
	if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
	__syncthreads();
	v = part[0];
	for (int i = 1; i < 4; i++) v = top ? fmaxf(v, part[i]) : v + part[i];
	return v;
}
KERNEL softmax(const float *x, float *z, int n) {
	x += blockIdx.x * n, z += blockIdx.x * n;
	float peak = -1e30f, sum = 0;
	for (int i = threadIdx.x; i < n; i += 128) peak = fmaxf(peak, x[i]);
	peak = all(peak, true);
	for (int i = threadIdx.x; i < n; i += 128) sum += expf(x[i] - peak);
	sum = all(sum, false);
	for (int i = threadIdx.x; i < n; i += 128) z[i] = expf(x[i] - peak) / sum;
}
//- layer_norm
__device__ float all(float v) {
	__shared__ float part[4];
	for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
	__syncthreads();
	if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
	__syncthreads();
	return part[0] + part[1] + part[2] + part[3];
}
KERNEL layer_norm(const float *x, const float *w, const float *b, float *z, int n) {
	x += blockIdx.x * n, z += blockIdx.x * n;
	float s = 0, q = 0;
	for (int i = threadIdx.x; i < n; i += 128) s += x[i];
	s = all(s) / n;
	for (int i = threadIdx.x; i < n; i += 128) q += (x[i] - s) * (x[i] - s);
	q = rsqrtf(all(q) / n + 1e-5f);
	for (int i = threadIdx.x; i < n; i += 128) z[i] = (x[i] - s) * q * w[i] + b[i];
}
//- layer_norm_backward
__device__ float all(float v) {
	__shared__ float part[4];
	for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
	__syncthreads();
	if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = v;
	__syncthreads();
	return part[0] + part[1] + part[2] + part[3];
}
KERNEL layer_norm_backward(const float *dy, const float *x, const float *w, float *dx, int n) {
	dy += blockIdx.x * n, x += blockIdx.x * n, dx += blockIdx.x * n;
	float s = 0, q = 0, c1 = 0, c2 = 0;
	for (int i = threadIdx.x; i < n; i += 128) s += x[i];
	s = all(s) / n;
	for (int i = threadIdx.x; i < n; i += 128) q += (x[i] - s) * (x[i] - s);
	q = rsqrtf(all(q) / n + 1e-5f);
	for (int i = threadIdx.x; i < n; i += 128) c1 += (x[i] - s) * q * w[i] * dy[i], c2 += w[i] * dy[i];
	c1 = all(c1) / n, c2 = all(c2) / n;
	for (int i = threadIdx.x; i < n; i += 128) dx[i] = (w[i] * dy[i] - (x[i] - s) * q * c1 - c2) * q;
}
//- attention
KERNEL attention(const float *q, const float *k, const float *v, float *o, int n) {
	int d = threadIdx.x;
	float x = q[blockIdx.x * 32 + d] * rsqrtf(32), top = -1e30f, sum = 0, acc = 0;
	for (int j = 0; j < n; j++) {
		float s = x * k[j * 32 + d];
		for (int e = 16; e; e >>= 1) s += __shfl_xor_sync(~0u, s, e);
		float peak = fmaxf(top, s), f = __expf(top - peak), p = __expf(s - peak);
		acc = acc * f + p * v[j * 32 + d], sum = sum * f + p, top = peak;
	}
	o[blockIdx.x * 32 + d] = acc / sum;
}
//- gelu
KERNEL gelu(const float *x, float *z, float *th, int n) {
	int i = INDEX;
	if (i < n) z[i] = 0.5f * x[i] * (1 + erff(x[i] * 0.70710678f)), th[i] = tanhf(x[i]);
}
//- functions
KERNEL functions(const float *x, float *z, int n) {
	int i = INDEX;
	if (i >= n) return;
	float v = x[i];
	z[i] = sinf(v), z[n + i] = cosf(v), z[2 * n + i] = expf(v), z[3 * n + i] = logf(v);
	z[4 * n + i] = powf(v, 1.7f), z[5 * n + i] = cbrtf(v), z[6 * n + i] = atanf(v), z[7 * n + i] = log1pf(v);
}
//- functions_double
KERNEL functions_double(const double *x, double *z, int n) {
	int i = INDEX;
	if (i >= n) return;
	double v = x[i];
	z[i] = sin(v), z[n + i] = exp(v), z[2 * n + i] = log(v), z[3 * n + i] = pow(v, 1.7), z[4 * n + i] = sqrt(v), z[5 * n + i] = 1 / v;
}
//- half2
#include <cuda_fp16.h>
KERNEL half2_fma(const __half2 *x, __half2 *z, int n) {
	int i = INDEX;
	if (i < n) z[i] = __hfma2(x[i], x[i], __float2half2_rn(1));
}
//- life
KERNEL life(const unsigned char *x, unsigned char *z, int n) {
	int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x, c = 0;
	if (i >= n || j >= n) return;
	for (int s = n - 1; s <= n + 1; s++)
		for (int t = n - 1; t <= n + 1; t++) c += x[(i + s) % n * n + (j + t) % n];
	bool on = x[i * n + j];
	z[i * n + j] = c - on == 3 || on && c == 3;
}
//- convolve
KERNEL convolve(const float *x, const float *w, float *z, int n) {
	__shared__ float a[18][18];
	int i0 = blockIdx.y * 16, j0 = blockIdx.x * 16;
	for (int e = threadIdx.y * 16 + threadIdx.x; e < 18 * 18; e += 256) {
		int i = i0 + e / 18, j = j0 + e % 18;
		a[e / 18][e % 18] = i < n && j < n ? x[i * n + j] : 0;
	}
	__syncthreads();
	int i = i0 + threadIdx.y, j = j0 + threadIdx.x;
	if (i >= n - 2 || j >= n - 2) return;
	float sum = 0;
	for (int s = 0; s < 3; s++)
		for (int t = 0; t < 3; t++) sum += a[threadIdx.y + s][threadIdx.x + t] * w[3 * s + t];
	z[i * (n - 2) + j] = sum;
}
//- xorshift
KERNEL xorshift(u32 *z) {
	u32 s = threadIdx.x + 1;
	for (int i = 0; i < 10; i++) s ^= s << 13, s ^= s >> 17, s ^= s << 5;
	z[threadIdx.x] = s;
}
//- crc32
KERNEL crc32(const unsigned char *x, u32 *z) {
	u32 c = ~0u;
	for (int i = 0; i < 16; i++) {
		c ^= x[INDEX * 16 + i];
		for (int b = 0; b < 8; b++) c = c >> 1 ^ (c & 1 ? 0xEDB88320 : 0);
	}
	z[INDEX] = ~c;
}
//- spmv
KERNEL spmv(const int *ptr, const int *col, const float *val, const float *x, float *y, int n) {
	int row = INDEX / 8, lane = threadIdx.x & 7;
	float sum = 0;
	if (row < n)
		for (int i = ptr[row] + lane; i < ptr[row + 1]; i += 8) sum += val[i] * __ldg(&x[col[i]]);
	for (int d = 4; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d, 8);
	if (row < n && lane == 0) y[row] = sum;
}
//- max_cas
KERNEL max_cas(const float *x, float *z, int n) {
	int i = INDEX;
	if (i >= n) return;
	int *at = (int *)z, old = atomicAdd(at, 0);
	while (__int_as_float(old) < x[i]) {
		int was = atomicCAS(at, old, __float_as_int(x[i]));
		if (was == old) break;
		old = was;
	}
}
//- lock_blocks
__device__ int lock;
KERNEL lock_blocks(int *count) {
	if (threadIdx.x == 0) {
		while (atomicCAS(&lock, 0, 1)) __nanosleep(20);
		__threadfence();
		*(volatile int *)count = *(volatile int *)count + 1;
		__threadfence();
		atomicExch(&lock, 0);
	}
}
//- fft
KERNEL fft(float2 *x) {
	__shared__ float2 a[64];
	int t = threadIdx.x;
	a[__brev(t) >> 26] = x[t], a[__brev(t + 32) >> 26] = x[t + 32];
	for (int n = 1; n < 64; n *= 2) {
		__syncthreads();
		int j = t % n, i = 2 * t - j;
		float s, c;
		sincospif(-(float)j / n, &s, &c);
		float2 u = a[i], v = a[i + n], w = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
		a[i] = make_float2(u.x + w.x, u.y + w.y), a[i + n] = make_float2(u.x - w.x, u.y - w.y);
	}
	__syncthreads();
	x[t] = a[t], x[t + 32] = a[t + 32];
}
//- switch
KERNEL choose(const int *op, const int *x, int *z) {
	int t = threadIdx.x, v = x[t];
	switch (op[t]) {
	case 0: v += 1; break;
	case 1: v *= 3; break;
	case 2: v -= 7; break;
	case 3: v ^= 85; break;
	case 4: v /= 3; break;
	case 5: v %= 7; break;
	}
	z[t] = v;
}
//- nbody
KERNEL nbody(const float4 *p, float *f) {
	__shared__ float4 a[32];
	float4 me = p[threadIdx.x];
	float x = 0, y = 0, z = 0;
	for (int at = 0; at < 64; at += 32) {
		__syncthreads();
		if (threadIdx.x < 32) a[threadIdx.x] = p[at + threadIdx.x];
		__syncthreads();
		for (int j = 0; j < 32; j++) {
			float dx = a[j].x - me.x, dy = a[j].y - me.y, dz = a[j].z - me.z;
			float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = r * r * r * a[j].w;
			x += dx * s, y += dy * s, z += dz * s;
		}
	}
	f[3 * threadIdx.x] = x, f[3 * threadIdx.x + 1] = y, f[3 * threadIdx.x + 2] = z;
}
