package sweep

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/isaset"
	"github.com/tilesmith/tilesmith/verify/check"
)

// A Kernel is a function to check and to time.
type Kernel struct {
	Name    string     // MatMul
	Package string     // its import path; "" if that is not known
	Family  string     // what its benchmark lines are called: Gemm, SpMM, SpMV, SDDMM
	Types   string     // f32, or those of a, b and sums if they differ: bf16,bf16,f32
	Acc     dtype.Type // of the sums
	A, B    dtype.Type // of the operands, if they are not of Acc

	// Has reports whether there is such a variant on this machine; nil: every one.
	Has func(isa string) bool
	// Suite puts one variant through every check of package check.
	Suite func(t check.TB, isa string)
	// Workloads says what the kernel is measured on.
	Workloads func(g Grid) []Workload
	// Ready allocates the operands of one point. The error says why there is no such
	// point; that is not a mismatch.
	Ready func(p Point) (*Problem, error)
}

// lacks says why k has no variant for isa, or nothing.
func (k *Kernel) lacks(isa string) string {
	if k.Has == nil || k.Has(isa) {
		return ""
	}
	return "it was not generated for " + isa
}

// repeats reports whether isa runs the kernels of the set that it extends, since its additions do nothing for
// operands of the types of k. The additions are dot products of bf16, or of integers of 8 and 16 bits; or
// tiles, of all of these but 16 bits.
func (k *Kernel) repeats(isa string) bool {
	if isaset.Plain(isa) == isa {
		return false
	}
	set := isaset.ByName(isa)
	a, b := k.operands()
	narrow := func(t dtype.Type) bool { return t == dtype.I8 || t == dtype.U8 }
	switch {
	case a == dtype.TypeBF16 && b == dtype.TypeBF16:
		return !set.Includes("avx512bf16") && !set.Includes("neonbf16")
	case narrow(a) && narrow(b):
		return !set.Includes("avx512vnni") && !set.Includes("avxvnni") && !set.Includes("neondot")
	case (narrow(a) || a == dtype.I16) && (narrow(b) || b == dtype.I16):
		return isa != "avx512vnni" && isa != "avxvnni"
	}
	return true
}

// operands are the types of a and b.
func (k *Kernel) operands() (a, b dtype.Type) {
	if k.A == dtype.Invalid {
		return k.Acc, k.Acc
	}
	return k.A, k.B
}

// best is the first variant of the machine that k has. For a k with narrow operands it is
// the variant of the highest ceiling, because a set with dot products stands after the one
// that it extends.
func (k *Kernel) best(in *Instruments) string {
	all := run.ISAs()
	all = slices.DeleteFunc(all, func(isa string) bool { return k.lacks(isa) != "" })
	if len(all) == 0 {
		return run.ISAs()[0]
	}
	best, most := all[0], 0.0
	for _, isa := range all {
		if k.A == dtype.Invalid || isa == run.Portable {
			break
		}
		if c := in.ceiling(isa, k, 1); c.Rate > 1.1*most { // and not by chance
			best, most = isa, c.Rate
		}
	}
	return best
}

// callable reports whether f, which calls a variant, finds one.
func callable(f func()) bool {
	err := protect(func() error { f(); return nil })
	return !errors.As(err, new(run.ISAError))
}

// A Workload is a problem to solve, without how it is solved.
type Workload struct {
	Op      string `json:"op,omitempty"`     // NN, NT, TN, TT: which of a and b are stored transposed
	Matrix  string `json:"matrix,omitempty"` // the structure of a sparse operand
	M       int    `json:"m"`
	N       int    `json:"n"`
	K       int    `json:"k"`
	Entries int    `json:"entries,omitempty"` // of the sparse operand
}

func (p Workload) String() string {
	s := fmt.Sprintf("m=%d n=%d k=%d", p.M, p.N, p.K)
	if p.Op != "" {
		s = p.Op + " " + s
	}
	if p.Matrix != "" {
		s = p.Matrix + " " + s
	}
	return s
}

// A Point is a workload, a variant and a number of threads.
type Point struct {
	Workload
	ISA     string `json:"isa"`
	Threads int    `json:"threads"`
}

// A Problem is one point with operands in memory.
type Problem struct {
	Flops float64
	// Bytes is what a call reads and writes at least, known after a call.
	Bytes func() int
	Check func() error // nil if the kernel matches; it is timed only then
	Run   func()
	// Plan says how the product is computed, so that the model can predict its time. It is
	// nil if there is no model of it.
	Plan func() tiling.Plan
	// Expect is what another model predicts, in seconds, and what most of them go to. It
	// is nil if there is no such model, and returns 0 if the model cannot tell.
	Expect func(m *Machine) (seconds float64, because string)
	// Beside makes a peer ready for the same product on the same memory. It is nil, or
	// returns nil, if the peer has none.
	Beside func(p Peer) (*Rival, error)
}

// A Rival is a peer's product.
type Rival struct {
	Check func() error
	Run   func(times int)
	Close func() // may be nil
}

// repeated calls f some times over.
func repeated(f func()) func(times int) {
	return func(times int) {
		for range times {
			f()
		}
	}
}
