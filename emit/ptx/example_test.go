package ptx_test

import (
	"fmt"
	"os"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
)

// A kernel that doubles what every thread points at.
func Example() {
	p := emit.Pointer(emit.Global, 4)
	f, err := emit.Build("double", []emit.Arg{{Name: "x", Type: p}}, func(b *emit.Builder) {
		at := emit.Addr{Ptr: b.Param("x", p), Index: b.SReg("tid.x", emit.Int64, emit.Thread), Scale: 4}
		x := b.Load(emit.Scalar(emit.F32), at)
		b.Store(b.Add(x, x), at)
		b.Comment("in place")
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	f.Threads = 128
	backend := ptx.Backend{}
	if err := emit.Run(f, backend.Passes(ptx.SM80), nil); err != nil {
		fmt.Println(err)
		return
	}
	if err := backend.Print(os.Stdout, ptx.SM80, "// an example", []*emit.Func{f}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// // an example
	// .version 7.0
	// .target sm_80
	// .address_size 64
	//
	// .visible .entry double(
	// 	.param .u64 arg_x
	// )
	// .maxntid 128, 1, 1
	// .minnctapersm 1
	// {
	// 	.reg .b32 %r<2>;
	// 	.reg .b64 %rd<5>;
	// 	.reg .f32 %f<3>;
	// 	ld.param.u64 %rd1, [arg_x];
	// 	cvta.to.global.u64 %rd2, %rd1;
	// 	mov.u32 %r1, %tid.x;
	// 	mad.wide.s32 %rd3, %r1, 4, %rd2;
	// 	ld.global.f32 %f1, [%rd3];
	// 	add.rn.f32 %f2, %f1, %f1;
	// 	mad.wide.s32 %rd4, %r1, 4, %rd2; // in place
	// 	st.global.f32 [%rd4], %f2;
	// 	ret;
	// }
}
