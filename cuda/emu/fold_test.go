package emu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/internal/level"
)

// foldOps are operations that the assembler carries out itself where their operands are
// known: a result, and operands, by the register of their type: r 32 bits, q 64, f and d
// floats, h 16 bits. # is a number below 40.
var foldOps = strings.Fields(`
add.u32:r=rr sub.u32:r=rr mul.lo.u32:r=rr mul.hi.u32:r=rr mul.hi.s32:r=rr mul.wide.u32:q=rr mul.wide.s32:q=rr mad.lo.u32:r=rrr mad.hi.s32:r=rrr mad.wide.s32:q=rrq
add.u64:q=qq sub.u64:q=qq mul.lo.u64:q=qq mul.hi.u64:q=qq mul.hi.s64:q=qq
min.u32:r=rr min.s32:r=rr max.u32:r=rr max.s32:r=rr min.s64:q=qq max.u64:q=qq abs.s32:r=r neg.s32:r=r abs.s64:q=q sad.u32:r=rrr sad.s32:r=rrr
and.b32:r=rr or.b32:r=rr xor.b32:r=rr not.b32:r=r cnot.b32:r=r and.b64:q=qq xor.b64:q=qq
shl.b32:r=r# shr.u32:r=r# shr.s32:r=r# shl.b64:q=q# shr.s64:q=q# shf.l.wrap.b32:r=rr# shf.r.wrap.b32:r=rr# shf.l.clamp.b32:r=rr# shf.r.clamp.b32:r=rr#
bfe.u32:r=r## bfe.s32:r=r## bfi.b32:r=rr## popc.b32:r=r clz.b32:r=r brev.b32:r=r bfind.u32:r=r bfind.s32:r=r bfind.shiftamt.u32:r=r popc.b64:r=q clz.b64:r=q brev.b64:q=q
prmt.b32:r=rrr mul24.lo.u32:r=rr mul24.hi.s32:r=rr dp4a.u32.u32:r=rrr dp4a.s32.u32:r=rrr
add.rn.f32:f=ff mul.rn.f32:f=ff fma.rn.f32:f=fff add.rz.f32:f=ff mul.rp.f32:f=ff fma.rm.f32:f=fff min.f32:f=ff max.f32:f=ff abs.f32:f=f neg.f32:f=f add.ftz.f32:f=ff mul.sat.f32:f=ff
add.rn.f64:d=dd mul.rn.f64:d=dd fma.rn.f64:d=ddd add.rz.f64:d=dd mul.rm.f64:d=dd min.f64:d=dd max.f64:d=dd
cvt.rn.f32.s32:f=r cvt.rz.f32.u32:f=r cvt.rn.f32.s64:f=q cvt.rn.f64.u64:d=q cvt.rn.f64.s32:d=r cvt.rzi.s32.f32:r=f cvt.rni.s32.f32:r=f cvt.rmi.u32.f32:r=f cvt.rzi.s64.f32:q=f cvt.rzi.s32.f64:r=d cvt.rni.u64.f64:q=d
cvt.rn.f32.f64:f=d cvt.rz.f32.f64:f=d cvt.f64.f32:d=f cvt.rni.f32.f32:f=f cvt.rzi.f64.f64:d=d cvt.rn.f16.f32:h=f cvt.f32.f16:f=h cvt.u32.s32.sat:r=r
cvt.s8.s32:r=r cvt.u16.u32:r=r cvt.sat.u8.s32:r=r cvt.s64.s32:q=r cvt.u32.u64:r=q
set.lt.u32.s32:r=rr set.ge.u32.f32:r=ff set.neu.u32.f32:r=ff set.num.u32.f32:r=ff slct.u32.s32:r=rrr slct.s32.f32:r=rrf copysign.f32:f=ff
`)

// A fold is an operation on numbers.
type fold struct {
	text  string // that makes %X of numbers
	reg   string // X
	width int    // of the result, bits
}

// newFold draws an operation and its operands.
func newFold(rng *rand.Rand) fold {
	op, regs, _ := strings.Cut(foldOps[rng.IntN(len(foldOps))], ":")
	dst, srcs := regs[:1], regs[2:]
	number := func(kind rune) string {
		var x uint64
		switch rng.IntN(4) {
		case 0:
			x = []uint64{0, 1, 2, 31, 32, 127, 128, 255, 32767, 0x7fffffff, 0x80000000, 0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ^uint64(0)}[rng.IntN(15)]
		case 1:
			x = rng.Uint64() >> rng.IntN(64)
		default:
			x = rng.Uint64()
		}
		switch kind {
		case '#':
			return fmt.Sprint(rng.IntN(40))
		case 'q':
			return fmt.Sprintf("0x%x", x)
		case 'f':
			// Half of them near 1, so that sums are rounded.
			if b := uint32(x); rng.IntN(2) == 0 {
				return fmt.Sprintf("0f%08x", b&0x807fffff|uint32(120+rng.IntN(16))<<23)
			}
			return fmt.Sprintf("0f%08x", uint32(x))
		case 'd':
			if rng.IntN(2) == 0 {
				return fmt.Sprintf("0d%016x", x&0x800fffffffffffff|uint64(1016+rng.IntN(16))<<52)
			}
			return fmt.Sprintf("0d%016x", x)
		}
		return fmt.Sprintf("0x%x", uint32(x))
	}
	var b strings.Builder
	names := []string{"%" + dst + "0"}
	for i, kind := range srcs {
		reg, typ := string(kind), map[rune]string{'r': "b32", '#': "b32", 'q': "b64", 'f': "f32", 'd': "f64", 'h': "b16"}[kind]
		n := number(kind)
		switch kind {
		case '#':
			reg = "r"
		case 'h':
			n = fmt.Sprint(rng.IntN(1 << 16))
		}
		names = append(names, fmt.Sprintf("%%%s%d", reg, i+1))
		fmt.Fprintf(&b, "mov.%s %s, %s; ", typ, names[i+1], n)
	}
	if name, sat := strings.CutSuffix(op, ".sat"); sat {
		op = strings.Replace(name, "cvt.", "cvt.sat.", 1)
	}
	fmt.Fprintf(&b, "%s %s;", op, strings.Join(names, ", "))
	f := fold{text: b.String(), reg: dst, width: map[string]int{"r": 32, "f": 32, "q": 64, "d": 64, "h": 16}[dst]}
	if dst == "f" || dst == "d" { // the bits of NaN are of no interest, nor is their fate in a comparison
		t := map[string]string{"f": "f32", "d": "f64"}[dst]
		f.text += fmt.Sprintf(" testp.notanumber.%s %%p1, %%%s0; mov.b%d %%%s9, %%%s0; selp.b%d %%%s8, 7, %%%s9, %%p1;", t, dst, f.width, bitsReg(f.width), dst, f.width, bitsReg(f.width), bitsReg(f.width))
	} else {
		f.text += fmt.Sprintf(" mov.b%d %%%s8, %%%s0;", f.width, bitsReg(f.width), dst)
	}
	return f
}

func bitsReg(width int) string { return map[int]string{16: "h", 32: "r", 64: "q"}[width] }

const foldRegs = ".reg .pred %p<3>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %q<10>; .reg .f32 %f<10>; .reg .f64 %d<10>;\n"

// TestFold: where the assembler knows the operands of an instruction it computes the
// result. A kernel stores if that is not what the emulator computed: nothing may be left
// of it. If it is not empty, one that stores if the two are the same says whether the
// assembler has another result, or none.
func TestFold(t *testing.T) {
	ptxas := os.Getenv("TILESMITH_PTXAS")
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			t.Skip("no ptxas in PATH or TILESMITH_PTXAS")
		}
	}
	n := 300
	if level.Long() {
		n = 2000 // 13 s
	} else if level.Of(true, false, false) {
		n = 100
	}
	rng := rand.New(level.PCG(1, 2))
	folds := make([]fold, n)
	const each = 200 // of a kernel, which may have so many registers
	var all strings.Builder
	all.WriteString(".version 7.8\n.target sm_80\n.address_size 64\n")
	for i := range folds {
		if i%each == 0 {
			fmt.Fprintf(&all, ".visible .entry k%d(.param .u64 p) {\n.reg .b64 %%at;\nld.param.u64 %%at, [p];\n", i/each)
		}
		folds[i] = newFold(rng)
		w := folds[i].width
		fmt.Fprintf(&all, "{ %s%s\nst.global.b%d [%%at+%d], %%%s8; }\n", foldRegs, folds[i].text, w, 8*i, bitsReg(w))
		if (i+1)%each == 0 || i+1 == n {
			all.WriteString("ret;\n}\n")
		}
	}
	r := newRig(t, Options{})
	m := r.alloc(make([]byte, 8*n))
	for i := 0; i < n; i += each {
		if err := r.launch(all.String(), fmt.Sprintf("k%d", i/each), grid(1, 1, 0), m); err != nil {
			t.Fatal(err)
		}
	}
	results := r.read(m)
	// sizes assembles a kernel for each fold, and one that is empty, and returns the bytes
	// of their code.
	stores := ""
	for i := range 32 { // more than the padding of a function takes
		stores += fmt.Sprintf("@%%p2 st.volatile.global.b32 [%%at+%d], %d;\n", 4*i, i)
	}
	sizes := func(compare string) (list []uint64) {
		var b strings.Builder
		b.WriteString(".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry empty(.param .u64 p) { ret; }\n")
		for i, f := range folds {
			reg := bitsReg(f.width)
			fmt.Fprintf(&b, ".visible .entry k%d(.param .u64 p) {\n.reg .b64 %%at;\n%s%s\nmov.b%d %%%s7, 0x%x; setp.%s.b%d %%p2, %%%s8, %%%s7; ld.param.u64 %%at, [p];\n%sret; }\n",
				i, foldRegs, f.text, f.width, reg, little(results[8*i:8*i+8]), compare, f.width, reg, reg, stores)
		}
		dir := t.TempDir()
		in, out := filepath.Join(dir, "f.ptx"), filepath.Join(dir, "f.cubin")
		if err := os.WriteFile(in, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		if text, err := exec.Command(ptxas, "-arch", "sm_80", "-o", out, in).CombinedOutput(); err != nil {
			t.Fatalf("%v: %.2000s", err, text)
		}
		code, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint32(code[20:], 1) // NVIDIA has versions of ELF of its own, which package elf refuses
		e, err := elf.NewFile(bytes.NewReader(code))
		if err != nil {
			t.Fatal(err)
		}
		empty := e.Section(".text.empty").Size
		for i := range folds {
			list = append(list, e.Section(fmt.Sprintf(".text.k%d", i)).Size-empty)
		}
		return list
	}
	differs, same := sizes("ne"), sizes("eq")
	folded := 0
	for i, f := range folds {
		switch {
		case differs[i] == 0 && same[i] != 0:
			folded++
		case same[i] == 0:
			t.Errorf("%s: the emulator has 0x%x, the assembler something else", f.text, little(results[8*i:8*i+8]))
		}
	}
	t.Logf("the assembler computed %d of %d, and all are the emulator's", folded, n)
	if 10*folded < 5*n {
		t.Errorf("the assembler computed %d of %d only: nothing is compared", folded, n)
	}
}
