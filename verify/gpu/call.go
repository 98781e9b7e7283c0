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
type Call[A, B dtype.Elem] struct {
	*check.FusedProblem[A, B]
	Stream  cuda.Stream
	Options run.Options
	lie     Lie
	err     error
	placed  map[string]any
	keep    func(output string, memory []byte)
	after   []func() error // reads back
	memory  []cuda.Memory
}

func (c *Call[A, B]) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// finish waits, reads outputs back and frees the memory.
func (c *Call[A, B]) finish(err error) error {
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
func A[T, B dtype.Elem](c *Call[T, B]) cuda.Matrix[T] { return input(c, "a", c.A, c.lie.ATrans) }

// B is described with [A].
func B[A, T dtype.Elem](c *Call[A, T]) cuda.Matrix[T] { return input(c, "b", c.B, c.lie.BTrans) }

// Out puts the output of a slot on the device: full of NaN, to be read back.
func Out[T, A, B dtype.Elem](c *Call[A, B], slot int) cuda.Matrix[T] {
	host := check.OutOf[T](c.FusedProblem, slot)
	m, all := allocMatrix[T](c, host.Rows, host.Cols, c.lie.OutTrans)
	if c.err == nil {
		c.fail(c.Stream.Fill(all.Memory(), 0, untouched, all.Memory().Bytes()))
		c.after = append(c.after, func() error { return back(c.Stream, c.keep, fmt.Sprintf("output %d", slot), m, all, host) })
	}
	return m
}

// Full, Row, Column and Scalar put an operand of a slot on the device.
func Full[T, A, B dtype.Elem](c *Call[A, B], slot int) cuda.Matrix[T] {
	return input(c, fmt.Sprint(slot), check.FullOf[T](c.FusedProblem, slot), c.lie.OutTrans)
}

// Row is described with [Full].
func Row[T, A, B dtype.Elem](c *Call[A, B], slot int) cuda.Slice[T] {
	return vector(c, fmt.Sprint(slot), check.RowOf[T](c.FusedProblem, slot))
}

// Column is described with [Full].
func Column[T, A, B dtype.Elem](c *Call[A, B], slot int) cuda.Slice[T] {
	return vector(c, fmt.Sprint(slot), check.ColumnOf[T](c.FusedProblem, slot))
}

// Scalar is described with [Full].
func Scalar[T, A, B dtype.Elem](c *Call[A, B], slot int) T {
	return check.ScalarOf[T](c.FusedProblem, slot)
}

// Reduced puts the n results of a reduction on the device, to be read back.
func Reduced[T, A, B dtype.Elem](c *Call[A, B], slot, n int) cuda.Slice[T] {
	host := check.ReducedOf[T](c.FusedProblem, slot, n)
	m, all := allocMatrix[T](c, 1, n, false)
	if c.err != nil {
		return cuda.Slice[T]{}
	}
	c.fail(c.Stream.Fill(all.Memory(), 0, untouched, all.Memory().Bytes()))
	m.ColStride = 1 // vectors have no step
	line := layout.Matrix[T]{Data: host, Rows: 1, Cols: n, RowStride: max(n, 1), ColStride: 1}
	c.after = append(c.after, func() error { return back(c.Stream, c.keep, fmt.Sprintf("reduction %d", slot), m, all, line) })
	return m.Data.Slice(0, n)
}

// untouched is what every byte of an output is before the call: a NaN of every type
// that has one.
const untouched = 0xff

// allocMatrix allocates a matrix as the lie says; all is its memory.
func allocMatrix[T, A, B dtype.Elem](c *Call[A, B], rows, cols int, trans bool) (m cuda.Matrix[T], all cuda.Slice[T]) {
	if c.err != nil {
		return
	}
	if trans {
		rows, cols = cols, rows
	}
	step := max(c.lie.Step, 1)
	ld := (cols*step+15)&^15 + c.lie.Pad
	all = alloc[T](c, c.lie.Off+rows*ld+1)
	if c.err != nil {
		return
	}
	m = cuda.Matrix[T]{Data: all.Slice(c.lie.Off, all.Len()), Rows: rows, Cols: cols, RowStride: ld, ColStride: step}
	if trans {
		m = m.T()
	}
	return m, all
}

func alloc[T, A, B dtype.Elem](c *Call[A, B], n int) cuda.Slice[T] {
	x, err := cuda.Make[T](c.Stream.Device(), n)
	if err != nil {
		c.fail(err)
		return x
	}
	c.memory = append(c.memory, x.Memory())
	return x
}

// input puts host on the device; only elements are written.
func input[T, A, B dtype.Elem](c *Call[A, B], name string, host layout.Matrix[T], trans bool) cuda.Matrix[T] {
	if m, ok := c.placed[name]; ok {
		return m.(cuda.Matrix[T])
	}
	m, _ := allocMatrix[T](c, host.Rows, host.Cols, trans)
	if c.err == nil {
		c.fail(m.Write(c.Stream, host))
		c.placed[name] = m
	}
	return m
}

// vector puts host on the device as neighbours.
func vector[T, A, B dtype.Elem](c *Call[A, B], name string, host []T) cuda.Slice[T] {
	if x, ok := c.placed[name]; ok {
		return x.(cuda.Slice[T])
	}
	all := alloc[T](c, c.lie.Off+len(host)+1)
	if c.err != nil {
		return all
	}
	x := all.Slice(c.lie.Off, c.lie.Off+len(host))
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
	bytes, err := cuda.View[int8](all.Memory(), 0, all.Len()*size)
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
	first := int(m.Data.Offset()) / size
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
