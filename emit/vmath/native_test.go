//go:build (amd64 || arm64) && !noasm && !purego

package vmath

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/internal/level"
)

// Here the functions run as assembly, in a program of their own, testdata/native:
// fast enough to compare all 2^32 inputs of f32 with the f64 function, whose results
// are known to be within some ulp of f64.

//go:embed testdata/native/main.go.txt
var nativeMain string

// machine is what runs a program of the functions.
type machine struct {
	targets []emit.Target // whose code it runs
	backend emit.Backend
	runs    []string // what programs are started with
	sample  int      // one chunk of inputs in so many is compared
}

// thisMachine is the machine that runs the test.
func thisMachine(t testing.TB) machine {
	m := machine{backend: amd64.Backend{}, sample: 509}
	x := &cpu.X86
	switch {
	case runtime.GOARCH == arm64.NEON.Arch:
		m.backend, m.targets = arm64.Backend{}, []emit.Target{arm64.NEON}
	case x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL:
		m.targets = append(m.targets, amd64.AVX512)
		fallthrough
	case x.HasAVX2 && x.HasFMA && x.HasBMI2 && x.HasF16C:
		m.targets = append(m.targets, amd64.AVX2)
	default:
		t.Skip("this machine has no AVX2")
	}
	return m
}

// emulatedNEON is QEMU, which takes some hundred times as long.
func emulatedNEON(t testing.TB) machine {
	qemu, err := exec.LookPath("qemu-aarch64")
	if err != nil {
		t.Skip("there is no qemu-aarch64")
	}
	return machine{[]emit.Target{arm64.NEON}, arm64.Backend{}, []string{qemu, "-cpu", "max"}, 509 * 64}
}

// overArrays returns f on arrays, whose length n is a multiple of the lanes.
func overArrays(t testing.TB, backend emit.Backend, target emit.Target, f *Func, e emit.Elem) *emit.Func {
	t.Helper()
	args := []emit.Arg{{Name: "x", Type: emit.Ptr}, {Name: "y", Type: emit.Ptr, Offset: 8}, {Name: "z", Type: emit.Ptr, Offset: 16},
		{Name: "n", Type: emit.Int64, Offset: 24}}
	name := fmt.Sprintf("%s_%s_%v", nameOf(f), target.Name, e)
	lanes := target.Bits / e.Bits()
	fn, err := emit.Build(name, args, func(b *emit.Builder) {
		b.For(b.Int(0), b.Param("n", emit.Int64), int64(lanes), nil, func(i *emit.Value, _ []*emit.Value) []*emit.Value {
			at := func(name string) emit.Addr {
				return emit.Addr{Ptr: b.Param(name, emit.Ptr), Index: i, Scale: int64(e.Bytes())}
			}
			var x []*emit.Value
			for _, name := range []string{"x", "y"}[:f.Args] {
				x = append(x, b.Load(emit.Vector(e, lanes), at(name)))
			}
			b.Store(f.Build(b, x...), at("z"))
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := emit.Run(fn, backend.Passes(target), nil); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return fn
}

// program builds the program for a machine and returns what starts it.
func (m machine) program(t testing.TB) func(args ...string) *exec.Cmd {
	t.Helper()
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
	var stubs, list strings.Builder
	for _, target := range m.targets {
		var fs []*emit.Func
		for _, name := range Names() {
			f := Lookup(name)
			if !transcribable(f) {
				continue
			}
			for _, e := range []emit.Elem{emit.F32, emit.F64} {
				fn := overArrays(t, m.backend, target, f, e)
				fs = append(fs, fn)
				fmt.Fprintf(&stubs, "//go:noescape\nfunc %s(args *args)\n\n", fn.Name)
				fmt.Fprintf(&list, "\t%q: %s,\n", fn.Name, fn.Name)
			}
		}
		var asm strings.Builder
		if err := m.backend.Print(&asm, target, "", fs); err != nil {
			t.Fatal(err)
		}
		write(target.Name+"_"+target.Arch+".s", asm.String())
	}
	write("go.mod", "module native\n\ngo 1.26\n")
	write("main.go", nativeMain)
	write("stubs.go", "package main\n\n"+stubs.String()+"var funcs = map[string]func(*args){\n"+list.String()+"}\n")
	exe := filepath.Join(dir, "native.exe")
	c := exec.Command("go", "build", "-o", exe, ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0", "GOARCH="+m.targets[0].Arch)
	if m.runs != nil {
		c.Env = append(c.Env, "GOOS=linux")
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%.4000s", err, out)
	}
	line := append(m.runs[:len(m.runs):len(m.runs)], exe)
	return func(args ...string) *exec.Cmd {
		return exec.Command(line[0], append(line[1:len(line):len(line)], args...)...)
	}
}

func init() {
	native = func(t testing.TB) func(t testing.TB, f *Func) record {
		program := thisMachine(t).program(t)
		return func(t testing.TB, f *Func) record { return scan(t, f, program("all", nameOf(f), fmt.Sprint(f.Args))) }
	}
}

// nameOf is what the program calls f.
func nameOf(f *Func) string { return strings.ToLower(strings.TrimPrefix(f.Name, "math.")) }

// output runs the program.
func output(t testing.TB, c *exec.Cmd) string {
	t.Helper()
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", c.Args, err, out)
	}
	return string(out)
}

// scan runs the program on one function and reads the record that it prints.
func scan(t testing.TB, f *Func, c *exec.Cmd) record {
	t.Helper()
	r := record{name: f.Name}
	out := output(t, c)
	if _, err := fmt.Sscanf(out, "%g %x", &r.ulp, &r.at); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return r
}

// TestNative: the instruction sets of this machine, and of arm64 where QEMU has it, give what the stated bounds say
// on a sample of the inputs in f32 and of pairs, the same bits as each other, and on some inputs those of the interpreter.
func TestNative(t *testing.T) {
	level.E2E(t)
	t.Run("this", func(t *testing.T) { check(t, thisMachine(t)) })
	if runtime.GOARCH != arm64.NEON.Arch {
		t.Run("neon", func(t *testing.T) { check(t, emulatedNEON(t)) })
	}
}

func check(t *testing.T, m machine) {
	program := m.program(t)
	for _, name := range Names() {
		f := Lookup(name)
		if !transcribable(f) {
			continue
		}
		r := scan(t, f, program("sample", nameOf(f), fmt.Sprint(f.Args), fmt.Sprint(m.sample)))
		t.Logf("%s: %v ulp", name, r.ulp)
		if r.ulp > f.F32ULP || math.IsNaN(r.ulp) {
			t.Errorf("%s is %v ulp off at %#x, and %v are allowed", name, r.ulp, r.at, f.F32ULP)
		}
		likeInterpreter(t, f, output(t, program("print", nameOf(f), fmt.Sprint(f.Args))))
	}
}

// likeInterpreter compares what the program prints with what the interpreter computes.
func likeInterpreter(t *testing.T, f *Func, lines string) {
	var x [2][]float32
	var u [2][]float64
	var z []float32
	var w []float64
	for line := range strings.Lines(lines) {
		var a, b, c uint32
		var d uint64
		if _, err := fmt.Sscanf(line, "%x %x %x %x", &a, &b, &c, &d); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		for i, bits := range []uint32{a, b} {
			x[i] = append(x[i], math.Float32frombits(bits))
			u[i] = append(u[i], float64(math.Float32frombits(bits)))
		}
		z, w = append(z, math.Float32frombits(c)), append(w, math.Float64frombits(d))
	}
	if len(z) == 0 {
		t.Fatalf("%s: the program prints nothing", f.Name)
	}
	want, wide := run(t, f, x[:f.Args]...), run(t, f, u[:f.Args]...)
	for i := range z {
		if math.Float32bits(z[i]) != math.Float32bits(want[i]) && (z[i] == z[i] || want[i] == want[i]) {
			t.Errorf("%s of %x, %x is %x in f32, the interpreter has %x", f.Name, x[0][i], x[1][i], z[i], want[i])
			return
		}
		if math.Float64bits(w[i]) != math.Float64bits(wide[i]) && (w[i] == w[i] || wide[i] == wide[i]) {
			t.Errorf("%s of %x, %x is %x in f64, the interpreter has %x", f.Name, x[0][i], x[1][i], w[i], wide[i])
			return
		}
	}
}

// BenchmarkNative reports nanoseconds an element, on one core, data in the first caches.
func BenchmarkNative(b *testing.B) {
	program := thisMachine(b).program(b)
	for _, name := range Names() {
		f := Lookup(name)
		if !transcribable(f) {
			continue
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				out, err := program("time", nameOf(f), fmt.Sprint(f.Args)).Output()
				if err != nil {
					b.Fatal(err)
				}
				for line := range strings.Lines(string(out)) {
					var of, isa, elem string
					var ns float64
					if _, err := fmt.Sscanf(line, "%s %s %s %g", &of, &isa, &elem, &ns); err != nil {
						b.Fatalf("%q: %v", line, err)
					}
					b.ReportMetric(ns, isa+"-"+elem+"-ns")
				}
			}
		})
	}
}
