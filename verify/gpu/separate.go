package gpu

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/cuda"
)

// The work of a program without a fused epilogue: a product of a library, and then bias
// and activation in a kernel of its own. This is that kernel, as fast as it can be:
// sixteen bytes a thread, in place, and the hardware's own tanh.

const (
	geluThreads = 256
	geluPerLane = 8 // bf16 in 16 bytes
)

// separateGELU is the kernel. Its parameters are the matrix, the bias (f32), how many
// elements the matrix has and how many a row. Both are multiples of 8.
var separateGELU = func() string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	p(".version 7.0\n.target sm_80\n.address_size 64\n")
	p(".visible .entry bias_gelu(\n\t.param .u64 x,\n\t.param .u64 bias,\n\t.param .u32 total,\n\t.param .u32 cols\n)\n{")
	p("\t.reg .pred %%p;\n\t.reg .b32 %%r<24>;\n\t.reg .b64 %%rd<8>;\n\t.reg .f32 %%f<64>;")
	p("\tmov.u32 %%r0, %%ctaid.x;\n\tmov.u32 %%r1, %%tid.x;\n\tmad.lo.s32 %%r0, %%r0, %d, %%r1;\n\tshl.b32 %%r0, %%r0, 3;", geluThreads)
	p("\tld.param.u32 %%r2, [total];\n\tsetp.ge.u32 %%p, %%r0, %%r2;\n\t@%%p bra DONE;")
	p("\tld.param.u32 %%r3, [cols];\n\trem.u32 %%r3, %%r0, %%r3;")
	p("\tld.param.u64 %%rd0, [x];\n\tmul.wide.u32 %%rd1, %%r0, 2;\n\tadd.s64 %%rd0, %%rd0, %%rd1;")
	p("\tld.param.u64 %%rd2, [bias];\n\tmul.wide.u32 %%rd3, %%r3, 4;\n\tadd.s64 %%rd2, %%rd2, %%rd3;")
	p("\tld.global.v4.b32 {%%r4, %%r5, %%r6, %%r7}, [%%rd0];")
	p("\tld.global.v4.f32 {%%f0, %%f1, %%f2, %%f3}, [%%rd2];\n\tld.global.v4.f32 {%%f4, %%f5, %%f6, %%f7}, [%%rd2+16];")
	for i := range geluPerLane {
		word, x, u := 4+i/2, 8+i, 16+i
		if i%2 == 0 {
			p("\tshl.b32 %%r8, %%r%d, 16;", word)
		} else {
			p("\tand.b32 %%r8, %%r%d, 0xffff0000;", word)
		}
		p("\tmov.b32 %%f%d, %%r8;\n\tadd.f32 %%f%d, %%f%d, %%f%d;", x, x, x, i)
		p("\tmul.f32 %%f%d, %%f%d, %%f%d;", u, x, x)
		p("\tfma.rn.f32 %%f%d, %%f%d, 0f3D372713, 0f3F800000;", u, u)                           // 1 + 0.044715 x^2
		p("\tmul.f32 %%f%d, %%f%d, %%f%d;\n\tmul.f32 %%f%d, %%f%d, 0f3F4C422A;", u, u, x, u, u) // sqrt(2/pi) x (...)
		p("\ttanh.approx.f32 %%f%d, %%f%d;\n\tmul.f32 %%f%d, %%f%d, 0f3F000000;", u, u, x, x)   // tanh; x/2
		p("\tfma.rn.f32 %%f%d, %%f%d, %%f%d, %%f%d;", x, x, u, x)                               // x/2 (1 + tanh)
	}
	for i := range 4 {
		p("\tcvt.rn.bf16x2.f32 %%r%d, %%f%d, %%f%d;", 4+i, 9+2*i, 8+2*i)
	}
	p("\tst.global.v4.b32 [%%rd0], {%%r4, %%r5, %%r6, %%r7};\nDONE:\n\tret;\n}")
	return b.String()
}()

// separate launches it.
type separate struct{ f cuda.Function }

func newSeparate(d cuda.Device) (separate, error) {
	m, err := d.Load(separateGELU)
	if err != nil {
		return separate{}, err
	}
	f, err := m.Function("bias_gelu")
	return separate{f}, err
}

func (k separate) launch(s cuda.Stream, x, bias uint64, rows, cols int) error {
	total := rows * cols
	if cols%geluPerLane != 0 || total > math.MaxInt32 {
		return fmt.Errorf("gpu: bias and GELU of %d x %d: columns must be a multiple of %d, elements less than 2^31", rows, cols, geluPerLane)
	}
	p := binary.LittleEndian.AppendUint64(nil, x)
	p = binary.LittleEndian.AppendUint64(p, bias)
	p = binary.LittleEndian.AppendUint32(p, uint32(total))
	p = binary.LittleEndian.AppendUint32(p, uint32(cols))
	per := geluThreads * geluPerLane
	return k.f.Launch(s, cuda.Grid{Blocks: [3]int{(total + per - 1) / per, 1, 1}, Threads: [3]int{geluThreads, 1, 1}}, p)
}
