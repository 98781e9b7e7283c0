package sparse

// Moved is bytes by the nearest level that has them.
type Moved struct{ L1, L2, L3, Memory int64 }

// Traffic is what one product moves. C counts what is read and what is written.
type Traffic struct{ A, B, C Moved }

// Sum is the traffic of all operands.
func (t Traffic) Sum() Moved {
	return Moved{t.A.L1 + t.B.L1 + t.C.L1, t.A.L2 + t.B.L2 + t.C.L2, t.A.L3 + t.B.L3 + t.C.L3, t.A.Memory + t.B.Memory + t.C.Memory}
}

// flow is the accesses of a product, as they go through the caches. The columns of B
// and C are worked through in panels of at most as many vectors as registers hold, so
// what is near or far is a row of a panel. Objects are, for each panel, the rows of B
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
	seen   [operands][levels]int64
	all    [operands]int64
}

const (
	ofA = iota
	ofB
	ofC
	operands
)

// newFlow is for one product of a k-row B of so many bytes a row, and groups that
// take bytes in all and make visits to rows of C.
func newFlow(on Machine, m, k, width int, nnz, visits, bytes int64) *flow {
	f := &flow{narrow: 1}
	vectors := ceilDiv(width, on.Vector)
	f.panels = ceilDiv(vectors, on.Panel)
	panel := min(width, ceilDiv(vectors, f.panels)*on.Vector)
	if panel < line {
		f.narrow = line / panel
	}
	f.bytes = ceilDiv(panel, line) * line
	f.b, f.c = ceilDiv(k, f.narrow), ceilDiv(m, f.narrow)
	f.a = int(bytes/int64(f.bytes)) + 1
	l1 := on.Caches.L1 / f.bytes
	l2 := (on.Caches.L2 - on.Caches.L1) / f.bytes
	l3 := (on.Caches.L3 - on.Caches.L2) / f.bytes
	f.sampler = newSampler(f.objects(f.panels)+int64(f.a), int64(f.panels)*(nnz+visits+int64(f.a)), [inMemory]int{max(1, l1), max(1, l2), max(1, l3)})
	return f
}

// objects returns how many lines of B and C the panels before one have.
func (f *flow) objects(panel int) int64 { return int64(panel) * int64(f.b+f.c) }

func (f *flow) note(of int, object int64) {
	f.all[of]++
	if l := f.touch(object); l >= 0 {
		f.seen[of][l]++
	}
}

// row reads row j of B.
func (f *flow) row(j int32) {
	f.note(ofB, f.objects(f.panel)+int64(uint32(j)/uint32(f.narrow)))
}

// out updates or stores row i of C.
func (f *flow) out(i int) { f.note(ofC, f.objects(f.panel)+int64(f.b+i/f.narrow)) }

// read reads the next n bytes of A.
func (f *flow) read(n int) {
	bytes := int64(f.bytes)
	for end := f.at + int64(n); f.at < end; {
		o := f.at / bytes
		object := f.objects(f.panels) + min(o, int64(f.a-1))
		if f.at == f.from || f.at%bytes == 0 {
			f.note(ofA, object)
		}
		f.at = min(end, (o+1)*bytes)
	}
}

// forget counts anew; what is in the caches stays there.
func (f *flow) forget() {
	f.seen, f.all = [operands][levels]int64{}, [operands]int64{}
}

// moved returns what an operand moved, n bytes an access.
func (f *flow) moved(of int, n int64) Moved {
	x := f.estimate(f.seen[of], f.all[of])
	return Moved{x[inL1] * n, x[inL2] * n, x[inL3] * n, x[inMemory] * n}
}

// traffic sends the product of the groups with k rows of B of width bytes through
// the caches, in the order of the loops of their formats. Caches that hold more than
// all operands are warm: a product is rarely the only one.
func traffic(on Machine, m, k, width, size int, groups []Group, sizes []footprint) Traffic {
	var visits, slots, bytes int64
	for _, z := range sizes {
		visits += z.visits
		slots += z.slots
		bytes += z.bytes + int64(size)*z.slots
	}
	f := newFlow(on, m, k, width, slots, visits, bytes)
	stream := len(groups) == 1 && sizes[0].plain && int64(m)*int64(width) > 2*int64(on.Caches.L3) && width%on.Vector == 0
	product := func() {
		f.from = 0
		for g, z := range sizes {
			for f.panel = range f.panels {
				f.at = f.from
				f.group(groups[g], z, size, stream)
			}
			f.from += z.bytes + int64(size)*z.slots
		}
	}
	product()
	if total := int64(f.panels) * int64(f.b+f.c) * int64(f.bytes); total+bytes <= 2*int64(on.Caches.L3) {
		f.forget()
		product()
	}
	n := int64(f.bytes)
	t := Traffic{A: f.moved(ofA, n), B: f.moved(ofB, n), C: f.moved(ofC, 2*n)}
	if stream {
		t.C = Moved{Memory: int64(m) * int64(width)}
	}
	return t
}

// group sends one part through, panel by panel.
func (f *flow) group(g Group, z footprint, size int, stream bool) {
	s := g.Structure
	perSlot, perVisit := size+4, 4
	switch z.order {
	case byBlocks:
		f.blocks(s, z.block, size)
		return
	case byDiagonals:
		f.diagonals(z.diagonals, s.m, s.n, size)
		return
	case byColumns:
		s = s.transposed()
		for j, first := range s.first {
			f.read(perVisit)
			if first < s.last[j] {
				f.row(int32(j))
			}
			f.read(perSlot * int(s.last[j]-first))
			for _, i := range s.columns[first:s.last[j]] {
				f.out(int(i))
			}
		}
		return
	}
	if s.nnz > 0 && z.slots > int64(s.nnz) {
		perSlot = int(int64(perSlot) * z.slots / int64(s.nnz)) // padding is read, too
	}
	for r, first := range s.first {
		f.read(perVisit + perSlot*int(s.last[r]-first))
		for _, j := range s.columns[first:s.last[r]] {
			f.row(j)
		}
		if !stream {
			f.out(s.row(r))
		}
	}
}
