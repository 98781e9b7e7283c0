package gen

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/sparse/spec"
)

// scarce explains why general registers do not suffice for a spec's epilogue. Its
// function works on vectors, so the addresses of its operands and results take them,
// and none of its lines. Any other error it returns as it is.
func scarce(s Spec, err error) error {
	e, f := emit.AsError(err), fusionOf(s)
	if e == nil || e.Scarce != "general" || f == nil {
		return err
	}
	return f.At(fmt.Errorf("in the kernel %s: %s; they hold where outputs, operands and reductions are: give the epilogue fewer, or divide them between two specs", e.Func, e.Why))
}

// fusionOf returns the epilogue of a spec, nil if it has none.
func fusionOf(s Spec) *gemm.Fusion {
	switch s := s.(type) {
	case interface{ Describe() gemm.Description }:
		return s.Describe().Fusion
	case interface{ Describe() spec.Description }:
		if e, ok := s.Describe().Epilogue.(interface{ Fusion() *gemm.Fusion }); ok {
			return e.Fusion()
		}
	}
	return nil
}
