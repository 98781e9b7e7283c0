package spmm

import (
	"errors"
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/wire"
	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// A Product multiplies a [Matrix] with dense matrices of some number of columns. It has
// the memory for all that is sent and received.
type Product[T dtype.Float] struct {
	s        *Matrix[T]
	features int
	full     layout.Matrix[T]   // own rows of B, and what comes in, and sums: see places
	views    []layout.Matrix[T] // what each task reads of it
	sums     layout.Matrix[T]   // what is computed for others
	t        wire.Exchange[T]
	forms    []form[T] // what is computed before each message goes out
	ran      []bool
}

// form is sums for others: y = a times the own rows of B.
type form[T dtype.Float] struct {
	a sparse.Matrix[T]
	y layout.Matrix[T]
}

// Product returns what multiplies with dense matrices of features columns. All ranks call
// it; it is an error on all if they ask for different ones.
func (s *Matrix[T]) Product(features int) (*Product[T], error) {
	err := dist.Agree(s.c, "spmm.Product", s.checkFeatures(features), comm.NewFact("features", features), comm.NewFact("transposed", s.transposed))
	if err != nil {
		return nil, err
	}
	m := &Product[T]{s: s, features: features, ran: make([]bool, len(s.tasks)),
		full: layout.New[T](s.place.rows, features), sums: layout.New[T](s.exports.Rows(), features)}
	for i := range s.tasks {
		m.views = append(m.views, m.full.Slice(s.tasks[i].first, s.tasks[i].last, 0, features))
	}
	if features == 0 {
		return m, nil // nothing to send
	}
	m.t = wire.Exchange[T]{Tag: tagRows, Width: features}
	if s.transposed { // with the other's messages they would give a wrong product
		m.t.Tag = tagBack
	}
	in := s.place.own + len(s.cols)
	messages(s.halo.in, func(p *peer, k int) {
		m.t.In = append(m.t.In, wire.Message[T]{Rank: p.rank, Data: rowsAt(m.full, in+p.at[k], in+p.at[k+1])})
	})
	formed := 0
	inTurn(s.c, s.halo.out, func(p *peer, k int) {
		x, sums := m.message(p, k)
		m.t.Out = append(m.t.Out, x)
		f := form[T]{}
		if sums > formed {
			f = form[T]{s.exports.RowSlice(formed, sums), m.sums.Slice(formed, sums, 0, features)}
			formed = sums
		}
		m.forms = append(m.forms, f)
	})
	return m, nil
}

// inTurn yields messages chunk by chunk, and those of a chunk from the next rank on. If
// all began with rank 0, it would be the last to have everything.
func inTurn(c *comm.Comm, peers []peer, yield func(p *peer, k int)) {
	first := 0
	for first < len(peers) && peers[first].rank < c.Rank() {
		first++
	}
	chunks := 0
	for i := range peers {
		chunks = max(chunks, len(peers[i].at)-1)
	}
	for k := range chunks {
		for i := range peers {
			p := &peers[(first+i)%len(peers)]
			if k+1 < len(p.at) && p.at[k+1] > p.at[k] {
				yield(p, k)
			}
		}
	}
}

func (s *Matrix[T]) checkFeatures(features int) error {
	rows := int64(s.place.rows + s.exports.Rows() + s.halo.sent() + 1)
	if features < 0 || int64(features) > min(1<<44, math.MaxInt/16)/rows {
		return fmt.Errorf("%d features of %d rows; want 0 or more, and no more than there is memory", features, rows)
	}
	return nil
}

// rowsAt returns the elements of rows from to to-1 of a matrix with contiguous rows.
func rowsAt[T dtype.Float](m layout.Matrix[T], from, to int) []T {
	return m.Data[from*m.Cols : to*m.Cols]
}

// message prepares what is sent: from where it is if it lies together, or from a copy. sums
// is how many of the rows that are computed for others have to be there.
func (m *Product[T]) message(p *peer, k int) (x wire.Message[T], sums int) {
	rows := p.rows[p.at[k]:p.at[k+1]]
	x = wire.Message[T]{Rank: p.rank}
	together := true
	for i, r := range rows {
		if r < 0 {
			sums = max(sums, int(^r)+1)
		}
		if (r < 0) != (rows[0] < 0) || r >= 0 && int(r) != int(rows[0])+i || r < 0 && int(^r) != int(^rows[0])+i {
			together = false
		}
	}
	switch first := rows[0]; {
	case together && first >= 0:
		x.Data = rowsAt(m.B(), int(first), int(first)+len(rows))
	case together:
		x.Data = rowsAt(m.sums, int(^first), int(^first)+len(rows))
	default:
		x.Data, x.Rows = make([]T, len(rows)*m.features), rows
	}
	return x, sums
}

// B returns where you should write this rank's rows of B before a product, in the order
// of Matrix.Cols. Then nothing is copied except what is sent. Its rows are contiguous.
func (m *Product[T]) B() layout.Matrix[T] {
	return m.full.Slice(m.s.place.own, m.s.place.own+len(m.s.cols), 0, m.features)
}

// Features returns how many columns B and Y have.
func (m *Product[T]) Features() int { return m.features }

// Multiply computes this rank's rows of Y = A*B into out from its rows of B. All ranks
// call it. With opt.Scaling it is alpha*A*B + beta*Y.
//
// Rows that read only the rank's own rows of B are multiplied while rows of other ranks
// arrive. The entries of a row are added in the order of the columns of the whole matrix.
// Sums from other ranks follow in the order of ranks. See [rows.Multiply] for
// other details of the order. opt.Threads is for this rank.
//
// Arguments that do not fit are an error on this rank and on those that need its rows.
func (m *Product[T]) Multiply(opt cpu.Options, out, b layout.Matrix[T]) error {
	return m.MultiplyThen(opt, out, b, nil)
}

// MultiplyThen is Multiply with a Go function for finished rows of Y. It calls the function once
// for each block of rows, as soon as they are computed, with the number of the first among the
// rank's rows. See [Product.Each] for generated kernels with an epilogue.
func (m *Product[T]) MultiplyThen(opt cpu.Options, out, b layout.Matrix[T], epilogue func(first int, y layout.Matrix[T])) error {
	opt.Caller = opt.Name("spmm.Product.Multiply")
	if err := m.checkOut(out); err != nil {
		return m.refuse(err)
	}
	return m.each(opt, b, func(k *task[T]) {
		y := out.Slice(k.From, k.To, 0, m.features)
		k.multiply(opt, y, m.full)
		if epilogue != nil {
			epilogue(k.From, y)
		}
	})
}

// Each exchanges rows of B as Multiply does. It calls do for each block of rows when the rows
// that it reads have arrived, one after another, in any order. Use it for your own kernels:
//
//	m.Each(opt, b, func(k spmm.RowBlock[float32]) {
//		graph.AggregateOpt(opt, y.Slice(k.From, k.To, 0, 128), k.A, k.B, bias)
//	})
//
// Kernels that count entries, as means do, or multiply in another semiring need plans without
// Cover. Do not use them with the plan of [Matrix.T].
func (m *Product[T]) Each(opt cpu.Options, b layout.Matrix[T], do func(k RowBlock[T])) error {
	return m.each(opt, b, func(k *task[T]) {
		block := k.RowBlock
		block.B = m.full
		do(block)
	})
}

func (m *Product[T]) checkOut(out layout.Matrix[T]) error {
	if out.Rows != len(m.s.rows) || out.Cols != m.features {
		return fmt.Errorf("out is %d x %d; want %d own rows and %d features", out.Rows, out.Cols, len(m.s.rows), m.features)
	}
	return out.CheckOut("out")
}

// load sees to it that the rank's rows of B stand where blocks read them.
func (m *Product[T]) load(b layout.Matrix[T]) error {
	if b.Rows != len(m.s.cols) || b.Cols != m.features {
		return fmt.Errorf("b is %d x %d; want %d own rows and %d features", b.Rows, b.Cols, len(m.s.cols), m.features)
	}
	if err := b.Check("b"); err != nil {
		return err
	}
	own := m.B()
	if b.Rows > 0 && m.features > 0 && (&b.Data[0] != &own.Data[0] || b.RowStride != own.RowStride || b.ColStride != 1) {
		local.Copy(own, b)
	}
	return nil
}

var errBusy = errors.New("another product with this matrix is under way; make a Matrix with New for each goroutine")

// refuse ends a product that cannot be done.
func (m *Product[T]) refuse(err error) error {
	err = fmt.Errorf("rank %d: spmm.Product: %w", m.s.c.Rank(), err)
	if m.s.turn.TryLock() {
		defer m.s.turn.Unlock()
		m.t.Refuse(m.s.c)
	}
	return err
}

// each runs a product.
func (m *Product[T]) each(opt cpu.Options, b layout.Matrix[T], do func(k *task[T])) error {
	if err := m.load(b); err != nil {
		return m.refuse(err)
	}
	if !m.s.turn.TryLock() {
		return fmt.Errorf("rank %d: spmm.Product: %w", m.s.c.Rank(), errBusy)
	}
	defer m.s.turn.Unlock()
	if err := m.t.Start(m.s.c); err != nil {
		return err
	}
	opt.Scaling = run.Scaling{} // of this rank's rows, not of what others add to theirs
	if err := m.send(opt); err != nil {
		return err
	}
	clear(m.ran)
	var failed error // of a kernel: others still get what they need
	for left := len(m.s.tasks); left > 0; {
		next := -1
		for i := range m.s.tasks {
			if !m.ran[i] && m.ready(&m.s.tasks[i]) {
				next = i
				break
			}
		}
		if next >= 0 {
			m.ran[next] = true
			left--
			if err := local.Refusal(func() { m.compute(opt, next, do) }); err != nil && failed == nil {
				failed = fmt.Errorf("rank %d: %w", m.s.c.Rank(), err)
			}
		}
		if err := m.t.Poll(next < 0); err != nil {
			return errors.Join(failed, err)
		}
	}
	return errors.Join(failed, m.t.Finish())
}

// send begins to send everything. Sums for others are formed just before the first message
// that has one.
func (m *Product[T]) send(opt cpu.Options) error {
	own := m.B()
	for i := range m.t.Out {
		if form := &m.forms[i]; form.y.Rows > 0 {
			if err := local.Refusal(func() { cpu.SpMMOpt(opt, form.y, form.a, own) }); err != nil {
				m.t.RefuseFrom(i)
				return errors.Join(err, m.t.Finish())
			}
		}
		if err := m.t.Send(i, own.Data, m.sums.Data); err != nil {
			return err
		}
	}
	return nil
}

func (m *Product[T]) ready(k *task[T]) bool {
	if k.after >= 0 && !m.ran[k.after] {
		return false
	}
	for _, i := range k.need {
		if m.features > 0 && !m.t.Arrived[i] {
			return false
		}
	}
	return true
}

// compute does task i: sums, or rows of Y by do.
func (m *Product[T]) compute(opt cpu.Options, i int, do func(k *task[T])) {
	k := &m.s.tasks[i]
	if k.to < 0 {
		do(k)
		return
	}
	k.multiply(opt, m.full.Slice(k.to, k.to+k.To-k.From, 0, m.features), m.views[i])
}
