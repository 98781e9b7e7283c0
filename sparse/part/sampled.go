package part

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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
	h := &Hypergraph{weight: whole.weight, total: whole.total, first: []int32{0}}
	same := newNetTable(1 << 10)
	mark := none(nil, rows) // of pins of the net in hand
	net, total := int32(0), int64(0)
	batches := NewBatches(rows, s.Size, s.Seed)
	for range s.Batches {
		batch := batches.Next()
		for _, j := range batch {
			from, sum := len(h.pins), uint64(0)
			for _, v := range whole.net(j) {
				if batches.in[v] == batches.now {
					h.pins = append(h.pins, v)
					sum += mix(uint64(v))
				}
			}
			pins := h.pins[from:]
			if len(pins) < 2 {
				h.pins = h.pins[:from]
				continue
			}
			if total += int64(whole.cost[j]); total > math.MaxInt32 || len(h.pins) > math.MaxInt32 {
				return nil, fail(sparse.ErrSize, where, fmt.Sprintf("pins and costs of at most %d; draw fewer", math.MaxInt32), "%d batches of %d rows make too many", s.Batches, s.Size)
			}
			net++
			for _, v := range pins {
				mark[v] = net
			}
			twin := same.find(sum, func(other int32) bool {
				list := h.pins[h.first[other]:h.first[other+1]]
				return len(list) == len(pins) && !slices.ContainsFunc(list, func(v int32) bool { return mark[v] != net })
			}, int32(len(h.cost)))
			if twin >= 0 {
				h.cost[twin] += whole.cost[j]
				h.pins = h.pins[:from]
				continue
			}
			h.cost = append(h.cost, whole.cost[j])
			h.first = append(h.first, int32(len(h.pins)))
			if 2*len(h.cost) > len(same.net) {
				same = h.table()
			}
		}
	}
	h.at, h.nets = transpose(rows, h.first, h.pins)
	return h, nil
}

// table makes a larger table of the nets.
func (h *Hypergraph) table() *netTable {
	t := newNetTable(2 * len(h.cost))
	for j := range int32(len(h.cost)) {
		sum := uint64(0)
		for _, v := range h.pins[h.first[j]:h.first[j+1]] {
			sum += mix(uint64(v))
		}
		t.find(sum, func(int32) bool { return false }, j)
	}
	return t
}

// Batches draws batches of rows, the same for the same seed.
type Batches struct {
	r    *rand.Rand
	all  []int32
	size int
	in   []int32 // the last batch, from 1, that had the row
	now  int32
}

// NewBatches returns a source of batches of size of n rows. It panics if size is not from 0 to n.
func NewBatches(n, size int, seed uint64) *Batches {
	if size < 0 || size > n {
		panic(fmt.Sprintf("part.NewBatches: batches of %d of %d rows", size, n))
	}
	b := &Batches{r: rand.New(rand.NewPCG(seed, uint64(size))), all: make([]int32, n), size: size, in: make([]int32, n)}
	for v := range b.all {
		b.all[v] = int32(v)
	}
	return b
}

// Next returns the rows of a batch in no order, valid until the next call.
func (b *Batches) Next() []int32 {
	if b.now++; b.now < 0 {
		clear(b.in)
		b.now = 1
	}
	for i := range b.size { // the beginning of a shuffle is enough
		j := i + b.r.IntN(len(b.all)-i)
		b.all[i], b.all[j] = b.all[j], b.all[i]
		b.in[b.all[i]] = b.now
	}
	return b.all[:b.size]
}
