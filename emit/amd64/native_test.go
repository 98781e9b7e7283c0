//go:build amd64 && !noasm && !purego

package amd64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// machineTargets are the targets whose code this machine runs.
func machineTargets() []emit.Target {
	var ts []emit.Target
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA && x.HasBMI2 && x.HasF16C {
		ts = append(ts, AVX2)
		if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
			ts = append(ts, AVX512)
			if x.HasAVX512VNNI {
				ts = append(ts, AVX512VNNI)
			}
			if x.HasAVX512BF16 {
				ts = append(ts, AVX512BF16)
			}
		}
		for _, i := range []*isaset.ISA{&isaset.AVXVNNI, &isaset.AMXBF16, &isaset.AMXINT8} {
			if i.Has() {
				ts = append(ts, target(i))
			}
		}
	}
	return ts
}

// one makes a program whose results are what body puts, each at once.
func one(t *testing.T, target emit.Target, name string, body func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value))) program {
	t.Helper()
	pr := program{target: target}
	var err error
	pr.f, err = emit.Build(name+"_"+target.Name, frame, func(b *emit.Builder) {
		p, q := b.Param("p", emit.Ptr), b.Param("q", emit.Ptr)
		body(b, p, func(vs ...*emit.Value) {
			for _, v := range vs {
				b.Store(v, emit.At(q, int64(len(pr.slots)*slotBytes)))
				pr.slots = append(pr.slots, v.Type)
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return pr
}

// section returns the offset of the i-th input of type t.
func section(t emit.Type, i int) int64 {
	switch t.Elem {
	case emit.F32:
		return inF32 + int64(i*t.Bytes()%256)
	case emit.F64:
		return inF64 + int64(i*t.Bytes()%512)
	}
	return inI64 + int64(8*i)
}

// opPrograms has a function for each operation on each type.
func opPrograms(t *testing.T, target emit.Target) []program {
	var out []program
	add := func(name string, body func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value))) {
		out = append(out, one(t, target, name, body))
	}
	for _, ty := range floatTypes(target) {
		args := func(b *emit.Builder, p *emit.Value, n int) (vs []*emit.Value) {
			for i := range n {
				vs = append(vs, b.Load(ty, emit.At(p, section(ty, i))))
			}
			return vs
		}
		for _, name := range []string{"add", "sub", "mul", "div", "max", "min", "sqrt", "fma"} {
			n := 2
			switch name {
			case "sqrt":
				n = 1
			case "fma":
				n = 3
			}
			add(name+"_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
				put(b.Op(name, emit.Attr{}, []emit.Type{ty}, args(b, p, n)...)...)
			})
		}
		// The three places that the result of an fma can take, and none.
		add("fmaforms_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			x := args(b, p, 4)
			v := b.FMA(x[0], x[1], x[2]) // x[0] ends
			w := b.FMA(x[1], x[2], v)    // x[2] ends
			u := b.FMA(x[1], w, x[3])    // w ends
			put(b.FMA(v, x[1], x[3]), v, u, x[1], x[3])
		})
		add("moves_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			x := args(b, p, 2)
			field := "x"
			if ty.Elem == emit.F64 {
				field = "y"
			}
			put(b.Const(ty, 0), b.Const(ty, -2.5), b.Const(ty, math.Inf(-1)), b.Const(ty, math.Copysign(0, -1)),
				b.Op("copy", emit.Attr{}, []emit.Type{ty}, x[0])[0], x[0], b.Param(field, ty))
			if lane := emit.Scalar(ty.Elem); ty.Lanes > 1 {
				put(b.LoadSplat(ty, emit.At(p, section(lane, 3))), b.Splat(ty, b.Load(lane, emit.At(p, section(lane, 4)))))
			}
		})
		if ty.Lanes == 1 {
			continue
		}
		add("maskbits_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			x := args(b, p, 3)
			less := b.Cmp("lt", x[0], x[1])
			put(b.MaskBits(less), b.Select(b.MaskOf(ty, b.Param("n", emit.Int64)), x[0], x[2]), b.MaskBits(b.MaskOf(ty, b.Param("k", emit.Int64))))
		})
		for _, pm := range permutations {
			var perms [][]int
			for imm := 0; imm < 256; imm += 27 {
				if perm := pm.apply(ty, imm, laneNumbers(0, ty.Lanes), laneNumbers(ty.Lanes, ty.Lanes)); perm != nil && (pm.imm || imm == 0) {
					perms = append(perms, perm)
				}
			}
			if perms == nil {
				continue
			}
			add(strings.ToLower(pm.mnemonic)+"_"+ty.String(), func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
				x := args(b, p, 2)
				for _, perm := range perms {
					put(b.Shuffle(perm, x...))
				}
			})
		}
		if ty.Bits() == target.Bits {
			out = append(out, lengths(t, target, ty))
		}
	}
	ints := func(b *emit.Builder, p *emit.Value) (x, y *emit.Value) {
		return b.Load(emit.Int64, emit.At(p, section(emit.Int64, 0))), b.Load(emit.Int64, emit.At(p, section(emit.Int64, 1)))
	}
	for _, name := range []string{"add", "sub", "mul", "and", "or", "xor", "shl", "shr"} {
		add(name+"_i64", func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			op := func(x, y *emit.Value) { put(b.Op(name, emit.Attr{}, []emit.Type{emit.Int64}, x, y)...) }
			x, y := ints(b, p)
			if strings.HasPrefix(name, "sh") {
				y = b.And(y, b.Int(63))
			}
			op(x, y)
			for _, c := range []int64{0, 1, 7, 63, -1, math.MaxInt32, math.MinInt32, 1 << 40} {
				if c == c&63 || !strings.HasPrefix(name, "sh") {
					op(x, b.Int(c))
				}
			}
			op(b.Int(5), y)
			put(x, y)
		})
	}
	for _, pred := range predicates {
		add("select_"+pred, func(b *emit.Builder, p *emit.Value, put func(vs ...*emit.Value)) {
			x, y := ints(b, p)
			far := b.Select(b.Cmp(pred, x, y), p, b.AddP(p, b.Int(8)))
			put(b.Load(emit.Int64, emit.At(far, section(emit.Int64, 3))))
			for _, c := range []*emit.Value{
				b.Cmp(pred, x, y), b.Cmp(pred, y, x), b.Cmp(pred, x, x), b.Cmp(pred, x, b.Int(0)),
				b.Cmp(pred, b.Int(3), y), b.Cmp(pred, b.Param("n", emit.Int64), b.Param("k", emit.Int64)),
			} {
				put(b.Select(c, x, y), b.Select(c, b.Int(0), y), b.Select(c, y, b.Int(-9)))
				put(b.If(c, func() []*emit.Value { return []*emit.Value{y} }, func() []*emit.Value { return []*emit.Value{b.Int(11)} })...)
			}
		})
	}
	return out
}

// lengths works on n elements, a vector at a time, the last one masked.
func lengths(t *testing.T, target emit.Target, ty emit.Type) program {
	pr := program{target: target, slots: slices.Repeat([]emit.Type{ty}, 4)}
	var err error
	pr.f, err = emit.Build("lengths_"+ty.String()+"_"+target.Name, frame, func(b *emit.Builder) {
		p, q, n := b.Param("p", emit.Ptr), b.Param("q", emit.Ptr), b.Param("n", emit.Int64)
		lanes := b.Int(int64(ty.Lanes))
		from := section(ty, 0)
		b.For(b.Int(0), n, int64(ty.Lanes), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			rest := b.Sub(n, i)
			m := b.MaskN(ty, b.Select(b.Cmp("lt", rest, lanes), rest, lanes))
			size := int64(ty.Elem.Bytes())
			v := b.LoadMasked(ty, m, emit.Addr{Ptr: p, Index: i, Scale: size, Off: from})
			b.StoreMasked(b.Add(v, v), m, emit.Addr{Ptr: q, Index: i, Scale: size})
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return pr
}

// input is what one call gets.
type input struct {
	N, K int64
	X    float32
	_    uint32
	Y    float64
	Mem  [inBytes]byte
}

// specials are the values at which operations change their mind.
var specials = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1, 0x1p-149, 0x1p-126, 0x1p-1074, 0x1p-1022, -0x1p-1050, math.MaxFloat32, math.MaxFloat64, 0x1.fffffep-127, 1 + 0x1p-23, 1 + 0x1p-52,
	// Halfway between integers, bf16, f16 and f32 numbers, and just beside; the ends of the ints.
	0.5, -0.5, 1.5, 2.5, -3.5, 0x1p-25, 0x1.8p-25, 65519.996, 65520, 1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-8 + 0x1p-23, 1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1p-24, 1 + 0x3p-24,
	0x1p31, -0x1p31, -0x1p31 - 1, 0x1p31 - 128, 0x1p31 - 0.5, 0x1p63, -0x1p63, 0x1p52 + 0.5, 0x1.ffp127, 0x1p-134}

func randomInput(r *rand.Rand, c int) *input {
	in := &input{N: int64(c % 18), K: int64(r.IntN(22) - 1)}
	float := func() float64 {
		switch r.IntN(4) {
		case 0:
			return pick(r, specials)
		case 1:
			return math.Float64frombits(r.Uint64())
		}
		return r.NormFloat64()
	}
	f32 := func() float32 {
		switch r.IntN(16) {
		case 0, 1, 2:
			return math.Float32frombits(r.Uint32())
		case 3: // NaNs that lose their payload, or would overflow, when they are rounded
			return math.Float32frombits(pick(r, []uint32{0x7f800001, 0xff80ffff, 0xffffffff}))
		}
		return float32(float())
	}
	in.X, in.Y = f32(), float()
	for at := inF32; at < inF64; at += 4 {
		binary.LittleEndian.PutUint32(in.Mem[at:], math.Float32bits(f32()))
	}
	for at := inF64; at < inI64; at += 8 {
		binary.LittleEndian.PutUint64(in.Mem[at:], math.Float64bits(float()))
	}
	for at := inI64; at < inBytes; at += 8 {
		x := r.Uint64()
		switch r.IntN(8) {
		case 0, 1, 2, 3:
			x = uint64(r.IntN(20) - 8)
		case 4:
			x = pick(r, []uint64{1 << 63, 1<<63 - 1, 1<<31<<32 | 1<<31, 1<<32 - 1, 0x8000_7fff_0080_ff7f, 0x7fff_ffff_0000_7fff, 0xffff_7fff_ffff_8000})
		}
		binary.LittleEndian.PutUint64(in.Mem[at:], x)
	}
	return in
}

const (
	outBytes = maxSlots * slotBytes
	filler   = 0x5a
)

// interpret returns what f leaves at q.
func interpret(f *emit.Func, in *input) ([]byte, error) {
	src := &emit.Memory{Name: "p", Data: in.Mem[:], ReadOnly: true}
	dst := &emit.Memory{Name: "q", Data: bytes.Repeat([]byte{filler}, outBytes)}
	m := &emit.Machine{}
	m.Bind("p", emit.PtrTo(src, 0))
	m.Bind("q", emit.PtrTo(dst, 0))
	m.Bind("n", emit.IntWord(in.N))
	m.Bind("k", emit.IntWord(in.K))
	m.Bind("x", emit.F32Word(in.X))
	m.Bind("y", emit.F64Word(in.Y))
	err := m.Run(f)
	return dst.Data, err
}

// differ says where two results differ, slot by slot; which NaN it is does not
// count.
func differ(slots []emit.Type, have, want []byte) string {
	for i := range maxSlots {
		e := emit.I64
		if i < len(slots) && slots[i].Elem.Float() {
			e = slots[i].Elem
		}
		for at := i * slotBytes; at < (i+1)*slotBytes; at += e.Bytes() {
			var h, w uint64
			for b := range e.Bytes() {
				h |= uint64(have[at+b]) << (8 * b)
				w |= uint64(want[at+b]) << (8 * b)
			}
			if h == w || e.Float() && math.IsNaN(e.Decode(h)) && math.IsNaN(e.Decode(w)) {
				continue
			}
			s := fmt.Sprintf("slot %d, byte %d: have %#x, want %#x", i, at%slotBytes, h, w)
			if e.Float() {
				s += fmt.Sprintf(" (%v: %g, %g)", e, e.Decode(h), e.Decode(w))
			}
			return s
		}
	}
	return ""
}

// askForTiles asks Linux for the registers for tiles, as package tiling/kernel does before a kernel on
// them runs; where there are none the answer is no, and no function uses them.
const askForTiles = `package main

import "syscall"

func init() { syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, 0x1023, 18, 0) }
`

// runner is the program that calls the functions: it reads inputs, each after the
// number of its function, and writes what the functions leave.
const runner = `package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"unsafe"
)

type args struct {
	p, q unsafe.Pointer
	n, k int64
	x    float32
	y    float64
}

type input struct {
	Func uint64
	N, K int64
	X    float32
	_    uint32
	Y    float64
	Mem  [%[1]d]byte
}

const guard = 68 // not a multiple of 8: nothing is aligned

func main() {
	r, w := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer w.Flush()
	src, dst := make([]byte, %[1]d+2*guard), make([]byte, %[2]d+2*guard)
	for {
		var in input
		if err := binary.Read(r, binary.LittleEndian, &in); err == io.EOF {
			return
		} else if err != nil {
			panic(err)
		}
		copy(src[guard:], in.Mem[:])
		for i := range dst {
			dst[i] = %[3]d
		}
		funcs[in.Func](&args{unsafe.Pointer(&src[guard]), unsafe.Pointer(&dst[guard]), in.N, in.K, in.X, in.Y})
		for i, b := range dst {
			if (i < guard || i >= len(dst)-guard) && b != %[3]d {
				panic(fmt.Sprintf("function %%d wrote at %%d", in.Func, i-guard))
			}
		}
		if string(src[guard:len(src)-guard]) != string(in.Mem[:]) {
			panic(fmt.Sprintf("function %%d wrote to its input", in.Func))
		}
		w.Write(dst[guard : len(dst)-guard])
	}
}
`

// TestNative builds a program of all functions, outside the source tree, and
// compares what they do with the interpreter, bit for bit.
func TestNative(t *testing.T) {
	level.E2E(t)
	targets := machineTargets()
	if targets == nil {
		t.Skip("this machine has no AVX2")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to assemble with")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var programs []program
	var stubs, list strings.Builder
	refused, spilled, sets := 0, 0, 0
	for _, target := range targets {
		extends := isaset.Plain(target.Name) != target.Name
		all := dotPrograms(t, target)
		if !extends {
			all = append(append(all, opPrograms(t, target)...), vectorPrograms(t, target)...)
		}
		fixed := len(all)
		for seed := range uint64(150) {
			if extends {
				break
			}
			p, err := randomProgram(seed, target, 5+int(seed%26))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		for seed := range uint64(150) {
			if extends {
				break
			}
			p, err := mixedProgram(seed, target, 5+int(seed%30))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
		if !extends {
			all = append(all, spillPrograms(t, target)...)
			sets++
		}
		var ready []*emit.Func
		for i, p := range all {
			f := p.f.Clone()
			if _, err := compile(target, f); err != nil {
				if i < fixed || !acceptable(err) {
					t.Fatalf("%v in\n%s", err, p.f)
				}
				refused++
				continue
			}
			if frameSize(target, f) > 0 {
				spilled++
			}
			ready = append(ready, f)
			programs = append(programs, p)
			fmt.Fprintf(&stubs, "//go:noescape\nfunc %s(args *args)\n\n", f.Name)
			fmt.Fprintf(&list, "\t%s,\n", f.Name)
		}
		var asm strings.Builder
		if err := (Backend{}).Print(&asm, target, "", ready); err != nil {
			t.Fatal(err)
		}
		write(target.Name+"_amd64.s", asm.String())
	}
	write("go.mod", "module native\n\ngo 1.26\n")
	write("tiles_linux_amd64.go", askForTiles)
	write("main.go", fmt.Sprintf(runner, inBytes, outBytes, filler))
	write("stubs.go", "package main\n\n"+stubs.String()+"var funcs = []func(*args){\n"+list.String()+"}\n")
	tool := func(args ...string) {
		t.Helper()
		c := exec.Command("go", args...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%.4000s", args[0], err, out)
		}
	}
	exe := filepath.Join(dir, "native.exe")
	tool("build", "-o", exe, ".")
	tool("vet", ".") // without a flag, which would have the standard library vetted again

	type call struct {
		program int
		in      *input
		want    []byte
	}
	var calls []call
	var stdin bytes.Buffer
	r := rand.New(level.PCG(1, 2))
	for i, p := range programs {
		n, first := 6, i // n of the inputs differs from program to program
		switch {
		case strings.HasPrefix(p.f.Name, "lengths"):
			n, first = 18, 0 // and there it takes all values
		case strings.HasPrefix(p.f.Name, "vec_dot_"):
			n = 300
		case strings.HasPrefix(p.f.Name, "vec_"):
			n = 20
		}
		for c := range n {
			in := randomInput(r, first+c)
			if strings.HasPrefix(p.f.Name, "vec_dot_") {
				in = dotInput(r)
			}
			want, err := interpret(p.f, in)
			if err != nil {
				t.Fatalf("%v in\n%s", err, p.f)
			}
			calls = append(calls, call{i, in, want})
			binary.Write(&stdin, binary.LittleEndian, uint64(i))
			binary.Write(&stdin, binary.LittleEndian, in)
		}
	}
	var stdout, stderr bytes.Buffer
	c := exec.Command(exe)
	c.Stdin, c.Stdout, c.Stderr = &stdin, &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%v\n%.4000s", err, stderr.String())
	}
	if n := stdout.Len(); n != len(calls)*outBytes {
		t.Fatalf("%d bytes of results, want %d", n, len(calls)*outBytes)
	}
	failed := map[int]bool{}
	for _, c := range calls {
		p := programs[c.program]
		if d := differ(p.slots, stdout.Next(outBytes), c.want); d != "" && !failed[c.program] {
			failed[c.program] = true
			g := p.f.Clone()
			text, _ := compile(p.target, g)
			t.Errorf("%s (n = %d, k = %d): %s\n%s%s", p.f.Name, c.in.N, c.in.K, d, p.f, text)
			if len(failed) == 3 {
				t.FailNow()
			}
		}
	}
	if want := 4 * sets; spilled < want { // spillmore_ of each type needs more than 32 registers
		t.Errorf("%d functions spill, want %d at least", spilled, want)
	}
	t.Logf("%d functions, %d of which spill, %d calls; %d random programs need too many registers", len(programs), spilled, len(calls), refused)
}
