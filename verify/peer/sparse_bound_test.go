package peer_test

import (
	"time"

	"github.com/tilesmith/tilesmith/cpu"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// rates is what the machine can do at most: operations/s from registers, and bytes/s of
// reading from each cache and of copying what none holds.
type rates struct{ flops, l1, l2, l3, copying float64 }

// look measures all but copying, which is an entrant like others, and keeps the best.
func (r *rates) look() {
	isa := cpu.ISAs()[0]
	l1, l2, l3 := machine.This().Room()
	const d = 10 * time.Millisecond
	r.flops = max(r.flops, roof.FMA(isa, dtype.F32, d/4))
	r.l1 = max(r.l1, roof.Read(isa, l1/2, d))
	r.l2 = max(r.l2, roof.Read(isa, l2*3/4, d))
	r.l3 = max(r.l3, roof.Read(isa, l3/2, d))
}

// roofline is the least time of so many operations with so many bytes to and from
// memory.
func (r *rates) roofline(flops float64, t advise.Moved) float64 {
	return max(flops/r.flops, float64(t[machine.Memory])/r.copying)
}

// levels is the least time if bytes of every cache count as well, and what it is the
// time of.
func (r *rates) levels(flops float64, t advise.Moved) (seconds float64, of string) {
	bytes := float64(t[machine.Memory])
	seconds, of = bytes/r.copying, "memory"
	for _, x := range []struct {
		of   string
		more int64
		rate float64
	}{{"L3", t[machine.L3], r.l3}, {"L2", t[machine.L2], r.l2}, {"L1", t[machine.L1], r.l1}} {
		bytes += float64(x.more)
		if s := bytes / x.rate; s > seconds {
			seconds, of = s, x.of
		}
	}
	if s := flops / r.flops; s > seconds {
		seconds, of = s, "flops"
	}
	return seconds, of
}
