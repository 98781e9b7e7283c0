package device

import "github.com/tilesmith/tilesmith/tiling/cost"

// copyInstructions is how many instructions a warp has for 32 elements of an operand that it copies
// one by one: half a dozen for four in turn, and a load and a store for each.
const copyInstructions = 4.5

// Copy returns the time of a kernel that copies elements. Each takes read bytes from memory and written bytes
// back to it. A product needs such a copy first if its operands lie as no fast kernel takes them. Data that
// fits into half of the L2 cache goes no further.
func (d *Device) Copy(elements, read, written float64) (r Prediction) {
	if !(elements > 0) {
		return r
	}
	second := 1 / (d.Clock * 1e6)
	bytes := elements * (read + written)
	r.Terms[Issue] = elements / 32 * copyInstructions / schedulers / float64(d.SMs) * second
	r.Terms[L2] = bytes / d.L2Clock * second
	if bytes > d.L2/2 {
		r.Terms[DRAM] = bytes / (copied * d.DRAM)
	}
	r.Terms[Latency] = 2 * d.Latency * second // there and back
	r.Terms[Launch] = fitted.launch
	r.Seconds = norm(r.Terms[Issue], r.Terms[L2], r.Terms[DRAM]) + r.Terms[Latency] + r.Terms[Launch]
	r.rule()
	return r
}

// After is r done behind first: the time of both, and what rules it. All else is r's.
func (r Prediction) After(first Prediction) Prediction {
	r.Seconds += first.Seconds
	for b := range bounds {
		r.Terms[b] += first.Terms[b]
	}
	r.rule()
	return r
}

// rule finds the bound that rules.
func (r *Prediction) rule() { r.Bound = Bound(cost.Slowest(r.Terms[:])) }
