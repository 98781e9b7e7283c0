package device

import (
	"errors"
	"fmt"
	"math"

	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// Product is Count products of an M x K and a K x N matrix.
type Product struct{ M, N, K, Count int }

func (p Product) flops() float64 {
	return 2 * float64(p.M) * float64(p.N) * float64(p.K) * float64(p.Count)
}

// Split is how CTAs share the steps of K of one product: CTAs of Span steps each, and Parts
// for a tile. The zero value gives each tile a CTA.
type Split struct {
	CTAs, Span int64
	Parts      float64
}

// Prediction is the time of a product. Its Spent is of Tensor, Issue, Shared, L2 and Memory alone, if the work were spread
// over all SMs, and what Waves, Latency and Launch add. Waves are SMs without a tile; Latency is the first tile's way
// into shared memory, barriers, and the epilogue of a CTA that is alone.
type Prediction struct {
	cost.Prediction
	PerSM int     // CTAs that an SM has room for
	Waves float64 // CTAs for each place that there is
}

// After is r done behind first: the time of both, and what it is spent on. All else is r's.
func (r Prediction) After(first Prediction) Prediction {
	r.Seconds += first.Seconds
	r.Spent.Add(&first.Spent, 1)
	return r
}

var errSize = errors.New("sizes must not be negative")

// Predict returns the time of a product by kernel k. It is an error if the device cannot run
// the kernel. The time of any sizes is finite; a product without results takes none.
//
// An SM has c CTAs. Their units, issue slots, banks and its share of the L2 cache work at the
// same time. So a step of BK takes about the longest of
//
//	c*FMAs/rate   c*warps*instructions/4   c*(wavefronts + copied/128)   c*copied/L2
//
// each, and longer if there are fewer warps than schedulers. It takes at least the latency of DRAM over the
// stages that hide it, or the latency of the loads that the loop waits for. Tiles come in waves of c*SMs; in
// the last one SMs have what is left. The first load and the epilogue of a wave are hidden by other CTAs, if
// an SM has some. DRAM delivers at the same time what a wave shares in the L2 cache.
func (d *Device) Predict(k *Kernel, p Product, s Split) (Prediction, error) {
	var r Prediction
	if p.M < 0 || p.N < 0 || p.K < 0 || p.Count < 0 {
		return r, fmt.Errorf("%d products of %d x %d x %d: %w", p.Count, p.M, p.N, p.K, errSize)
	}
	if s != (Split{}) && !(s.CTAs > 0 && s.Span >= 0 && s.Parts >= 0 && s.Parts <= math.MaxInt64) {
		return r, fmt.Errorf("%s: %+v is no split", k.Name, s)
	}
	if k.Unit != Cores && d.Rate[k.Unit] == 0 {
		return r, fmt.Errorf("%s has no units for %v", d.Title, k.Unit)
	}
	if err := k.check(); err != nil {
		return r, err
	}
	r.PerSM = d.perSM(k)
	if r.PerSM == 0 {
		return r, fmt.Errorf("%s has no room for a CTA of %d bytes of shared memory and %d threads of %d registers", d.Title, k.Shared, k.Tile.Threads(), k.registers())
	}
	if p.M == 0 || p.N == 0 || p.Count == 0 {
		return r, nil
	}
	m := model{d: d, k: k, p: p, steps: math.Ceil(float64(p.K) / float64(k.Tile.BK))}
	m.down, m.right = math.Ceil(float64(p.M)/float64(k.Tile.BM)), math.Ceil(float64(p.N)/float64(k.Tile.BN))
	m.tiles = m.down * m.right * float64(p.Count)
	ctas := m.tiles
	if s.CTAs > 0 {
		ctas, m.steps = float64(s.CTAs)*float64(p.Count), float64(s.Span)
	}
	slots := float64(r.PerSM * d.SMs)
	r.Waves = ctas / slots
	m.active = min(ctas, float64(d.SMs))
	full, rest := math.Floor(ctas/slots), math.Mod(ctas, slots)
	places := math.Ceil(rest / float64(d.SMs)) // CTAs of an SM in the last wave
	loop := full*m.steps*m.step(float64(r.PerSM)) + m.steps*m.step(places)
	ends := m.ends() * full
	if places > 0 {
		ends += m.ends()
	}
	second, rates := d.second(), d.rates()
	moved := cost.Move(machine.Memory, m.dram(slots)).On(rates)
	main := norm((loop+ends)*second, moved[cost.Memory])
	r.Flops = p.flops()
	apart := cost.Work{Launches: 1}
	if s.CTAs > 0 && s.Parts > 1 {
		// Sums of parts are written, read, and the tiles ended by a second kernel.
		bytes := m.tiles * s.Parts * float64(k.Tile.BM) * float64(k.Tile.BN) * float64(max(4, k.Sum))
		apart = cost.Work{Launches: 2, Seconds: m.ends() * second}.Plus(cost.Move(machine.L2, 2*bytes))
	}
	extra := cost.Time(apart, rates)
	r.Seconds = main + extra

	// Each bound alone, if the work were spread over all SMs.
	spread := ctas * m.steps / float64(d.SMs) * second
	w := m.work()
	r.Spent = cost.Spent{cost.Tensor: w[0] * spread, cost.Issue: w[1] * spread, cost.Shared: w[2] * spread, cost.L2: w[3] * spread,
		cost.Memory: moved[cost.Memory], cost.Launch: extra, cost.Latency: ends * second}
	even := spread * m.step(float64(r.PerSM)) / float64(r.PerSM)
	r.Spent[cost.Waves] = max(0, loop*second-even)
	r.Spent[cost.Latency] += max(0, even-spread*norm(w[:]...))
	return r, nil
}

// second is what a clock takes.
func (d *Device) second() float64 { return 1 / (d.Clock * 1e6) }

// rates is what the device moves, and the time of a launch.
func (d *Device) rates() (on cost.Machine) {
	on.Launch = fitted.launch
	on.Rates[machine.L2], on.Rates[machine.Memory] = d.L2Clock/d.second(), copied*d.DRAM
	return on
}

// norm is how resources of an SM, and SMs and DRAM, overlap.
func norm(seconds ...float64) float64 { return cost.Norm(fitted.overlap, seconds...) }

// model is a prediction on its way.
type model struct {
	d                         *Device
	k                         *Kernel
	p                         Product
	steps, tiles, down, right float64
	active                    float64 // SMs with a CTA
}

// work returns the clocks that one CTA's step takes of each resource of an SM: units, issue
// slots, banks, L2.
func (m *model) work() [4]float64 {
	k, l := m.k, m.k.Loop
	warps := float64(k.Tile.Warps())
	staged := float64(k.Tile.StageBytes(k.Size))
	w := [4]float64{1: warps * l.Instructions / schedulers, 2: warps*l.Wavefronts + staged/banks, 3: staged / m.d.bytesL2(m.active)}
	if rate := m.d.Rate[k.Unit]; rate > 0 {
		w[0] = warps * l.FMAs / rate
	}
	return w
}

// step returns the clocks of a step of c CTAs on an SM.
func (m *model) step(c float64) float64 {
	if c == 0 {
		return 0
	}
	busy := func(c float64) float64 {
		w := m.work()
		idle := max(1, schedulers/(c*float64(m.k.Tile.Warps())))
		return c * norm(w[0]*idle, w[1]*idle, w[2], w[3])
	}
	wait := m.k.Loop.Waits * m.d.Latency
	if m.k.Tile.Stages < 2 {
		return max(busy(c), busy(1)+m.d.Latency, wait)
	}
	return max(busy(c), wait, m.d.Latency/float64(m.k.Tile.Stages-1))
}

// ends returns the clocks before the first step and behind the last one of a CTA.
func (m *model) ends() float64 {
	k := m.k
	results := float64(k.Tile.BM) * float64(k.Tile.BN)
	return m.d.Latency + results*float64(k.Out)/m.d.bytesL2(m.active) + results*k.End/32/schedulers
}

// dram returns the bytes that DRAM moves. The CTAs of a wave load the rows and columns that they
// cover once. What fits into the L2 cache as a whole is loaded only once.
func (m *model) dram(slots float64) float64 {
	k := m.k
	size, depth := float64(k.Size), float64(m.p.K)
	each := float64(m.p.M)*float64(m.p.N)*float64(k.Out) + (float64(m.p.M)+float64(m.p.N))*depth*size
	all := each * float64(m.p.Count)
	if (float64(m.p.M)+float64(m.p.N))*depth*size < m.d.L2/2 {
		return all
	}
	group := float64(max(1, k.Group))
	cover := min(slots, m.down*m.right)
	group = min(group, m.down)
	right := min(m.right, math.Ceil(cover/group))
	down := min(m.down, math.Ceil(cover/right))
	wave := (down*float64(k.Tile.BM) + right*float64(k.Tile.BN)) * depth * size
	return max(all, m.tiles/cover*wave+float64(m.p.M)*float64(m.p.N)*float64(k.Out)*float64(m.p.Count))
}
