package asmtest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm"
)

// The memory of the functions here: p points to inputs, 64 f32, then 64 f64, then
// 32 i64; q points to results, slots of 64 bytes, each of one type.
const (
	InF32, InF64, InI64 = 0, 256, 768
	InBytes             = 1024
	SlotBytes           = 64
	MaxSlots            = 40
)

// Frame is the argument block of the functions.
var Frame = []emit.Arg{
	{Name: "p", Type: emit.Ptr, Offset: 0}, {Name: "q", Type: emit.Ptr, Offset: 8},
	{Name: "n", Type: emit.Int64, Offset: 16}, {Name: "k", Type: emit.Int64, Offset: 24},
	{Name: "x", Type: emit.Scalar(emit.F32), Offset: 32}, {Name: "y", Type: emit.Scalar(emit.F64), Offset: 40},
}

// Head opens the text of a function with Frame and loads what most functions need.
const Head = `func @f(p: ptr @0, q: ptr @8, n: i64 @16, k: i64 @24, x: f32 @32, y: f64 @40) {
	%p = param {name="p"} : ptr
	%n = param {name="n"} : i64
	%k = param {name="k"} : i64
`

// A Suite makes programs for a backend, and checks what it makes of them.
type Suite struct {
	Backend emit.Backend
	Machine *asm.Machine
	// Narrowest is how many bits the narrowest vectors of Random have.
	Narrowest int
	// Lanes is how many lanes the vectors of Mixed have: one of these.
	Lanes []int
	// Has reports whether a target computes op on vectors ty of integers; "shiftv" are shifts by
	// counts that are no constants.
	Has func(t emit.Target, op string, ty emit.Type) bool
	// Shuffle picks a permutation of the lanes of two vectors, nil if there is none.
	Shuffle func(r *rand.Rand, ty emit.Type) []int
	// Shuffles lists them.
	Shuffles func(ty emit.Type) []Moves
	// Late lists the operands of op that are read after its result may have been written.
	Late func(op *emit.Op) []int
	// Refusals are more reasons for which random programs may be refused.
	Refusals []string
}

// Moves are permutations of the lanes of two vectors that one function tries.
type Moves struct {
	Name  string
	Perms [][]int
}

// A Program is a function with what it leaves in its slots.
type Program struct {
	F         *emit.Func
	Slots     []emit.Type
	Target    emit.Target
	MayRefuse bool                      // it may be too large for the registers
	Calls     int                       // how often [Suite.Native] calls it; 0: a few times
	Input     func(r *rand.Rand) *Input // nil: any
}

// All is all programs for a target: those of fixed operations first, then random ones.
func (s *Suite) All(t *testing.T, target emit.Target) []Program {
	t.Helper()
	all := slices.Concat(s.Operations(t, target), s.Vector(t, target))
	for _, random := range []struct {
		make  func(seed uint64, target emit.Target, n int) (Program, error)
		sizes uint64
	}{{s.Random, 26}, {s.Mixed, 30}} {
		for seed := range uint64(150) {
			p, err := random.make(seed, target, 5+int(seed%random.sizes))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, p)
		}
	}
	return append(all, s.Spill(t, target)...)
}

// floatTypes are what the target computes on: scalars and every width of vector.
func (s *Suite) floatTypes(t emit.Target) []emit.Type {
	types := []emit.Type{emit.Scalar(emit.F32), emit.Scalar(emit.F64)}
	for bits := s.Narrowest; bits <= t.Bits; bits *= 2 {
		types = append(types, emit.Vector(emit.F32, bits/32))
		if bits > 64 {
			types = append(types, emit.Vector(emit.F64, bits/64))
		}
	}
	return types
}

// Compile runs the backend's passes on f and prints it.
func (s *Suite) Compile(t emit.Target, f *emit.Func) (string, error) {
	if err := emit.Run(f, s.Backend.Passes(t), nil); err != nil {
		return "", err
	}
	var b strings.Builder
	err := s.Backend.Print(&b, t, "", []*emit.Func{f})
	return b.String(), err
}

// Prepare runs the passes on p and allocates.
func (s *Suite) Prepare(p Program) (*asm.Alloc, error) {
	if err := emit.Run(p.F, s.Backend.Passes(p.Target), nil); err != nil {
		return nil, err
	}
	return asm.Allocate(s.Machine, p.Target, p.F)
}

// TooLarge reports whether a random program may be refused with err: it may be
// too large for the registers.
func (s *Suite) TooLarge(err error) bool {
	return slices.ContainsFunc(slices.Concat([]string{"registers are needed at once", "no assignment of registers was found", "values trade places"}, s.Refusals),
		func(why string) bool { return strings.Contains(err.Error(), why) })
}

// Lines splits an indented text.
func Lines(s string) []string {
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, l)
		}
	}
	return out
}
