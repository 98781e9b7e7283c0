package check

import (
	"bytes"
	"fmt"
	"runtime/debug"
)

// caught calls f and turns a panic or a fault into an error. It can do so in the
// calling goroutine only: a fault in a worker of the kernel stops the program,
// which is as visible.
func (p *Problem) caught(f func()) error {
	fault, err := faulted(f)
	for _, near := range p.near {
		if where, of := near(fault); where != "" {
			for n, o := range p.slots {
				if o.elems != nil && len(of) > 0 && len(o.raw()) > 0 && &of[0] == &o.raw()[0] {
					return fmt.Errorf("fault: the kernel touched memory %s of %s", where, slotName(n))
				}
			}
			return fmt.Errorf("fault: the kernel touched memory %s of an operand", where)
		}
	}
	return err
}

// slotName is what messages call a slot.
func slotName(n int) string {
	switch n {
	case A:
		return "a"
	case B:
		return "b"
	case 0:
		return "out"
	}
	return fmt.Sprintf("slot %d", n)
}

// changed says where the memory of an operand is not as it was, or nothing.
func (o *operand) changed(was []byte) string {
	now := o.raw()
	if bytes.Equal(now, was) {
		return ""
	}
	size, at := len(o.canary()), 0
	for now[at] == was[at] {
		at++
	}
	at /= size
	scale := o.size() / (len(now) / size) // two parts of a pair
	have, part := o.load(scale*at), bytes.Clone(now)
	copy(now, was)
	old := o.load(scale * at)
	copy(now, part)
	for i := range o.rows {
		for j := range o.cols {
			if o.index(i, j) == at {
				return fmt.Sprintf("element (%d, %d): %v was %v", i, j, have, old)
			}
		}
	}
	return fmt.Sprintf("Data[%d]: %v was %v", at, have, old)
}

// faulted is caught, and the address of a fault.
func faulted(f func()) (addr uintptr, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		if cause, ok := e.(error); ok {
			err = fmt.Errorf("panic: %w\n%s", cause, debug.Stack())
		} else {
			err = fmt.Errorf("panic: %v\n%s", e, debug.Stack())
		}
		if fault, ok := e.(interface{ Addr() uintptr }); ok {
			addr = fault.Addr()
		}
	}()
	f()
	return 0, nil
}
