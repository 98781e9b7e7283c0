//go:build amd64 && !noasm && !purego

package vmath

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/internal/level"
)

// Here the functions run as assembly, in a program of their own, testdata/native:
// fast enough to compare all 2^32 inputs of f32 with the f64 function, whose results
// are known to be within some ulp of f64.

//go:embed testdata/native/main.go.txt
var nativeMain string

// machineTargets are the targets whose code this machine runs.
func machineTargets() []emit.Target {
	var ts []emit.Target
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA && x.HasBMI2 && x.HasF16C {
		ts = append(ts, amd64.AVX2)
		if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
			ts = append(ts, amd64.AVX512)
		}
	}
	return ts
}

// overArrays returns f on arrays, whose length n is a multiple of the lanes.
func overArrays(t testing.TB, target emit.Target, f *Func, e emit.Elem) *emit.Func {
	t.Helper()
	args := []emit.Arg{{Name: "x", Type: emit.Ptr}, {Name: "y", Type: emit.Ptr, Offset: 8}, {Name: "z", Type: emit.Ptr, Offset: 16},
		{Name: "n", Type: emit.Int64, Offset: 24}}
	name := fmt.Sprintf("%s_%s_%v", strings.ToLower(strings.TrimPrefix(f.Name, "math.")), target.Name, e)
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
	if err := emit.Run(fn, amd64.Backend{}.Passes(target), nil); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return fn
}

// nativeProgram builds the program and returns its path.
func nativeProgram(t testing.TB) string {
	t.Helper()
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
	var stubs, list strings.Builder
	for _, target := range targets {
		var fs []*emit.Func
		for _, name := range Names() {
			f := Lookup(name)
			if !transcribable(f) {
				continue
			}
			for _, e := range []emit.Elem{emit.F32, emit.F64} {
				fn := overArrays(t, target, f, e)
				fs = append(fs, fn)
				fmt.Fprintf(&stubs, "//go:noescape\nfunc %s(args *args)\n\n", fn.Name)
				fmt.Fprintf(&list, "\t%q: %s,\n", fn.Name, fn.Name)
			}
		}
		var asm strings.Builder
		if err := (amd64.Backend{}).Print(&asm, target, "", fs); err != nil {
			t.Fatal(err)
		}
		write(target.Name+"_amd64.s", asm.String())
	}
	write("go.mod", "module native\n\ngo 1.26\n")
	write("main.go", nativeMain)
	write("stubs.go", "package main\n\n"+stubs.String()+"var funcs = map[string]func(*args){\n"+list.String()+"}\n")
	exe := filepath.Join(dir, "native.exe")
	c := exec.Command("go", "build", "-o", exe, ".")
	c.Dir = dir
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%.4000s", err, out)
	}
	return exe
}

func init() {
	native = func(t testing.TB) func(t testing.TB, f *Func) record {
		exe := nativeProgram(t)
		return func(t testing.TB, f *Func) record { return scan(t, exe, "all", f) }
	}
}

// scan runs the program on one function and reads the record that it prints.
func scan(t testing.TB, exe, mode string, f *Func) record {
	t.Helper()
	c := exec.Command(exe, mode, strings.ToLower(strings.TrimPrefix(f.Name, "math.")), fmt.Sprint(f.Args))
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", mode, f.Name, err, out)
	}
	r := record{name: f.Name}
	if _, err := fmt.Sscanf(string(out), "%g %x", &r.ulp, &r.at); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return r
}

// TestNative: the instruction sets of this machine give what the stated bounds say,
// and the same bits, on a sample of the inputs in f32 and of pairs.
func TestNative(t *testing.T) {
	level.E2E(t)
	exe := nativeProgram(t)
	for _, name := range Names() {
		if f := Lookup(name); transcribable(f) {
			if r := scan(t, exe, "sample", f); r.ulp > f.F32ULP || math.IsNaN(r.ulp) {
				t.Errorf("%s is %v ulp off at %#x, and %v are allowed", name, r.ulp, r.at, f.F32ULP)
			}
		}
	}
}

// BenchmarkNative reports nanoseconds an element, on one core, data in the first caches.
func BenchmarkNative(b *testing.B) {
	exe := nativeProgram(b)
	for _, name := range Names() {
		f := Lookup(name)
		if !transcribable(f) {
			continue
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				out, err := exec.Command(exe, "time", strings.ToLower(strings.TrimPrefix(name, "math.")), fmt.Sprint(f.Args)).Output()
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
