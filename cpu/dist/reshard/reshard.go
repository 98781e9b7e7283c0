// Package reshard brings arrays from one sharding to another, by plans of package mesh.
package reshard

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/wire"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// Tag is the tag of all messages of a Executor. Other messages of the same ranks
// that are under way at the same time must have other tags.
const Tag = comm.MaxUserTag

// Elem are the types of elements that a matrix and a message may have.
type Elem interface {
	comm.Fixed
	dtype.Elem
}

// Slice brings an array from one sharding to another. in is this rank's tile of p.From,
// and out becomes that of p.To. Both are stored densely with the last index fastest. All
// ranks of c call it with the same plan; rank r of the plan's mesh is rank r of c.
//
// If a rank's plan or tile is wrong, all ranks get an error that names the rank and the
// reason, and nothing is sent. That check is an AllReduce of 24 bytes in phase "agree". All
// other bytes are those that the plan says.
//
// in and out must not overlap. A [Executor] does the same several times and keeps its
// buffers.
func Slice[T comm.Fixed](c *comm.Comm, p *mesh.Plan, out, in []T) error {
	r, err := New[T](c, p)
	if err != nil {
		return err
	}
	return r.Run(out, in)
}

// Matrix is Slice for a plan of a matrix, with tiles that have any strides.
func Matrix[T Elem](c *comm.Comm, p *mesh.Plan, out, in layout.Matrix[T]) error {
	r, err := New[T](c, p)
	if err != nil {
		return err
	}
	return RunMatrix(r, out, in)
}

// An Executor executes a plan on one rank. One call follows another; several Executors on
// one Comm must not work at once.
type Executor[T comm.Fixed] struct {
	c     *comm.Comm
	plan  *mesh.Plan
	facts []comm.Fact // by which ranks know whether they mean the same
	steps []step
	// The memory that may be read and written on this rank: tiles between steps, which take
	// turns, packed pieces to be sent, and received pieces that are not yet unpacked.
	tiles          [2][]T
	packed, landed []T
	flight         wire.Flight[T]
}

// New works out what this rank sends and receives. All ranks of c call it. If the
// plans of ranks differ, or the plan's mesh has another number of ranks than c, all ranks
// get an error.
func New[T comm.Fixed](c *comm.Comm, p *mesh.Plan) (*Executor[T], error) {
	var err error
	var facts []comm.Fact
	if p == nil {
		err = errors.New("no plan")
	} else {
		if n := p.From.Mesh().Size(); n != c.Size() {
			err = fmt.Errorf("the plan is for the %d ranks of mesh %v, but there are %d", n, p.From.Mesh(), c.Size())
		} else {
			err = p.CheckRank(c.Rank()) // all ranks together check all of it
		}
		steps := ""
		for _, s := range p.Steps {
			steps += fmt.Sprintf("%v: %v; ", s, s.After)
		}
		facts = []comm.Fact{
			comm.NewFact("the mesh", p.From.Mesh()),
			comm.NewFact("the shardings", fmt.Sprintf("%v to %v", p.From, p.To)),
			comm.NewFact("the steps", steps),
		}
	}
	var zero T
	facts = append(facts, comm.NewFact("the type of elements", fmt.Sprintf("%T", zero)))
	if err := dist.Agree(c, "reshard.New", err, facts...); err != nil {
		return nil, err
	}
	r := &Executor[T]{c: c, plan: p, facts: facts}
	for _, s := range p.Steps {
		r.steps = append(r.steps, newStep(s, c.Rank()))
	}
	return r, nil
}

// Plan returns the plan.
func (r *Executor[T]) Plan() *mesh.Plan { return r.plan }

// Buffers returns how many elements the buffers of r hold, which it keeps from call to
// call: at most four times the plan's Peak.
func (r *Executor[T]) Buffers() int {
	return cap(r.tiles[0]) + cap(r.tiles[1]) + cap(r.packed) + cap(r.landed)
}

// Run is [Slice] by r's plan. All ranks call it.
func (r *Executor[T]) Run(out, in []T) error {
	from, to := r.plan.From.Local(r.c.Rank()), r.plan.To.Local(r.c.Rank())
	err := checkLength("in", len(in), from, r.plan.From)
	if err == nil {
		err = checkLength("out", len(out), to, r.plan.To)
	}
	return r.run(err, dense(out, to), dense(in, from))
}

func checkLength(name string, have int, shape []int, s mesh.Sharding) error {
	want := 1
	for _, n := range shape {
		want *= n
	}
	if have != want {
		return fmt.Errorf("%s has %d elements; this rank's tile of %v is %v, %d elements", name, have, s, shape, want)
	}
	return nil
}

// RunMatrix is [Matrix] by r's plan. All ranks call it.
func RunMatrix[T Elem](r *Executor[T], out, in layout.Matrix[T]) error {
	err := checkMatrix("in", r.plan.From, r.c.Rank(), &in, in.Check)
	if err == nil {
		err = checkMatrix("out", r.plan.To, r.c.Rank(), &out, out.CheckOut)
	}
	view := func(m layout.Matrix[T]) tile[T] {
		return tile[T]{m.Data, []int{m.Rows, m.Cols}, []int{m.RowStride, m.ColStride}}
	}
	return r.run(err, view(out), view(in))
}

func checkMatrix[T Elem](name string, s mesh.Sharding, rank int, m *layout.Matrix[T], check func(string) error) error {
	if n := len(s.Shape()); n != 2 {
		return fmt.Errorf("%v has %d dimensions; a matrix has 2", s, n)
	}
	if n := s.Local(rank); m.Rows != n[0] || m.Cols != n[1] {
		return fmt.Errorf("%s is %d x %d; this rank's tile of %v is %d x %d", name, m.Rows, m.Cols, s, n[0], n[1])
	}
	return check(name)
}

// run executes the steps, once all ranks are well.
func (r *Executor[T]) run(err error, out, in tile[T]) error {
	if err == nil && overlap(out.data, in.data) {
		err = errors.New("in and out overlap")
	}
	if err := dist.Agree(r.c, "reshard.Executor.Run", err, r.facts...); err != nil {
		return err
	}
	at, last := in, len(r.steps)-1
	for i := range r.steps {
		s := &r.steps[i]
		if s.op == mesh.Slice {
			at = at.slice(s.offset, s.shape)
			continue
		}
		next := out
		if i < last {
			next = dense(grow(&r.tiles[i%2], s.elements), s.shape)
		}
		if err := r.exchange(s, next, at); err != nil {
			return fmt.Errorf("reshard.Executor.Run: step %d, %v: %w", i, r.plan.Steps[i], err)
		}
		at = next
	}
	if last < 0 || r.steps[last].op == mesh.Slice {
		move(out, at, at.all())
	}
	return nil
}
