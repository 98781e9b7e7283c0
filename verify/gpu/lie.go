package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda/run"
)

// A Lie is how operands lie in the memory of the device.
type Lie struct {
	// ATrans puts a by columns, and so on; OutTrans all that has out's shape.
	ATrans, BTrans, OutTrans bool
	// Off is where matrices and vectors start and Pad by how much more than a
	// multiple of 16 their lines are apart, in elements.
	Off, Pad int
	// Step is the distance of neighbours in a line, 1 if it is 0.
	Step int
	// Tight leaves nothing behind the last element.
	Tight bool
	// Odd is for a and b only: all else lies as kernels with stores of 16 bytes want it.
	Odd bool
}

// around is how all but a and b lies.
func (l Lie) around() Lie {
	if l.Odd {
		l.Off, l.Pad, l.Step = 16, 16, 1 // 16 bytes of every type
	}
	return l
}

func (l Lie) String() string {
	side := func(t bool) string { return map[bool]string{false: "rows", true: "columns"}[t] }
	text := fmt.Sprintf("a by %s, b by %s, out by %s, off %d, pad %d, step %d", side(l.ATrans), side(l.BTrans), side(l.OutTrans), l.Off, l.Pad, max(l.Step, 1))
	if l.Odd {
		text += " of a and b"
	}
	return text
}

// lieFor is the worst alignment that a kernel takes; size is that of an element of a.
func lieFor(k *run.Kernel, size int) Lie {
	l := Lie{ATrans: !k.AK, BTrans: k.BK}
	switch {
	case k.Wide:
		l.Off, l.Pad = 16, 16 // 16 bytes of every type
	case k.Unit > 0:
		l.Off = max(1, k.Unit/size)
		l.Pad = l.Off
	default:
		l.Off, l.Pad, l.Step, l.OutTrans = 1, 1, 2, true
	}
	return l
}
