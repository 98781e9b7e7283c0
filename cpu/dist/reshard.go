package dist

import (
	"errors"
	"fmt"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/mesh"
)

// ReshardTag is the tag of all messages of a Resharder. Other messages of the same ranks
// that are under way at the same time must have other tags.
const ReshardTag = comm.MaxUserTag

// ReshardElem are the types of elements that a matrix and a message may have.
type ReshardElem interface {
	comm.Fixed
	dtype.Elem
}

// Reshard brings an array from one sharding to another. in is this rank's tile of p.From,
// and out becomes that of p.To. Both are stored densely with the last index fastest. All
// ranks of c call it with the same plan; rank r of the plan's mesh is rank r of c.
//
// If a rank's plan or tile is wrong, all ranks get an error that names the rank and the
// reason, and nothing is sent. That check is an AllReduce of 24 bytes in phase "agree". All
// other bytes are those that the plan says.
//
// in and out must not overlap. A [Resharder] does the same several times and keeps its
// buffers.
func Reshard[T comm.Fixed](c *comm.Comm, p *mesh.Plan, out, in []T) error {
	r, err := NewResharder[T](c, p)
	if err != nil {
		return err
	}
	return r.Run(out, in)
}

// ReshardMatrix is Reshard for a plan of a matrix, with tiles that have any strides.
func ReshardMatrix[T ReshardElem](c *comm.Comm, p *mesh.Plan, out, in layout.Matrix[T]) error {
	r, err := NewResharder[T](c, p)
	if err != nil {
		return err
	}
	return RunMatrix(r, out, in)
}

// A Resharder executes a plan on one rank. One call follows another; several Resharders on
// one Comm must not work at once.
type Resharder[T comm.Fixed] struct {
	c     *comm.Comm
	plan  *mesh.Plan
	facts []comm.Fact // by which ranks know whether they mean the same
	steps []reshardStep
	// The memory that may be read and written on this rank: tiles between steps, which take
	// turns, packed pieces to be sent, and received pieces that are not yet unpacked.
	tiles          [2][]T
	packed, landed []T
}

// NewResharder works out what this rank sends and receives. All ranks of c call it. If the
// plans of ranks differ, or the plan's mesh has another number of ranks than c, all ranks
// get an error.
func NewResharder[T comm.Fixed](c *comm.Comm, p *mesh.Plan) (*Resharder[T], error) {
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
	if err := summaAgree(c, "dist.NewResharder", err, facts...); err != nil {
		return nil, err
	}
	r := &Resharder[T]{c: c, plan: p, facts: facts}
	for _, s := range p.Steps {
		r.steps = append(r.steps, newReshardStep(s, c.Rank()))
	}
	return r, nil
}

// Plan returns the plan.
func (r *Resharder[T]) Plan() *mesh.Plan { return r.plan }

// Buffers returns how many elements the buffers of r hold, which it keeps from call to
// call: at most four times the plan's Peak.
func (r *Resharder[T]) Buffers() int {
	return cap(r.tiles[0]) + cap(r.tiles[1]) + cap(r.packed) + cap(r.landed)
}

// Run is [Reshard] by r's plan. All ranks call it.
func (r *Resharder[T]) Run(out, in []T) error {
	from, to := r.plan.From.Local(r.c.Rank()), r.plan.To.Local(r.c.Rank())
	err := reshardLength("in", len(in), from, r.plan.From)
	if err == nil {
		err = reshardLength("out", len(out), to, r.plan.To)
	}
	return r.run(err, reshardDense(out, to), reshardDense(in, from))
}

func reshardLength(name string, have int, shape []int, s mesh.Sharding) error {
	want := 1
	for _, n := range shape {
		want *= n
	}
	if have != want {
		return fmt.Errorf("%s has %d elements; this rank's tile of %v is %v, %d elements", name, have, s, shape, want)
	}
	return nil
}

// RunMatrix is [ReshardMatrix] by r's plan. All ranks call it.
func RunMatrix[T ReshardElem](r *Resharder[T], out, in layout.Matrix[T]) error {
	err := reshardMatrix("in", r.plan.From, r.c.Rank(), &in, in.Check)
	if err == nil {
		err = reshardMatrix("out", r.plan.To, r.c.Rank(), &out, out.CheckOut)
	}
	view := func(m layout.Matrix[T]) reshardTile[T] {
		return reshardTile[T]{m.Data, []int{m.Rows, m.Cols}, []int{m.RowStride, m.ColStride}}
	}
	return r.run(err, view(out), view(in))
}

func reshardMatrix[T ReshardElem](name string, s mesh.Sharding, rank int, m *layout.Matrix[T], check func(string) error) error {
	if n := len(s.Shape()); n != 2 {
		return fmt.Errorf("%v has %d dimensions; a matrix has 2", s, n)
	}
	if n := s.Local(rank); m.Rows != n[0] || m.Cols != n[1] {
		return fmt.Errorf("%s is %d x %d; this rank's tile of %v is %d x %d", name, m.Rows, m.Cols, s, n[0], n[1])
	}
	return check(name)
}

// run executes the steps, once all ranks are well.
func (r *Resharder[T]) run(err error, out, in reshardTile[T]) error {
	if err == nil && reshardOverlap(out.data, in.data) {
		err = errors.New("in and out overlap")
	}
	if err := summaAgree(r.c, "dist.Reshard", err, r.facts...); err != nil {
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
			next = reshardDense(reshardGrow(&r.tiles[i%2], s.elements), s.shape)
		}
		if err := r.exchange(s, next, at); err != nil {
			return fmt.Errorf("dist.Reshard: step %d, %v: %w", i, r.plan.Steps[i], err)
		}
		at = next
	}
	if last < 0 || r.steps[last].op == mesh.Slice {
		reshardMove(out, at, at.all())
	}
	return nil
}
