// Package llctest compares kernels with llc's code for the same functions, which must give
// the same bits. The code goes into a copy of a table of package cpu/run, whose loops call
// it as they call our assembly.
//
//	o := llctest.Compile(t, target, functions) // skips where there is no llc
//	theirs := llctest.Replace(o, table)
//	... run a product with table, the same with theirs, and compare with Differs
//	if names := o.Missing(); len(names) > 0 { // some kernels were not called
package llctest

import (
	"errors"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/verify/peer"
)

// Opinion is the machine code of one target's functions by llc.
type Opinion struct {
	t      testing.TB
	object *peer.Object
	calls  map[string]*atomic.Int64 // of each function
}

// Targets are those of [gemm.CPUTargets] of this machine's architecture, for which alone llc's code can run.
func Targets() []emit.Target {
	return slices.DeleteFunc(gemm.CPUTargets(), func(t emit.Target) bool { return t.Arch != runtime.GOARCH })
}

// Compile has llc compile fs, or skips the test and says what is missing.
func Compile(t testing.TB, target emit.Target, fs []*emit.Func) *Opinion {
	t.Helper()
	if !slices.Contains(run.ISAs(), target.Name) {
		t.Skipf("this machine or build has no %s", target.Name)
	}
	llc, err := peer.FindLLC()
	if err != nil {
		t.Skip(err)
	}
	object, err := llc.Compile(target, fs)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	o := &Opinion{t, object, map[string]*atomic.Int64{}}
	for _, f := range fs {
		o.calls[f.Name] = new(atomic.Int64)
	}
	return o
}

// Call returns llc's function called name.
func (o *Opinion) Call(name string) func(args unsafe.Pointer) {
	f, err := o.object.Func(name)
	n := o.calls[name]
	if err != nil || n == nil {
		o.t.Fatalf("llc made no function %s: %v", name, err)
	}
	return func(args unsafe.Pointer) {
		n.Add(1)
		f(args)
	}
}

// Missing lists the functions that nobody has called.
func (o *Opinion) Missing() (names []string) {
	for name, n := range o.calls {
		if n.Load() == 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
