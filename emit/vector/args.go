package vector

import (
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// BlockArgs describes an argument block to the IR; its scalars are of type elem. Of a block with slots, these are all.
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

// SlotArgs describes kernel.EpiArgs with so many slots, of which kernels take elements that lie side by side.
func SlotArgs(elem emit.Elem, slots int) []emit.Arg {
	var not []string
	for i := range kernel.MaxSlots {
		not = append(not, fmt.Sprintf("cs%d", i))
		if i >= slots {
			not = append(not, SlotPtr(i), SlotStride(i))
		}
	}
	return slices.DeleteFunc(BlockArgs[kernel.EpiArgs](elem), func(a emit.Arg) bool { return slices.Contains(not, a.Name) })
}

// SlotPtr is the field that says where the operand in a slot lies.
func SlotPtr(i int) string { return fmt.Sprintf("p%d", i) }

// SlotStride is the field that says how far apart its rows are.
func SlotStride(i int) string { return fmt.Sprintf("rs%d", i) }
