package fn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"go/ast"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gen/fn/testdata/fntest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/verify/peer/llctest"
)

// Here functions run as what each target makes of them: assembly of both widths by
// this machine, PTX by the emulator, LLVM by llc where there is one. All have to say
// what Go says.

// A subject is a function with columns of operands and what Go makes of them.
type subject struct {
	name string
	text string // of the source, for messages
	f    *Func
	in   [][]uint64 // by parameter and lane
	want [][]num    // by lane; nil: Go does not say, or panics
}

// subjectOf asks the evaluator.
func subjectOf(f *Func, s *source, d *ast.FuncDecl, name, text string, seed uint64) *subject {
	rnd := rand.New(rand.NewPCG(seed, 77))
	x := &subject{name: name, text: text, f: f, in: inputs(rnd, f)}
	e := newEvaluator(s)
	for l := range lanes {
		args := make([]num, len(f.Params))
		for i, u := range f.Params {
			args[i] = num{t: u, bits: x.in[i][l]}
		}
		want, stop := e.run(d, args)
		if stop != nil {
			want = nil
		}
		x.want = append(x.want, want)
	}
	return x
}

// check compares the columns that a target left.
func (x *subject) check(t *testing.T, target string, out []byte) {
	t.Helper()
	for l, want := range x.want {
		if want == nil {
			continue
		}
		var have []uint64
		for i, r := range x.f.Results {
			have = append(have, get(out[i*lanes*8+l*width(r):], width(r)))
		}
		if why := differ(have, want); why != "" {
			args := make([]num, len(x.in))
			for i := range args {
				args[i] = num{t: x.f.Params[i], bits: x.in[i][l]}
			}
			t.Errorf("%s on %s: f(%s): %s\n%s", x.name, target, show64(args), why, x.text)
			return
		}
	}
}

// memory returns the columns of operands, and room for those of results.
func (x *subject) memory() (in, out []byte) {
	in, out = make([]byte, max(1, len(x.in))*lanes*8), make([]byte, len(x.f.Results)*lanes*8)
	for i, p := range x.f.Params {
		for l, v := range x.in[i] {
			put(in[i*lanes*8+l*width(p):], width(p), v)
		}
	}
	return in, out
}

// lanesOn returns how many lanes fit a register of a target: what is not used is loaded
// all the same.
func (x *subject) lanesOn(t emit.Target) int {
	widest := x.f.Widest()
	for _, u := range slices.Concat(x.f.Params, x.f.Results) {
		if u.Elem().Bits() > widest.Bits() {
			widest = u.Elem()
		}
	}
	return t.Lanes(widest)
}

var columns = []emit.Arg{{Name: "in", Type: emit.Ptr}, {Name: "out", Type: emit.Ptr, Offset: 8}}

// kernel makes a function for n lanes at once, which goes over the columns.
func (x *subject) kernel(name string, n int) (*emit.Func, error) {
	return emit.Build(name, columns, func(b *emit.Builder) {
		in, out := b.Param("in", emit.Ptr), b.Param("out", emit.Ptr)
		b.For(b.Int(0), b.Int(lanes), int64(n), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			x.body(b, n, func(e emit.Elem, ptr bool, column int) emit.Addr {
				p := in
				if ptr {
					p = out
				}
				return emit.Addr{Ptr: p, Index: i, Scale: int64(e.Bytes()), Off: int64(column * lanes * 8)}
			})
			return nil
		})
	})
}

func (x *subject) body(b *emit.Builder, n int, at func(e emit.Elem, out bool, column int) emit.Addr) {
	var args []*emit.Value
	for i, p := range x.f.Params {
		if p == Bool {
			v := b.Load(emit.Vector(emit.I8, n), at(emit.I8, false, i))
			args = append(args, b.Cmp("ne", v, b.Const(v.Type, 0)))
			continue
		}
		args = append(args, b.Load(emit.Vector(p.Elem(), n), at(p.Elem(), false, i)))
	}
	res, err := x.f.emit(b, n, args, false)
	if err != nil {
		b.Refuse("%v", err)
	}
	for i, v := range res {
		e := x.f.Results[i].Elem()
		if e == emit.I1 {
			e = emit.I8
			v = b.Select(v, b.Const(emit.Vector(e, n), 1), b.Const(emit.Vector(e, n), 0))
		}
		b.Store(v, at(e, true, i))
	}
}

// emulated runs the subjects as PTX, a lane a thread, and gives the text to ptxas if
// there is one.
func emulated(t *testing.T, list []*subject) {
	d, err := emu.Open(emu.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	stream, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	var fs []*emit.Func
	for _, x := range list {
		args := []emit.Arg{{Name: "in", Type: emit.Pointer(emit.Global, 16)}, {Name: "out", Type: emit.Pointer(emit.Global, 16), Offset: 8}}
		f, err := emit.Build(x.name, args, func(b *emit.Builder) {
			in, out, tid := b.Param("in", args[0].Type), b.Param("out", args[1].Type), b.SReg("tid.x", emit.Int64, emit.Thread)
			x.body(b, 1, func(e emit.Elem, isOut bool, column int) emit.Addr {
				p := in
				if isOut {
					p = out
				}
				return emit.Addr{Ptr: p, Index: tid, Scale: int64(e.Bytes()), Off: int64(column * lanes * 8)}
			})
		})
		if err != nil {
			t.Fatalf("%v\n%s", err, x.text)
		}
		f.Threads = lanes
		if err := emit.Run(f, ptx.Backend{}.Passes(ptx.SM80), nil); err != nil {
			t.Fatalf("%v\n%s", err, x.text)
		}
		fs = append(fs, f)
	}
	l, err := ptx.List(ptx.SM80, "", fs)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := exec.LookPath("ptxas"); err == nil {
		file := filepath.Join(t.TempDir(), "f.ptx")
		if err := os.WriteFile(file, []byte(l.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(path, "-arch=sm_80", "-o", os.DevNull, file).CombinedOutput(); err != nil {
			t.Errorf("ptxas: %v\n%.2000s", err, out)
		}
	}
	m, err := d.Load(l.Text)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range list {
		in, out := x.memory()
		var mem [2]cuda.Memory
		for i, data := range [][]byte{in, out} {
			if mem[i], err = d.Alloc(int64(len(data))); err == nil {
				err = stream.Write(mem[i], 0, data)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		f, err := m.Function(x.name)
		if err != nil {
			t.Fatal(err)
		}
		var block bytes.Buffer
		binary.Write(&block, binary.LittleEndian, []uint64{uint64(mem[0].Address()), uint64(mem[1].Address())})
		err = f.Launch(stream, cuda.Grid{Blocks: [3]int{1, 1, 1}, Threads: [3]int{lanes, 1, 1}}, block.Bytes())
		if err == nil {
			err = stream.Synchronize()
		}
		if err == nil {
			err = stream.Read(out, mem[1], 0)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, x.text)
		}
		x.check(t, "ptx", out)
		mem[0].Free()
		mem[1].Free()
	}
}

// byLLC runs the subjects as llc compiles them.
func byLLC(t *testing.T, target emit.Target, list []*subject) {
	var fs []*emit.Func
	for _, x := range list {
		f, err := x.kernel(x.name, x.lanesOn(target))
		if err != nil {
			t.Fatalf("%v\n%s", err, x.text)
		}
		fs = append(fs, f)
	}
	o := llctest.Compile(t, target, fs)
	for _, x := range list {
		in, out := x.memory()
		o.Call(x.name)(unsafe.Pointer(&struct{ in, out unsafe.Pointer }{unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0])}))
		x.check(t, "llvm for "+target.Name, out)
	}
}

// assembled links the subjects into a program, as assembly for all targets that this
// machine has, and runs it. It returns how many need more registers than there are.
func assembled(t *testing.T, list []*subject) (refused int) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	type call struct {
		*subject
		target string
	}
	var calls []call
	var stdin bytes.Buffer
	var stubs, table strings.Builder
	for _, target := range []emit.Target{amd64.AVX2, amd64.AVX512} {
		if !slices.Contains(run.ISAs(), target.Name) {
			continue
		}
		var ready []*emit.Func
		for _, x := range list {
			f, err := x.kernel(x.name+"_"+target.Name, x.lanesOn(target))
			if err == nil {
				f.Spills = true
				err = emit.Run(f, amd64.Backend{}.Passes(target), nil)
			}
			if err == nil {
				err = amd64.Backend{}.Print(&bytes.Buffer{}, target, "", []*emit.Func{f})
			}
			if err != nil && strings.Contains(err.Error(), "register") {
				refused++
				continue
			}
			if err != nil {
				t.Errorf("%v\n%s", err, x.text)
				continue
			}
			ready, calls = append(ready, f), append(calls, call{x, target.Name})
			fmt.Fprintf(&stubs, "//go:noescape\nfunc %s(args *args)\n\n", f.Name)
			in, out := x.memory()
			fmt.Fprintf(&table, "\t{%s, %d, %d},\n", f.Name, len(in), len(out))
			stdin.Write(in)
		}
		var asm bytes.Buffer
		if err := (amd64.Backend{}).Print(&asm, target, "", ready); err != nil {
			t.Fatal(err)
		}
		write(target.Name+"_amd64.s", asm.String())
	}
	if calls == nil {
		return refused
	}
	write("go.mod", "module assembled\n\ngo 1.26\n")
	write("main.go", fmt.Sprintf(assembledMain, stubs.String(), table.String()))
	tool := exec.Command("go", "build", "-o", "run.exe", ".")
	tool.Dir, tool.Env = dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := tool.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.4000s", err, out)
	}
	exe := exec.Command(filepath.Join(dir, "run.exe"))
	var stdout bytes.Buffer
	exe.Stdin, exe.Stdout, exe.Stderr = &stdin, &stdout, os.Stderr
	if err := exe.Run(); err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		c.check(t, c.target, stdout.Next(len(c.f.Results)*lanes*8))
	}
	return refused
}

const assembledMain = `package main

import (
	"io"
	"os"
	"unsafe"
)

type args struct{ in, out unsafe.Pointer }

%svar table = []struct {
	f       func(*args)
	in, out int
}{
%s}

func main() {
	for _, x := range table {
		in, out := make([]byte, x.in), make([]byte, x.out)
		if _, err := io.ReadFull(os.Stdin, in); err != nil {
			panic(err)
		}
		x.f(&args{unsafe.Pointer(&in[0]), unsafe.Pointer(&out[0])})
		os.Stdout.Write(out)
	}
}
`

// everywhere runs the subjects on all targets: where module e2e runs the test, those that are assembled and linked into a program,
// else a sample of them on the others.
func everywhere(t *testing.T, list []*subject, assemble bool) {
	if assemble {
		if refused := assembled(t, list); refused > 0 {
			t.Logf("%d need too many registers", refused)
			if refused > len(list)/10 {
				t.Errorf("%d of %d functions on two targets need too many registers", refused, len(list))
			}
		}
		return
	}
	var sample []*subject
	for _, i := range level.Pick(len(list), 1, 5) {
		sample = append(sample, list[i])
	}
	if level.Long() {
		sample = list
	}
	emulated(t, sample)
	for _, target := range []emit.Target{amd64.AVX2, amd64.AVX512} {
		t.Run("llvm="+target.Name, func(t *testing.T) { byLLC(t, target, sample) })
	}
}

// TestTargets runs functions of the kind that FuzzTranslate makes. TILESMITH_LONG takes
// 600 of them.
func TestTargets(t *testing.T) {
	count := level.Of[uint64](6, 60, 600)
	if !level.RunsGo() {
		count = level.Of[uint64](6, 12, 600)
	}
	var list []*subject
	for seed := uint64(1); seed <= count; seed++ {
		text := newWriter(nil, 5000+seed).file()
		p, s := snippet(t, text)
		f, err := p.Lookup(Ref{Name: "f"})
		if err != nil {
			continue
		}
		list = append(list, subjectOf(f, s, s.decl("f"), fmt.Sprintf("f%d", seed), numbered(text), seed))
	}
	if len(list) < int(count)/2 {
		t.Errorf("%d of %d functions were translated", len(list), count)
	}
	everywhere(t, list, level.RunsGo())
}

// TestRefusedByTargets: what only a target refuses is told as what the translator does,
// with the place in the user's Go and nothing of the IR.
func TestRefusedByTargets(t *testing.T) {
	p := load(t)
	crowded, s := snippet(t, writerPrelude+`func f(x, y float32) float32 {
	var a, b [40]float32
	for i := range a {
		a[i] = x*float32(i) + y
		b[i] = y*float32(i) - x
	}
	s := float32(0)
	for i := range a {
		s += a[i] * b[39-i] / (a[(i*7)%40] + b[(i*11)%40])
	}
	return s
}`)
	if len(s.errs) > 0 {
		t.Fatal(s.errs)
	}
	full, err := crowded.Lookup(Ref{Name: "f"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f      *Func
		target emit.Target
		want   string
	}{
		{lookup(t, p, fntest.Eight), amd64.AVX2, "testdata/fntest/storage.go:*: in the kernel test: amd64 has no 8-bit floats"},
		{lookup(t, p, fntest.Eight), amd64.AVX512, "testdata/fntest/storage.go:*: in the kernel test: amd64 has no 8-bit floats"},
		{lookup(t, p, fntest.Eight), ptx.SM80, "testdata/fntest/storage.go:*: in the kernel test: sm_80 has no conversion between f32 and e4m3 that gives what other targets give: PTX saturates"},
		{full, amd64.AVX2, "f.go:*: in the kernel test: * vector registers are needed at once, avx2 has 16"},
	} {
		n := 8
		if c.target == ptx.SM80 {
			n = 1
		}
		x := &subject{f: c.f}
		f, err := emit.Build("test", columns, func(b *emit.Builder) {
			in, out := b.Param("in", emit.Ptr), b.Param("out", emit.Ptr)
			x.body(b, n, func(_ emit.Elem, isOut bool, column int) emit.Addr {
				if isOut {
					return emit.At(out, int64(column*lanes*8))
				}
				return emit.At(in, int64(column*lanes*8))
			})
		})
		if err == nil && c.target == ptx.SM80 {
			if err = emit.Run(f, ptx.Backend{}.Passes(c.target), nil); err == nil {
				_, err = ptx.List(c.target, "", []*emit.Func{f})
			}
		} else if err == nil {
			if err = emit.Run(f, amd64.Backend{}.Passes(c.target), nil); err == nil {
				err = amd64.Backend{}.Print(&bytes.Buffer{}, c.target, "", []*emit.Func{f})
			}
		}
		if err == nil {
			t.Errorf("%s on %s is not refused", c.f.Name, c.target.Name)
			continue
		}
		checkMessage(t, err, c.f.Name)
		pattern := strings.ReplaceAll(regexp.QuoteMeta(c.want), `\*`, `[\d:]+`)
		if !regexp.MustCompile("^" + pattern + "$").MatchString(err.Error()) {
			t.Errorf("%s on %s:\nhave %v\nwant %s", c.f.Name, c.target.Name, err, c.want)
		}
	}
}
