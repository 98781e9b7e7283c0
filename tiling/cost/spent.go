package cost

import (
	"fmt"
	"math"
	"strings"

	"github.com/tilesmith/tilesmith/tiling/machine"
)

// A Resource is what work waits for.
type Resource uint8

// The resources. A model has some of them, and says what it counts under each.
const (
	FMA          Resource = iota // multiply-adds of a core, or what does for them
	Tensor                       // the units of a device that multiply
	Instructions                 // the busiest unit of a core, whichever that is
	Loads                        // loads of a core
	Issue                        // slots for instructions
	Shared                       // the banks of shared memory
	Latency                      // results that are not there yet
	L1                           // bytes by level, like those of package machine
	L2
	L3
	Memory
	Pages    // looking up pages
	Packing  // instructions that copy operands
	Jumps    // those that are not foreseen, and addresses
	Calls    // of kernels
	Overhead // calls, and the beginning and end of a tile
	Epilogue // its instructions
	Waves    // multiprocessors without a tile
	Launch   // of kernels on a device
	Messages // of ranks
	Measured // work that was measured, or that another model knows
	Resources
)

func (r Resource) String() string {
	return [...]string{"fma", "tensor", "instructions", "loads", "issue", "shared", "latency", "L1", "L2", "L3", "memory", "pages",
		"packing", "jumps", "calls", "overhead", "epilogue", "waves", "launch", "messages", "measured"}[r]
}

// Of returns the resource that is a level of package machine.
func Of(level int) Resource { return L1 + Resource(level) - machine.L1 }

// Spent is seconds by resource.
type Spent [Resources]float64

// Total returns the seconds of all resources, one after another.
func (s *Spent) Total() (seconds float64) {
	for _, x := range s {
		seconds += x
	}
	return seconds
}

// Most returns the resource that takes longest.
func (s *Spent) Most() Resource { return Resource(Slowest(s[:])) }

// Add adds a part of other seconds.
func (s *Spent) Add(t *Spent, part float64) {
	for r, x := range t {
		s[r] += part * x
	}
}

// Beside adds work that goes on at the same time, as [Beside] does. What shows of the shorter is as much of
// each of its resources.
func (s *Spent) Beside(t *Spent, shown float64) {
	a, b := 0.0, 0.0
	for r := range s {
		a += s[r]
		b += t[r]
	}
	if a >= b {
		s.Add(t, shown)
		return
	}
	for r := range s {
		s[r] *= shown
	}
	s.Add(t, 1)
}

// Beside returns the seconds of two works that go on at the same time. The longer counts whole, and of the
// shorter the part that shows: nothing if they never wait for each other, and all if one comes after
// the other.
func Beside(x, y, shown float64) float64 { return max(x, y) + float64(shown*min(x, y)) }

// Norm returns the seconds of works that go on at the same time and are in each other's way the more,
// the closer they are: the p-norm, which is their sum for a p of 1 and the longest for a large one.
func Norm(p float64, xs ...float64) float64 {
	most := 0.0
	for _, x := range xs {
		most = max(most, x)
	}
	if most == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range xs {
		sum += math.Pow(x/most, p)
	}
	return most * math.Pow(sum, 1/p)
}

// A Prediction is how long work should take.
type Prediction struct {
	Seconds float64
	// Spent adds up to Seconds if parts of the work follow one another. On a device, whose parts go on at the
	// same time, it is what each would take alone.
	Spent   Spent
	Flops   float64
	Ceiling float64 // flop/s of what works on it and does nothing else; 0 if that is not said
}

// Predict returns the prediction of parts that follow one another.
func Predict(parts Spent, flops, ceiling float64) Prediction {
	return Prediction{parts.Total(), parts, flops, ceiling}
}

// Rate returns the flop/s; 0 of nothing.
func (p *Prediction) Rate() float64 {
	if p.Seconds == 0 {
		return 0
	}
	return p.Flops / p.Seconds
}

// Share returns the part of the ceiling that is reached.
func (p *Prediction) Share() float64 { return over(p.Rate(), p.Ceiling) }

// Bound returns the resource that takes longest.
func (p *Prediction) Bound() Resource { return p.Spent.Most() }

// Because says what takes at least a hundredth of the time, longest first and so many at most: "fma 81 %, L2 7 %".
func (p *Prediction) Because(most int) string {
	list := make([]Resource, 0, Resources)
	for r := range Resources {
		if 100*p.Spent[r] >= p.Seconds && p.Spent[r] > 0 {
			list = append(list, r)
		}
	}
	SortBy(list, func(r Resource) float64 { return -p.Spent[r] })
	var text []string
	for _, r := range list[:min(most, len(list))] {
		text = append(text, fmt.Sprintf("%v %.0f %%", r, 100*p.Spent[r]/p.Seconds))
	}
	return strings.Join(text, ", ")
}
