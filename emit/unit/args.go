package unit

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// BlockArgs describes an argument block to the IR; its scalars are of type elem.
func BlockArgs[Block any](elem emit.Elem) []emit.Arg {
	var args []emit.Arg
	for _, f := range kernel.Fields[Block]() {
		t := emit.Int64
		switch {
		case f.Pointer:
			t = emit.Ptr
		case f.Scalar:
			t = emit.Scalar(elem)
		}
		args = append(args, emit.Arg{Name: f.Name, Type: t, Offset: f.Offset})
	}
	return args
}
