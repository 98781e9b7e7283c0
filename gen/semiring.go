package gen

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gen/unit"
)

// ring is a semiring on its way to files: how generated Go reaches its functions.
type ring struct {
	gemm.Semiring
	calls unit.Semiring
}

// newRing checks a semiring of the spec name and looks up its functions.
func newRing(s gemm.Semiring, name string, tr unit.Translator) (*ring, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	calls, err := unit.CallSemiring(tr, name, s.Plus, s.Times)
	return &ring{s, calls}, err
}

// algebra is the run.Algebra of the semiring as a Go expression, and what it imports.
func (r *ring) algebra() (expr string, imports []string) {
	zero := "Zero: " + strconv.FormatFloat(r.Zero, 'g', -1, 64)
	if math.IsInf(r.Zero, 0) {
		zero = fmt.Sprintf("Inf: %d", int(math.Copysign(1, r.Zero)))
	}
	return fmt.Sprintf("run.Algebra[%s]{%s, Plus: %s, Times: %s}", r.Type.Go(), zero, r.calls.Plus.Expr, r.calls.Times.Expr),
		append(needsCallee(r.calls.Plus), needsCallee(r.calls.Times)...)
}

// file is the Go file with copies of functions that stand in a spec file; "" without.
func (r *ring) file(o Options) string {
	if r.calls.Plus.Decls+r.calls.Times.Decls == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString(fileHead(o, ""))
	if paths := append(append([]string(nil), r.calls.Plus.Imports...), r.calls.Times.Imports...); len(paths) > 0 {
		imports(&b, paths...)
	}
	b.WriteString(r.calls.Plus.Decls + "\n\n" + r.calls.Times.Decls + "\n")
	return b.String()
}

// sentence says what sums and products are.
func (r *ring) sentence() string {
	return fmt.Sprintf("Sums and products are those of the semiring %s: %s and %s.", r.Name, r.calls.Plus.Expr, r.calls.Times.Expr)
}

// translate replaces the functions of a semiring in the kernels by their translation.
func (x *functions) translate(op gemm.Operator, fs []*emit.Func) error {
	if s, ok := op.(gemm.Semiring); !ok || !s.Translates() {
		return nil
	}
	if err := x.Inline(fs...); err != nil {
		return fmt.Errorf("gen: %w", err)
	}
	return nil
}
