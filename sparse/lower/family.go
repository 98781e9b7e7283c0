package lower

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/vector"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// rowFamily is the family of a spec called name, whose kernels take kernel.SparseArgs with scalars of type elem.
func rowFamily(name string, elem emit.Elem, t emit.Target) *emit.Family {
	return &emit.Family{Of: "lower", Prefix: name + "_", Suffix: "_" + t.Name, Args: vector.BlockArgs[kernel.SparseArgs](elem)}
}
