package gemm

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Types returns zeros of the types of the sum and of the result. It is how a spec of
// another package, such as sparse.SpMM, takes the epilogues that fit it and no
// others.
func (e Epilogue[Acc, Out]) Types() (acc Acc, out Out) { return acc, out }

// Body returns the epilogue without its type parameters, nil of the zero Epilogue.
func (e Epilogue[Acc, Out]) Body() *Body { return e.body }

// Conversion returns the epilogue of a product that names none but stores its sums
// as another type; nil if the types are the same.
func Conversion(acc, out dtype.Type) (*Body, error) {
	if acc == out {
		return nil, nil
	}
	fn, err := conversion(acc, out)
	if err != nil {
		return nil, err
	}
	return &Body{Fn: fn, Acc: acc, Out: out}, nil
}

// Lower lowers the epilogue alone, as the kernel called name: it turns finished sums
// into outputs, as [kernel.EpiArgs] describes, whatever computed them. lanes is how
// many columns it does at once. The error says what does not fit together.
func (e *Body) Lower(name string, t emit.Target, o Options) (f *emit.Func, lanes int, err error) {
	if err := e.check(); err != nil {
		return nil, 0, fmt.Errorf("gemm: %w", err)
	}
	l, err := newEpilogue(t, e, o.Widest)
	if err != nil {
		return nil, 0, fmt.Errorf("gemm: %w", err)
	}
	f, err = emit.Build(name, l.epiArgs(), l.build)
	if err != nil {
		return nil, 0, fmt.Errorf("gemm: %w", err)
	}
	f.Doc = name + " turns finished sums into outputs."
	return f, l.lanes, nil
}
