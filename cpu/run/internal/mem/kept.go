package mem

import "github.com/tilesmith/tilesmith/layout/dtype"

// Kept holds a value for each element type that was asked for. A struct with a field for
// each would put the code of all types into every program, and into every package that is
// compiled for one.
type Kept [dtype.C128 + 1]any

// KeptOf returns the value for t, made on the first call.
func KeptOf[P any](k *Kept, t dtype.Type) *P {
	if p, ok := k[t].(*P); ok {
		return p
	}
	p := new(P)
	k[t] = p
	return p
}
