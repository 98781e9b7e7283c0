package part

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
)

// Sampling says which batches of rows a computation will see: each is Size rows, any with the same chance.
type Sampling struct {
	Batches int // how many are drawn for the model
	Size    int // rows of each
	Seed    uint64
}

// Sampled returns the stochastic hypergraph of training by minibatches: the nets of many sampled batches over the
// vertices of a. Batch S computes C[S] = A[S, S] * B[S]. So its net j, for j in S, has the rows of S with an entry
// in column j, and row j if ownership is conformal. A partition's km1 divided by the number of batches estimates
// what a batch sends. Minimising it plans for batches instead of the whole product. Vertices weigh what [Model]
// says. (Demirci, Haldar and Ferhatosmanoglu, PVLDB 16(4), 2022, section 4.)
//
// The same net of several batches is one net with their number as cost. o.Costs count once for each batch. The
// matrix must be square.
func Sampled[T dtype.Float](a sparse.Matrix[T], o Model, s Sampling) (*Hypergraph, error) {
	const where = "Sampled"
	rows, cols := a.Dims()
	if rows != cols {
		return nil, fail(sparse.ErrShape, where, "a square matrix", "batches of a %d x %d matrix", rows, cols)
	}
	if s.Size < 1 || s.Size > rows || s.Batches < 1 {
		return nil, fail(sparse.ErrSize, where, fmt.Sprintf("batches of 1 to %d rows, 1 or more of them", rows), "%d batches of %d rows", s.Batches, s.Size)
	}
	whole, err := ColumnNet(a, o)
	if err != nil {
		return nil, err
	}
	h := newMerging(&Hypergraph{weight: whole.weight})
	total := int64(0)
	batches := NewBatches(rows, s.Size, s.Seed)
	for range s.Batches {
		for _, j := range batches.Next() {
			h.begin()
			for _, v := range whole.net(j) {
				if batches.in.met(v) {
					h.pin(v)
				}
			}
			if len(h.pins) >= h.from+2 {
				total += int64(whole.cost[j])
			}
			if total > math.MaxInt32 || len(h.pins) > math.MaxInt32 {
				return nil, fail(sparse.ErrSize, where, fmt.Sprintf("pins and costs of at most %d; draw fewer", math.MaxInt32), "%d batches of %d rows make too many", s.Batches, s.Size)
			}
			h.end(whole.cost[j])
		}
	}
	h.finish()
	return h.Hypergraph, nil
}

// Batches draws batches of rows, the same for the same seed.
type Batches struct {
	r    *rand.Rand
	all  []int32
	size int
	in   stamps // rows of the last batch
}

// NewBatches returns a source of batches of size of n rows. It panics if size is not from 0 to n.
func NewBatches(n, size int, seed uint64) *Batches {
	if size < 0 || size > n {
		panic(fmt.Sprintf("part.NewBatches: batches of %d of %d rows", size, n))
	}
	b := &Batches{r: rand.New(rand.NewPCG(seed, uint64(size))), all: make([]int32, n), size: size, in: newStamps(n)}
	for v := range b.all {
		b.all[v] = int32(v)
	}
	return b
}

// Next returns the rows of a batch in no order, valid until the next call.
func (b *Batches) Next() []int32 {
	b.in.next()
	for i := range b.size { // the beginning of a shuffle is enough
		j := i + b.r.IntN(len(b.all)-i)
		b.all[i], b.all[j] = b.all[j], b.all[i]
		b.in.meet(b.all[i])
	}
	return b.all[:b.size]
}
