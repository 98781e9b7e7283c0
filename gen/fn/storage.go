package fn

import "go/ast"

// The types of package dtype only store. One can convert them, and look at the bits.

// storageBits returns the integer type as wide as t.
func storageBits(t Type) Type {
	if t.Bits() == 8 {
		return Uint8
	}
	return Uint16
}

// storageMethods are the methods that have a meaning in a lane.
var storageMethods = map[string]func(t *translator, x *node) *node{
	"Float32": func(t *translator, x *node) *node { return t.convert(Float32, 0, x) },
	"Float64": func(t *translator, x *node) *node { return t.convert(Float64, 0, t.convert(Float32, 0, x)) },
	"Bits":    func(t *translator, x *node) *node { return t.reread(storageBits(x.t), x) },
}

func init() { // and the functions that make them
	for u := F16; u <= F8E5M2; u++ {
		name := u.String()[len("dtype."):]
		mathFuncs[dtypePath+".To"+name] = func(t *translator, x []*node) (*node, string) {
			return t.convert(u, 0, x[0]), ""
		}
		mathFuncs[dtypePath+"."+name+"FromBits"] = func(t *translator, x []*node) (*node, string) {
			return t.reread(u, x[0]), ""
		}
	}
}

// stored evaluates a method of a storage type.
func (t *translator) stored(fun *ast.SelectorExpr, f func(t *translator, x *node) *node) value {
	x := t.expr(fun.X).n
	if x == nil {
		return value{}
	}
	return value{n: f(t, x)}
}
