package advise

import (
	"slices"

	"github.com/tilesmith/tilesmith/sparse/internal/runs"
	"github.com/tilesmith/tilesmith/tiling"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Moved is bytes by the nearest level of package machine that has them.
type Moved [machine.Levels]int64

func (m Moved) plus(x Moved) Moved {
	for level, n := range x {
		m[level] += n
	}
	return m
}

func (m Moved) times(n int64) Moved {
	for level := range m {
		m[level] *= n
	}
	return m
}

func (m Moved) total() (n int64) {
	for _, x := range m {
		n += x
	}
	return n
}

// Traffic is what one product moves. C counts what is read and what is written. Copy is
// what goes to a copy of B, for kernels that want one. Follows is the part of B that lies
// right after what is in L1, so that the core has prefetched it. Conflicts is the part of B
// that comes from L2 to a set of L1 which took as many lines as it has ways just before.
type Traffic struct{ A, B, C, Copy, Follows, Conflicts Moved }

// Sum is the traffic of all operands.
func (t Traffic) Sum() Moved { return t.A.plus(t.B).plus(t.C).plus(t.Copy) }

// flow is the accesses of a product, as they go through the caches. The columns of B
// and C are worked through in panels of at most as many vectors as registers hold, so
// near and far are about rows of a panel. Objects are, for each panel, the rows of B
// and then those of C, and after all panels the arrays of A.
type flow struct {
	*sampler
	bytes  int // of an object
	narrow int // rows that share an object, at least 1
	b, c   int // objects of a panel
	a      int // and of A
	panels int
	panel  int   // that is worked on
	at     int64 // in the arrays of A, bytes
	from   int64 // where those of the part begin
	sets   int   // of L1, in objects
	pitch  int   // bytes from one row of B and C to the next
	follow Moved
	clash  int64 // found in L2 while their set of L1 was full of others that had come just before
	missed []int // the sets of what came from L2 at last
	oldest int   // of them
	seen   [operands]Moved
	all    [operands]int64
}

const (
	ofA = iota
	ofB
	ofC
	operands
)

// recent is how many times the ways of a set the lines are that count as having come just
// before. Rows that are half of a way apart take turns in two sets.
const recent = 4

// newFlow is for one product of a k-row B of so many bytes a row in panels of so many
// bytes, and for groups that take bytes in all and make visits to rows of C. Rows are
// pitch bytes apart, which is width unless B is copied.
func newFlow(on *Machine, m, k, width, panel, pitch int, nnz, visits, bytes int64) *flow {
	f := &flow{narrow: 1, panels: runs.CeilDiv(width, panel), pitch: pitch}
	panel = min(width, runs.CeilDiv(runs.CeilDiv(width, f.panels), line)*line)
	if width < line {
		panel = width
	}
	if panel < line && pitch == width {
		f.narrow = line / panel
	}
	f.bytes = runs.CeilDiv(panel, line) * line
	f.b, f.c = runs.CeilDiv(k, f.narrow), runs.CeilDiv(m, f.narrow)
	f.a = int(bytes/int64(f.bytes)) + 1
	l1 := on.Caches[machine.L1]
	sets := max(1, l1.Size/(l1.Ways*line))
	f.sets = max(1, sets*line/f.bytes)
	f.sampler = newSampler(f.objects(f.panels)+int64(f.a), int64(f.panels)*(nnz+visits+int64(f.a)), shape{f.sets, [machine.Memory]int{
		max(1, l1.Size/f.bytes/f.sets),
		max(1, (on.size(machine.L2)-l1.Size)/f.bytes),
		max(1, (on.size(machine.L3)-on.size(machine.L2))/f.bytes)}})
	f.missed = slices.Repeat([]int{-1}, recent*l1.Ways)
	return f
}

// objects returns how many lines of B and C the panels before one have.
func (f *flow) objects(panel int) int64 { return int64(panel) * int64(f.b+f.c) }

func (f *flow) note(of int, object, address int64) (level int) {
	f.all[of]++
	l := f.touch(object, f.set(address))
	if l >= 0 {
		f.seen[of][l]++
	}
	return l
}

// set returns the set of L1 that an address belongs to.
func (f *flow) set(address int64) int { return int(address / int64(f.bytes) % int64(f.sets)) }

// row reads row j of B.
func (f *flow) row(j int32) {
	j /= int32(f.narrow)
	object, address := f.objects(f.panel)+int64(j), int64(j)*int64(f.pitch*f.narrow)+int64(f.panel*f.bytes)
	l := f.note(ofB, object, address)
	if l > machine.L1 && f.shift == 0 && j > 0 && f.cache.at[object-1] == machine.L1 {
		f.follow[l]++
	}
	if l == machine.L2 && f.shift == 0 {
		set := f.set(address)
		if f.comes(set) >= len(f.missed)/recent {
			f.clash++
		}
		f.missed[f.oldest], f.oldest = set, (f.oldest+1)%len(f.missed)
	}
}

// comes returns how often a set is among those that something came to at last.
func (f *flow) comes(set int) (n int) {
	for _, s := range f.missed {
		if s == set {
			n++
		}
	}
	return n
}

// out updates or stores row i of C.
func (f *flow) out(i int) {
	i /= f.narrow
	f.note(ofC, f.objects(f.panel)+int64(f.b+i), int64(i)*int64(f.pitch*f.narrow)+int64(f.panel*f.bytes))
}

// read reads the next n bytes of A.
func (f *flow) read(n int) {
	bytes := int64(f.bytes)
	for end := f.at + int64(n); f.at < end; {
		o := f.at / bytes
		if f.at == f.from || f.at%bytes == 0 {
			o := min(o, int64(f.a-1))
			f.note(ofA, f.objects(f.panels)+o, o*bytes)
		}
		f.at = min(end, (o+1)*bytes)
	}
}

// forget counts anew; what is in the caches stays there.
func (f *flow) forget() {
	f.seen, f.all, f.follow, f.clash = [operands]Moved{}, [operands]int64{}, Moved{}, 0
}

// moved returns what an operand moved, n bytes an access.
func (f *flow) moved(of int, n int64) Moved {
	return f.estimate(f.seen[of], f.all[of]).times(n)
}

// traffic sends the product of the groups with k rows of B of width bytes through
// the caches, in the order of the loops of their formats. Caches that hold more than
// all operands are warm: a product is rarely the only one.
func (p *plan) traffic(on *Machine, m, k, width, size int) Traffic {
	var visits, slots, bytes int64
	for _, z := range p.parts {
		visits += z.visits
		slots += z.slots
		bytes += z.bytes + int64(size)*z.slots
		if z.updates {
			visits += int64(m)
		}
	}
	first := &p.parts[0]
	kern := kernelsFor(on.Of(on.ISA), size)
	copied, pitch := true, width
	switch first.order {
	case byBlocks:
		vectors := runs.CeilDiv(width, kern.lane)
		pitch = max(runs.CeilDiv(vectors, runs.CeilDiv(vectors, kern.vectors(first)))*kern.lane, 1)
	case byWeights:
		pitch = tiling.PrunedPitch
	default:
		copied = false
	}
	f := newFlow(on, m, k, width, kern.panel(first), pitch, slots, visits, bytes)
	stream := p.streams(on, m, k, width)
	product := func() {
		f.from = 0
		for g, z := range p.parts {
			for f.panel = range f.panels {
				f.at = f.from
				switch {
				case g > 0:
				case z.updates:
					for i := 0; i < m; i += f.narrow {
						f.out(i)
					}
				case z.clears(m):
					f.gaps(p.groups[g].Set, m)
				}
				f.group(p.groups[g], &z, size, stream)
			}
			f.from += z.bytes + int64(size)*z.slots
		}
	}
	product()
	total := f.objects(f.panels) * int64(f.bytes)
	if total+bytes <= 2*int64(on.size(machine.L3)) {
		f.forget()
		product()
	}
	n := int64(f.bytes)
	t := Traffic{A: f.moved(ofA, n), B: f.moved(ofB, n), C: f.moved(ofC, 2*n)}
	t.Conflicts[machine.L2] = f.clash * n
	t.Follows = f.follow.times(n)
	if stream {
		t.C = Moved{machine.Memory: int64(m) * int64(width)}
	}
	if copied {
		whole := int64(f.panels) * int64(f.b) * n
		t.Copy[on.Holds(float64(total+bytes+whole))] = 2 * whole // again and again, one after the other
	}
	p.lines = f.bytes / line
	return t
}

// streams reports whether C is stored past the caches, as kernels for compressed rows do
// if they fetch rows of B early.
func (p *plan) streams(on *Machine, m, k, width int) bool {
	return len(p.parts) == 1 && p.parts[0].plain && tiling.StoresPast(&on.Machine, int64(m)*int64(width)) &&
		fetches(on, k, width) && width%on.Of(on.ISA).Vector == 0 && on.ISA != "go"
}

// fetches reports whether kernels for compressed rows prefetch rows of B. The order of
// additions depends on it, so it is decided with the reference.
func fetches(on *Machine, k, width int) bool {
	return tiling.FetchesRows(machine.Reference(on.ISA), int64(k)*int64(width))
}

// gaps clears the rows of C between those of s.
func (f *flow) gaps(s runs.Set, m int) {
	next := 0
	for r := range s.First {
		for ; next < s.Row(r); next++ {
			f.out(next)
		}
		next = s.Row(r) + 1
	}
	for ; next < m; next++ {
		f.out(next)
	}
}

// group sends one part through, a panel of it.
func (f *flow) group(g group, z *footprint, size int, stream bool) {
	s := g.Set
	perSlot, perVisit := size+4, 4
	switch z.order {
	case byBlocks:
		f.blocks(s, z, size)
		return
	case byWeights:
		f.weights(s, z, size)
		return
	case byColumns:
		s = s.Transposed()
		for j, first := range s.First {
			f.read(perVisit)
			if first < s.Last[j] {
				f.row(int32(j))
			}
			f.read(perSlot * int(s.Last[j]-first))
			for _, i := range s.Columns[first:s.Last[j]] {
				f.out(int(i))
			}
		}
		return
	}
	if z.diagonals != nil {
		perSlot = size
	}
	if s.NNZ > 0 && z.slots > int64(s.NNZ) {
		perSlot = int(int64(perSlot) * z.slots / int64(s.NNZ)) // padding is read, too
	}
	for r, first := range s.First {
		f.read(perVisit + perSlot*int(s.Last[r]-first))
		for _, j := range s.Columns[first:s.Last[r]] {
			f.row(j)
		}
		if !stream {
			f.out(s.Row(r))
		}
	}
}
