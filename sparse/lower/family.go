package lower

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit"
)

// family builds the kernels of one spec for one target. It keeps the first error and
// does nothing after it.
type family struct {
	name string
	elem emit.Elem
	t    emit.Target
	fs   []*emit.Func
	err  error
}

// add builds a kernel and returns its full name.
func (f *family) add(name, doc string, body func(b *emit.Builder)) string {
	name = f.name + "_" + name + "_" + f.t.Name
	if f.err != nil {
		return name
	}
	k, err := emit.Build(name, sparseArgs(f.elem), body)
	if err != nil {
		f.err = fmt.Errorf("lower: %w", err)
		return name
	}
	k.Doc = name + " " + doc
	f.fs = append(f.fs, k)
	return name
}
