package gen

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// ring is a semiring on its way to files: how generated Go reaches its functions.
type ring struct {
	gemm.Semiring
	plus, times goFunc
}

// newRing checks a semiring of a spec that is called name, whose code goes into
// a package with the import path that into gives, and looks up its functions.
func newRing(s gemm.Semiring, name string, into func() string, funcs *functions) (*ring, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	r := &ring{Semiring: s}
	var err error
	if r.plus, err = funcs.ringFunc(into, name+"Plus", s.Plus, s.Type); err != nil {
		return nil, err
	}
	r.times, err = funcs.ringFunc(into, name+"Times", s.Times, s.Type)
	return r, err
}

// ringFunc is goFuncIn for a function of a semiring. One of package semiring is called
// by its name, which needs no look at any source.
func (x *functions) ringFunc(into func() string, name string, f any, t dtype.Type) (goFunc, error) {
	const pkg = module + "layout/semiring"
	if known := runtime.FuncForPC(reflect.ValueOf(f).Pointer()); known != nil {
		if fn, ok := strings.CutPrefix(known.Name(), pkg+"."); ok && !strings.Contains(fn, ".func") {
			if fn, generic := strings.CutSuffix(fn, "[...]"); generic {
				return goFunc{call: fmt.Sprintf("semiring.%s[%s]", fn, t.Go()), imports: []string{pkg}}, nil
			}
		}
	}
	return x.goFuncIn(into(), name, f)
}

// expr is the semiring as Go, and what it imports: a function, since a variable that
// held an infinite Zero would take code that runs before main.
func (r *ring) expr() (expr string, paths []string) {
	t := r.Type.Go()
	zero := strconv.FormatFloat(r.Zero, 'g', -1, 64)
	paths = append([]string{module + "layout/semiring"}, append(needsCallee(r.plus), needsCallee(r.times)...)...)
	if math.IsInf(r.Zero, 0) {
		zero = fmt.Sprintf("%s(math.Inf(%d))", t, int(math.Copysign(1, r.Zero)))
		paths = append(paths, "math")
	}
	return fmt.Sprintf("func() semiring.Semiring[%s] {\nreturn semiring.Semiring[%[1]s]{\nName: %[2]q, Zero: %[3]s, Plus: %[4]s, Times: %[5]s,\nLaws: semiring.Laws{Exact: %[6]v, Commutative: %[7]v},\n}\n}",
		t, r.Name, zero, r.plus.call, r.times.call, r.Laws.Exact, r.Laws.Commutative), paths
}

// file is the Go file with copies of functions that stand in a spec file; "" without.
func (r *ring) file(o Options) string {
	if r.plus.decls+r.times.decls == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	if paths := append(append([]string(nil), r.plus.imports...), r.times.imports...); len(paths) > 0 {
		imports(&b, paths...)
	}
	b.WriteString(r.plus.decls + "\n\n" + r.times.decls + "\n")
	return b.String()
}

// sentence says what sums and products are.
func (r *ring) sentence() string {
	return fmt.Sprintf("Sums and products are those of the semiring %s: %s and %s.", r.Name, r.plus.call, r.times.call)
}

// ulp is the error of the math functions in the semiring, in units of a step's result.
func (r *ring) ulp() float64 { return r.plus.ulp + r.times.ulp }

// translate replaces the functions of a semiring in the kernels by their translation.
func (x *functions) translate(op gemm.Operator, fs []*emit.Func) error {
	if s, ok := op.(gemm.Semiring); !ok || !s.Translates() {
		return nil
	}
	p, err := x.program()
	if err != nil {
		return err
	}
	for _, f := range fs {
		if err := p.Inline(f); err != nil {
			return fmt.Errorf("gen: %w", err)
		}
	}
	return nil
}

// reduction is the semiring of sparse.Max and sparse.Min.
func reduction(t dtype.Type, most bool) semiring.Parts {
	switch {
	case t == dtype.F32 && most:
		return semiring.MaxTimes[float32]().Parts()
	case t == dtype.F32:
		return semiring.MinTimes[float32]().Parts()
	case most:
		return semiring.MaxTimes[float64]().Parts()
	}
	return semiring.MinTimes[float64]().Parts()
}
