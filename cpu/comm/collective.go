package comm

// An Op is an operation of reductions: associative, and applied in a fixed order.
type Op[T any] struct {
	Name  string
	Apply func(into, x []T) // into[i] = into[i] op x[i]
}

// Sum adds.
func Sum[T Number]() Op[T] {
	return Op[T]{Name: "sum", Apply: func(into, x []T) {
		for i, v := range x {
			into[i] += v
		}
	}}
}

// AllReduce replaces x on every rank by the sum, or another Op, of x of all ranks.
func AllReduce[T Number](c *Comm, x []T, op Op[T]) error { panic("not yet") }

// Broadcast copies x of rank root to all ranks.
func Broadcast[T Fixed](c *Comm, root int, x []T) error { panic("not yet") }

// AllGather puts x of all ranks into out in the order of ranks. All x have one length.
func AllGather[T Fixed](c *Comm, out, x []T) error { panic("not yet") }

// AllGatherV is AllGather for ranks that give counts[r] elements each.
func AllGatherV[T Fixed](c *Comm, out []T, counts []int, x []T) error { panic("not yet") }

// ReduceScatter adds x of all ranks and leaves to rank r the counts[r] elements that are
// its share, in the order of ranks.
func ReduceScatter[T Number](c *Comm, out, x []T, counts []int, op Op[T]) error { panic("not yet") }

// AllToAllV sends send[r] elements of x to every rank r, in the order of ranks, and
// puts recv[r] elements that came from rank r into out.
func AllToAllV[T Fixed](c *Comm, out []T, recv []int, x []T, send []int) error { panic("not yet") }

// Barrier returns when all ranks have called it.
func (c *Comm) Barrier() error { panic("not yet") }

// Split makes groups of the ranks that give the same color, in the order of key; a
// negative color joins none and gets nil.
func (c *Comm) Split(color, key int) (*Comm, error) { panic("not yet") }

// Phase says that what is counted from now on belongs to this phase; "" at first.
func (c *Comm) Phase(name string) { panic("not yet") }

// A Count is what one rank sent and received in a phase. Collectives count as the
// messages that they are made of; a message of a rank to itself is none.
type Count struct {
	Phase                    string
	Sent, Received           int64 // messages
	BytesSent, BytesReceived int64
}

// Counts returns the counters of this rank by phase, in the order of their first use.
func (c *Comm) Counts() []Count { panic("not yet") }
