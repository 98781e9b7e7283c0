package attention

import (
	"unsafe"

	"github.com/tilesmith/tilesmith/cpu/run/internal/check"
	"github.com/tilesmith/tilesmith/cpu/run/internal/epi"
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/cpu/run/spblas/internal/call"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/mask"
)

// operandGradient is where the gradient by an operand of a function of scores goes. It is the sum over all
// scores that have the element: those of a row, of a column or of a head, or one.
type operandGradient struct {
	of, out    int            // the slots of the operand, and of what the kernel of gradients makes for each score
	p          unsafe.Pointer // nil: nobody wants it
	rs, cs     int            // bytes from an element to the one of the next row, and column; 0: it is the same
	by         int            // bytes from what belongs to a head to what belongs to the next; 0: it is that of all
	wide, full bool           // of float64; with an element for each score
	clear      func()         // of all elements, of a full one
	span       epi.Memory
}

// RowGradient adds the gradient by an operand, given by its number from 1 on. Like the operand, it has an
// element for each row of the mask, or for each row of each head; nil: it is not wanted.
func RowGradient[T dtype.Float](e *Epilogue, name string, operand int, x []T) {
	addGradient(e, name, operand, x, e.epi.Rows, 1, 0)
}

// ColumnGradient is [RowGradient] of an operand with an element for each column.
func ColumnGradient[T dtype.Float](e *Epilogue, name string, operand int, x []T) {
	addGradient(e, name, operand, x, e.epi.Cols, 0, 1)
}

// ScalarGradient is [RowGradient] of an operand with one element, or one for each head.
func ScalarGradient[T dtype.Float](e *Epilogue, name string, operand int, x []T) {
	addGradient(e, name, operand, x, 1, 0, 0)
}

// addGradient adds a gradient of which a head has n elements. How many there are of it is checked when its operand is known.
func addGradient[T dtype.Float](e *Epilogue, name string, operand int, x []T, n, rs, cs int) {
	size := int(unsafe.Sizeof(*new(T)))
	g := operandGradient{of: operand, out: len(e.gradients) + 1, p: unsafe.Pointer(unsafe.SliceData(x)), rs: rs * size, cs: cs * size, wide: size == 8}
	g.span = epi.Memory{Name: name, P: g.p, Size: uintptr(len(x) * size)}
	if x != nil && len(x) != n && len(x) != mem.Volume(e.heads, n) {
		e.call().Refuse("%s has %d elements; want %d, or so many for each of %d heads, as %s has, or nil, if it is not wanted", name, len(x), n, e.heads, name[1:])
	}
	if len(x) > n {
		g.by = n * size
	}
	if len(x) == 0 {
		g.p = nil
	}
	e.gradients = append(e.gradients, g)
}

// FullGradient is [RowGradient] for an operand with an element for each of the mask's, or for such
// a matrix for each head, one under another. The zero Matrix asks for no gradient.
func FullGradient[T dtype.Float](e *Epilogue, name string, operand int, x layout.Matrix[T]) {
	m, n := e.epi.Rows, e.epi.Cols
	size := int(unsafe.Sizeof(*new(T)))
	g := operandGradient{of: operand, out: len(e.gradients) + 1, wide: size == 8, full: true, span: epi.Memory{Name: name}}
	if x.Data != nil || x.Rows != 0 || x.Cols != 0 {
		if x.Cols != n || x.Rows != m && x.Rows != mem.Volume(e.heads, m) {
			e.call().Refuse("%s is %d x %d, the mask is %d x %d; want the shape of %s", name, x.Rows, x.Cols, m, n, name[1:])
		}
		check.Written(e.call(), name, &x)
		if g.span = epi.MemoryOf(name, x); g.span.Size > 0 {
			o := mem.OperandOf(x)
			g.p, g.rs, g.cs = o.P, o.RS, o.CS
			if x.Rows > m {
				g.by = m * o.RS
			}
			g.clear = func() { mem.Scale(x, 0) }
		}
	}
	e.gradients = append(e.gradients, g)
}

// wanted makes of gradients those that somebody wants, and refuses such as have not as many elements as their operand.
func (e *Epilogue) wanted() (gs []*operandGradient) {
	for i := range e.gradients {
		g := &e.gradients[i]
		if g.p == nil {
			continue
		}
		if name := g.span.Name; (g.by > 0) != (e.by[g.of] > 0) {
			each := [2]string{"is that of all heads", "has elements for each head"}
			of, is := each[0], each[0]
			if g.by > 0 {
				is = each[1]
			} else {
				of = each[1]
			}
			e.call().Refuse("%s %s, %s %s; want them alike", name, is, name[1:], of)
		}
		gs = append(gs, g)
	}
	return gs
}

// apart refuses a gradient that shares memory with something else.
func (g *operandGradient) apart(e *Epilogue, x epi.Memory) {
	if g.span.Size > 0 && x.Size > 0 && mem.Shares(g.span.P, g.span.Size, x.P, x.Size) {
		e.call().Refuse("%s shares memory with %s; gradients want memory of their own", g.span.Name, x.Name)
	}
}

// take adds what rows x cols scores of head h, from (i, j) on, have for the element of each to sums, without those
// that the mask hides. These are rows, columns or all of them, and the first is that of row, or column, base.
// For a full gradient they are added where they belong.
func (g *operandGradient) take(sums []float64, base int, tile mem.Operand, mask mask.Mask, h, i, j, rows, cols int) {
	for r := range rows {
		n := min(cols, mask.Limit(i+r)-j)
		if n <= 0 {
			continue
		}
		if g.wide {
			takeRow(g, sums, base, call.SliceOf((*float64)(tile.At(r, 0)), n), h, i+r, j)
		} else {
			takeRow(g, sums, base, call.SliceOf((*float32)(tile.At(r, 0)), n), h, i+r, j)
		}
	}
}

// takeRow is take of row i.
func takeRow[T dtype.Float](g *operandGradient, sums []float64, base int, row []T, h, i, j int) {
	switch set := g.sets(h); {
	case g.full:
		for c, x := range row {
			p := (*T)(unsafe.Add(g.p, h*g.by+i*g.rs+(j+c)*g.cs))
			if !set {
				x += *p
			}
			*p = x
		}
	case g.cs > 0:
		sums = sums[j-base:]
		for c, x := range row {
			sums[c] += float64(x)
		}
	default:
		at := i - base
		if g.rs == 0 {
			at = 0
		}
		var s [4]float64 // additions wait for one another
		for ; len(row) >= 4; row = row[4:] {
			s[0] += float64(row[0])
			s[1] += float64(row[1])
			s[2] += float64(row[2])
			s[3] += float64(row[3])
		}
		for c, x := range row {
			s[c] += float64(x)
		}
		sums[at] += (s[0] + s[1]) + (s[2] + s[3])
	}
}

// sets reports whether head h is the first that adds to its elements.
func (g *operandGradient) sets(h int) bool { return h == 0 || g.by > 0 }

// put stores sums as the elements of head h from at on, or adds them to those of heads before.
func (g *operandGradient) put(sums []float64, h, at int) {
	step, set := g.rs+g.cs, g.sets(h)
	for n, x := range sums {
		p := unsafe.Add(g.p, h*g.by+(at+n)*step)
		if g.wide {
			if p := (*float64)(p); set {
				*p = x
			} else {
				*p += x
			}
		} else if p := (*float32)(p); set {
			*p = float32(x)
		} else {
			*p = float32(float64(*p) + x)
		}
	}
}

// tile is where the kernel of gradients leaves those by an operand for rows x cols scores, in memory for all operands.
func (g *operandGradient) tile(also unsafe.Pointer, rows, cols int) mem.Operand {
	t := operandTile(also, g.out, rows, cols)
	if !g.wide {
		t.CS = 4
	}
	return t
}

func operandTile(also unsafe.Pointer, out, rows, cols int) mem.Operand {
	rs := mem.Ceil(cols*8, mem.Line) * mem.Line
	return mem.Operand{P: unsafe.Add(also, (out-1)*rows*rs), RS: rs, CS: 8}
}

// operandSums makes room for the sums of so many rows and columns. If another task works on either, their
// number is -1. The sums of a head, and a full gradient, belong to rows.
func (b *blockHead[T]) operandSums(w *tileScratch, rows, columns int) [][]float64 {
	w.sumsBy = w.sumsBy[:0]
	for _, g := range b.operands {
		n := rows
		switch {
		case g.cs > 0 && !g.full:
			n = columns
		case rows >= 0 && g.full:
			n = 0
		case rows >= 0 && g.rs == 0:
			n = 1
		}
		var sums []float64
		if n >= 0 {
			sums = make([]float64, n)
		}
		w.sumsBy = append(w.sumsBy, sums)
	}
	return w.sumsBy
}

// operandScores adds up the gradients by operands of one call of the kernel. The first sum is that of row, or column, base.
func (b *blockHead[T]) operandScores(w *tileScratch, sums [][]float64, base, h, i, j, rows, cols int) {
	for k, g := range b.operands {
		if sums[k] != nil {
			g.take(sums[k], base, g.tile(w.also.P, rows, cols), b.mask, h, i, j, rows, cols)
		}
	}
}

// putOperands stores sums of rows or columns of head h from at on. For an operand with one element a head,
// task t has a part if there are parts.
func (b *blockHead[T]) putOperands(sums [][]float64, h, at, t int) {
	for k, g := range b.operands {
		switch {
		case sums[k] == nil || g.full:
		case g.rs+g.cs == 0 && b.parts != nil:
			b.parts[t*len(b.operands)+k] = sums[k][0]
		default:
			g.put(sums[k], h, at)
		}
	}
}

// joinOperands adds up, in the order of tasks, the parts that they have of sums over a head.
func (b *blockHead[T]) joinOperands(h, tasks int) {
	for k, g := range b.operands {
		if g.rs+g.cs > 0 {
			continue
		}
		sum := 0.0
		for t := range tasks {
			sum += b.parts[t*len(b.operands)+k]
		}
		g.put([]float64{sum}, h, 0)
	}
}
