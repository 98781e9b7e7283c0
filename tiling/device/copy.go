package device

import (
	"github.com/tilesmith/tilesmith/tiling/cost"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

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
	bytes := elements * (read + written)
	work := cost.Move(machine.L2, bytes)
	if bytes > d.L2/2 {
		work.Bytes[machine.Memory] = bytes
	}
	work.Launches = 1
	r.Spent = work.On(d.rates())
	r.Spent[cost.Issue] = elements / 32 * copyInstructions / schedulers / float64(d.SMs) * d.second()
	r.Spent[cost.Latency] = 2 * d.Latency * d.second() // there and back
	r.Seconds = norm(r.Spent[cost.Issue], r.Spent[cost.L2], r.Spent[cost.Memory]) + r.Spent[cost.Latency] + r.Spent[cost.Launch]
	return r
}
