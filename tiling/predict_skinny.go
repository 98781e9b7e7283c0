package tiling

import (
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Products with few rows or columns read the big operand once, in the order of addresses,
// and prefetch it long before they multiply by it. So multiply-adds and memory work at the
// same time, and the slower of the two decides. That is the first for eight rows on most
// cores and the second for one.

// wide adds the cost of wide kernels, which go along KC rows of the big operand at a
// time, and keep the sums of a chunk in L1 meanwhile.
func (p *Plan) wide(m *machine.Machine, u *machine.Units, b *bill) {
	kb, vecs := float64(p.kblocks()), float64(ceilDiv(p.Long, p.VL))
	for _, r := range p.Rows.sizes() {
		if r.size*r.count == 0 {
			continue
		}
		tiles := vecs / float64(p.Tile) * float64(r.count)
		p.steps(m, u, &b.kernel, r.size, p.Tile, tiles*float64(p.K))
		// A tile fetches its sums and stores them after each k-block.
		sums := float64(r.size * p.Tile * p.VL * p.Size)
		b.kernel[cost.Overhead] += tiles * kb * (sums/m.Caches[machine.L1].Write + sums/m.Caches[machine.L1].Read + m.Tail/m.Clock)
	}
	p.big(m, b)
	// Groups of the small side but the first find a block of the big operand in L2.
	size, k, long, groups := float64(p.Size), float64(p.K), float64(p.Long), float64(p.Rows.Count)
	chunks := float64(ceilDiv(p.Long, max(1, p.Chunk)))
	b.apart[cost.Overhead] += chunks * kb * groups * callCycles / m.Clock
	b.stream(m, long*k*size*(groups-1), long/chunks*k/kb*size, pattern{})
	if p.Columns { // the sums are a transpose of what is wanted
		b.apart[cost.Overhead] += float64(p.M) * float64(p.N) * scatterCycles / m.Clock
	}
}

// dot adds what dot kernels take, whose lanes are along k. A tile's sums are vectors that
// are loaded and stored for each k-block, and whose lanes are joined once. The loads and
// stores overlap with steps of neighbouring tiles.
func (p *Plan) dot(m *machine.Machine, u *machine.Units, b *bill) {
	size, kb := float64(p.Size), float64(p.kblocks())
	small, k, long := float64(p.Rows.total()), float64(p.K), float64(p.Long)
	steps := float64(ceilDiv(ceilDiv(p.K, p.kblocks()), p.VL))
	tiles, strips := long/float64(p.Tile), float64(ceilDiv(p.Long, max(1, p.Strip)))
	for _, r := range p.Rows.sizes() {
		if r.size*r.count == 0 {
			continue
		}
		n := tiles * float64(r.count) * kb
		step := p.steps(m, u, &b.kernel, p.Tile, r.size, n*steps)
		stores := float64(p.Tile*r.size) / u.Stores / m.Clock
		b.kernel[cost.Overhead] += n * (max(0, stores-steps*step) + m.Tail/m.Clock)
		calls := tiles // one for all groups of a tile, or for all tiles of the one group
		if r.count == 1 {
			calls = strips
		}
		b.apart[cost.Overhead] += calls * kb * callCycles / m.Clock
	}
	b.apart[cost.Overhead] += small * long * joinShuffles / u.Shuffle / m.Clock
	p.big(m, b)
	// A k-block of the small operand is in L1 for the tiles of a strip, and comes again
	// for the next strip.
	little := small * k * size
	b.stream(m, little*strips, little+2*float64(p.Strip)*k*size, pattern{})
	b.stream(m, little*(tiles-strips), little/kb, pattern{})
	if p.CopyLittle {
		p.copied(m, u, b, small*k, 1, p.Size, little, little, ByColumns, pattern{})
	}
}

// big adds what both kinds read and write. The big operand is fetched a block ahead, in
// the order of addresses.
func (p *Plan) big(m *machine.Machine, b *bill) {
	size := float64(p.Size)
	small, k, long := float64(p.Rows.total()), float64(p.K), float64(p.Long)
	all := small*k*size + long*k*size + small*long*float64(p.SizeC)
	b.stream(m, long*k*size, all, pattern{})
	pattern{}.moves(&b.results, m, small*long*float64(p.SizeC), all, writes)
}

// portable adds what the code in Go takes: it keeps the ceiling of compiled Go busy,
// which is far below what caches deliver.
func (p *Plan) portable(m *machine.Machine, b *bill) {
	b.kernel[cost.FMA] += 2 * float64(p.M) * float64(p.N) * float64(p.K) / m.Ceiling(p.ISA, p.Size)
	b.stream(m, p.Bytes(), p.Bytes(), pattern{})
}
