package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/verify/check"
)

// Call is one call of a generated function: a problem of the oracles whose operands
// [A], [Out], [Full] and their like put on the device. The first error is kept.
type Call struct {
	*check.Problem
	Stream  cuda.Stream
	Options run.Options
	lie     Lie
	err     error
	placed  map[string]any
	keep    func(output string, memory []byte)
	after   []func() error // reads back
	memory  []cuda.Memory
	batch   *batch // that this is product z of, or nil
	z       int
}

func (c *Call) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// finish waits, reads outputs back and frees the memory.
func (c *Call) finish(err error) error {
	if err == nil {
		err = c.err
	}
	if err == nil {
		err = c.Stream.Synchronize()
	}
	for _, f := range c.after {
		if err == nil {
			err = f()
		}
	}
	for _, m := range c.memory {
		m.Free()
	}
	return err
}

// A and B put the factors on the device.
func A[T dtype.Elem](c *Call) cuda.Matrix[T] {
	return input(c, "a", check.Get[layout.Matrix[T]](c.Problem, check.A), c.lie, c.lie.ATrans)
}

// B is described with [A].
func B[T dtype.Elem](c *Call) cuda.Matrix[T] {
	return input(c, "b", check.Get[layout.Matrix[T]](c.Problem, check.B), c.lie, c.lie.BTrans)
}

// Out puts the output of a slot on the device: full of NaN, to be read back.
func Out[T dtype.Elem](c *Call, slot int) cuda.Matrix[T] {
	host := check.Get[layout.Matrix[T]](c.Problem, slot)
	m, all := allocMatrix[T](c, c.lie.around(), host.Rows, host.Cols, c.lie.OutTrans)
	if c.err == nil {
		c.fail(untouch(c.Stream, all))
		c.after = append(c.after, func() error { return back(c.Stream, c.keep, fmt.Sprintf("output %d", slot), m, all, host) })
	}
	return m
}

// Full, Row, Column and Scalar put an operand of a slot on the device.
func Full[T dtype.Elem](c *Call, slot int) cuda.Matrix[T] {
	return input(c, fmt.Sprint(slot), check.Get[layout.Matrix[T]](c.Problem, slot), c.lie.around(), c.lie.OutTrans)
}

// Row is described with [Full].
func Row[T dtype.Elem](c *Call, slot int) cuda.Slice[T] {
	return vector(c, fmt.Sprint(slot), check.Get[[]T](c.Problem, slot))
}

// Column is described with [Full].
func Column[T dtype.Elem](c *Call, slot int) cuda.Slice[T] {
	return vector(c, fmt.Sprint(slot), check.Get[[]T](c.Problem, slot))
}

// Scalar is described with [Full].
func Scalar[T dtype.Elem](c *Call, slot int) T {
	if b := c.batch; b != nil { // one for all products
		if b.scalars == nil {
			b.scalars = map[int]float64{}
		}
		if x, ok := b.scalars[slot]; ok {
			c.Store(slot, 0, 0, x)
		} else {
			b.scalars[slot] = c.Load(slot, 0, 0)
		}
	}
	return check.Get[[]T](c.Problem, slot)[0]
}

// Reduced puts the results of a reduction on the device, to be read back.
func Reduced[T dtype.Elem](c *Call, slot int) cuda.Slice[T] {
	host := check.Get[[]T](c.Problem, slot)
	n := len(host)
	x, all := allocVector[T](c, n)
	if c.err != nil {
		return cuda.Slice[T]{}
	}
	c.fail(untouch(c.Stream, all))
	m := cuda.Matrix[T]{Data: x, Rows: 1, Cols: n, RowStride: max(n, 1), ColStride: 1}
	line := layout.Matrix[T]{Data: host, Rows: 1, Cols: n, RowStride: max(n, 1), ColStride: 1}
	c.after = append(c.after, func() error { return back(c.Stream, c.keep, fmt.Sprintf("reduction %d", slot), m, all, line) })
	return x
}

// untouch makes x what an output is before the call.
func untouch[T dtype.Elem](s cuda.Stream, x cuda.Slice[T]) error {
	return s.Fill(x.Memory(), x.Offset(), untouched, int64(x.Len()*dtype.Of[T]().Size()))
}

// untouched is what every byte of an output is before the call: a NaN of every type
// that has one.
const untouched = 0xff

// allocMatrix allocates a matrix as the lie says; all is its memory.
func allocMatrix[T dtype.Elem](c *Call, lie Lie, rows, cols int, trans bool) (m cuda.Matrix[T], all cuda.Slice[T]) {
	if c.err != nil {
		return
	}
	if trans {
		rows, cols = cols, rows
	}
	step := max(lie.Step, 1)
	ld := (cols*step+15)&^15 + lie.Pad
	n := rows*ld + 1
	if lie.Tight {
		n = max((rows-1)*ld+(cols-1)*step+1, 0)
	}
	all = alloc[T](c, lie.Off+n, lie.Off)
	if c.err != nil {
		return
	}
	m = cuda.Matrix[T]{Data: all.Slice(lie.Off, all.Len()), Rows: rows, Cols: cols, RowStride: ld, ColStride: step}
	if trans {
		m = m.T()
	}
	return m, all
}

// allocVector allocates n neighbours; all is what nobody else uses of their memory. In a
// batch, those of the products follow each other.
func allocVector[T dtype.Elem](c *Call, n int) (x, all cuda.Slice[T]) {
	if c.err != nil {
		return
	}
	lie := c.lie.around()
	if c.batch != nil {
		whole := share[T](c, func(count int) int { return lie.Off + count*n })
		if c.err == nil {
			x = whole.Slice(lie.Off+c.z*n, lie.Off+c.z*n+n)
		}
		return x, x
	}
	after := 1
	if lie.Tight {
		after = 0
	}
	all = alloc[T](c, lie.Off+n+after, 1)
	if c.err == nil {
		x = all.Slice(lie.Off, lie.Off+n)
	}
	return x, all
}

// alloc allocates n elements. Those of the products of a batch are a multiple of unit
// elements apart.
func alloc[T dtype.Elem](c *Call, n, unit int) cuda.Slice[T] {
	if c.batch != nil {
		unit = max(unit, 1)
		n = (n + unit - 1) / unit * unit
		x := share[T](c, func(count int) int { return count * n })
		if c.err != nil {
			return x
		}
		return x.Slice(c.z*n, c.z*n+n)
	}
	x, err := cuda.Make[T](c.Stream.Device(), n)
	if err != nil {
		c.fail(err)
		return x
	}
	c.memory = append(c.memory, x.Memory())
	return x
}

// input puts host on the device; only elements are written.
func input[T dtype.Elem](c *Call, name string, host layout.Matrix[T], lie Lie, trans bool) cuda.Matrix[T] {
	if m, ok := c.placed[name]; ok {
		return m.(cuda.Matrix[T])
	}
	m, _ := allocMatrix[T](c, lie, host.Rows, host.Cols, trans)
	if c.err == nil {
		c.fail(m.Write(c.Stream, host))
		c.placed[name] = m
	}
	return m
}

// vector puts host on the device as neighbours.
func vector[T dtype.Elem](c *Call, name string, host []T) cuda.Slice[T] {
	if x, ok := c.placed[name]; ok {
		return x.(cuda.Slice[T])
	}
	x, _ := allocVector[T](c, len(host))
	if c.err != nil {
		return x
	}
	c.fail(x.Write(c.Stream, host))
	c.placed[name] = x
	return x
}

// back reads an output into host, and holds what lies between and around its lines
// against what was there before the call.
func back[T dtype.Elem](s cuda.Stream, keep func(string, []byte), name string, m cuda.Matrix[T], all cuda.Slice[T], host layout.Matrix[T]) error {
	if err := m.Read(s, host); err != nil {
		return err
	}
	const most = 1 << 24 // bytes that are worth looking at
	size := dtype.Of[T]().Size()
	if all.Len()*size > most {
		return nil
	}
	bytes, err := cuda.View[int8](all.Memory(), all.Offset(), all.Len()*size)
	if err != nil {
		return err
	}
	have, err := bytes.Download(s)
	if err != nil {
		return err
	}
	if keep != nil {
		raw := make([]byte, len(have))
		for i, b := range have {
			raw[i] = byte(b)
		}
		keep(name, raw)
	}
	ours := make([]bool, all.Len())
	first := int(m.Data.Offset()-all.Offset()) / size
	for i := range m.Rows {
		for j := range m.Cols {
			ours[first+i*m.RowStride+j*m.ColStride] = true
		}
	}
	for i, b := range have {
		if !ours[i/size] && byte(b) != untouched {
			return fmt.Errorf("%s: byte %d of its memory was written, which no element lies in", name, i)
		}
	}
	return nil
}
