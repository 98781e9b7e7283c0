package ptx

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
)

// foldOffsets moves constants that are added to a pointer into the offsets of the
// accesses: "[%r1+64]" is an address in PTX. Indices stay additions, and so do the
// alignments that they promise. The addition is left for dead code elimination. It
// never fails.
func foldOffsets(f *emit.Func) error {
	f.Body.Walk(func(op *emit.Op) {
		for foldOffset(op) {
		}
	})
	return nil
}

func foldOffset(op *emit.Op) bool {
	p, _ := op.Address()
	if p == nil || p.Op == nil || p.Op.Def.Name != "addp" {
		return false
	}
	c, ok := intConst(p.Op.Args[1])
	if !ok || !fits32(c) || !fits32(op.Attr.Off) || !fits32(op.Attr.Off+c) {
		return false
	}
	op.Args[slices.Index(op.Args, p)] = p.Op.Args[0]
	op.Attr.Off += c
	return true
}
