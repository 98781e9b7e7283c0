package dense

import (
	"sync"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// inGo has the products without assembly, by the types of their operands and sums. It is
// filled when the first is asked for, and not before main.
var inGo struct {
	sync.Once
	of [dtype.I16 + 1][dtype.I16 + 1][dtype.I16 + 1]Mixed
}

// InGo returns the product of elements of a and b with sums of acc in plain Go, for which
// no kernels were generated. It panics with a [run.TypeError] in the name of the function
// that was called if there is no such product.
func InGo(name string, a, b, acc dtype.Type) *Mixed {
	CheckTypes(name, a, b, acc, acc)
	inGo.Do(func() {
		for acc := range inGo.of {
			for a := range inGo.of[acc] {
				for b := range inGo.of[acc][a] {
					inGo.of[acc][a][b] = Mixed{Name: "dense.InGo", A: dtype.Type(a), B: dtype.Type(b), Acc: dtype.Type(acc)}
				}
			}
		}
	})
	return &inGo.of[acc][a][b]
}
