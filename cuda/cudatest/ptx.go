package cudatest

// PTX has the kernels of the tests, for any device from sm_80 on:
//
//	add_f32(out, a, b, n)   out[i] = a[i] + b[i] for i < n, a thread each
//	reverse_f32(out, in)    turns round the elements of each block, by way of shared memory
//	store_f32(out)          out[0] = 1
const PTX = `// The kernels of package cudatest.
.version 7.0
.target sm_80
.address_size 64

.extern .shared .align 16 .b8 smem[];

.visible .entry add_f32(
	.param .u64 add_out,
	.param .u64 add_a,
	.param .u64 add_b,
	.param .u32 add_n
)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	.reg .f32 %f<4>;
	ld.param.u64 %rd1, [add_out];
	ld.param.u64 %rd2, [add_a];
	ld.param.u64 %rd3, [add_b];
	ld.param.u32 %r1, [add_n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	mul.wide.u32 %rd4, %r5, 4;
	add.s64 %rd1, %rd1, %rd4;
	add.s64 %rd2, %rd2, %rd4;
	add.s64 %rd3, %rd3, %rd4;
	ld.global.f32 %f1, [%rd2];
	ld.global.f32 %f2, [%rd3];
	add.rn.f32 %f3, %f1, %f2;
	st.global.f32 [%rd1], %f3;
DONE:
	ret;
}

.visible .entry reverse_f32(
	.param .u64 reverse_out,
	.param .u64 reverse_in
)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	.reg .f32 %f<3>;
	ld.param.u64 %rd1, [reverse_out];
	ld.param.u64 %rd2, [reverse_in];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	mul.wide.u32 %rd3, %r5, 4;
	add.s64 %rd1, %rd1, %rd3;
	add.s64 %rd2, %rd2, %rd3;
	ld.global.f32 %f1, [%rd2];
	mov.u64 %rd4, smem;
	mul.wide.u32 %rd5, %r4, 4;
	add.s64 %rd5, %rd4, %rd5;
	st.shared.f32 [%rd5], %f1;
	bar.sync 0;
	sub.u32 %r6, %r3, %r4;
	sub.u32 %r6, %r6, 1;
	mul.wide.u32 %rd6, %r6, 4;
	add.s64 %rd6, %rd4, %rd6;
	ld.shared.f32 %f2, [%rd6];
	st.global.f32 [%rd1], %f2;
	ret;
}

.visible .entry store_f32(
	.param .u64 store_out
)
{
	.reg .b64 %rd<2>;
	.reg .f32 %f<2>;
	ld.param.u64 %rd1, [store_out];
	mov.f32 %f1, 0f3F800000;
	st.global.f32 [%rd1], %f1;
	ret;
}
`
