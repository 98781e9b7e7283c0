package sweep

import (
	"cmp"
	"math"
)

// A Result is one point. Speeds are medians of several runs. Either Mismatch or Skipped
// says why there are none, or they are there.
type Result struct {
	Kernel  string `json:"kernel"`
	Package string `json:"package,omitempty"`
	Family  string `json:"family"`
	Types   string `json:"types"`
	Point

	Mismatch string `json:"mismatch,omitempty"` // what is wrong and where: nothing was timed
	Skipped  string `json:"skipped,omitempty"`  // why there is no such point

	Seconds   float64   `json:"seconds"`              // of a call
	Samples   []float64 `json:"samples"`              // of all runs
	Calls     int       `json:"calls"`                // timed in each run
	Spread    float64   `json:"spread"`               // of the samples, between their quartiles: 0.02 is two percent of the median
	GFLOPS    float64   `json:"gflops"`               // 10^9 floating-point operations a second, two a multiply-add
	Ceiling   float64   `json:"ceiling"`              // GFLOP/s of products from registers, measured beside it
	CeilingBy string    `json:"ceiling_by,omitempty"` // the instructions: FMA, or a dot product of narrow elements
	Share     float64   `json:"share"`                // of the ceiling: 0.93
	Bytes     float64   `json:"bytes"`                // read and written at least
	Intensity float64   `json:"intensity"`            // flop a byte
	// Bound is what ceiling and memory allow at most, in GFLOP/s, and Binding says
	// which of them: CeilingBy, L1, L2, L3 or memory.
	Bound   float64 `json:"bound"`
	Binding string  `json:"binding"`

	// Predicted is what the model says, in GFLOP/s; 0: it has nothing to say.
	Predicted float64 `json:"predicted,omitempty"`
	Because   string  `json:"because,omitempty"` // the resource that binds in the model

	Peers []PeerResult `json:"peers,omitempty"`
}

// A PeerResult is a library at the same point, on the same memory, in turns with ours.
type PeerResult struct {
	Name    string    `json:"name"`
	ISA     string    `json:"isa,omitempty"`   // that the library's code is written for; "" if that is not known
	Error   string    `json:"error,omitempty"` // it did not match, and was not timed
	Seconds float64   `json:"seconds"`
	Samples []float64 `json:"samples,omitempty"`
	Calls   int       `json:"calls,omitempty"`
	GFLOPS  float64   `json:"gflops"`
	Ratio   float64   `json:"ratio"` // our speed over its
}

// Timed reports whether the point was right, and timed.
func (r *Result) Timed() bool { return r.Mismatch == "" && r.Skipped == "" }

// measured enters the medians.
func (r *Result) measured(t times, p *Problem) {
	r.Samples, r.Calls = t.seconds[0], t.reps[0]
	r.Seconds, r.Spread = median(r.Samples), spread(r.Samples)
	r.GFLOPS = finite(p.Flops / r.Seconds / 1e9)
	r.Ceiling = median(t.ceilings) / 1e9
	r.Share = finite(r.GFLOPS / r.Ceiling)
	r.Bytes = float64(p.Bytes())
	r.Intensity = finite(p.Flops / r.Bytes)
}

// finite returns x, or 0 for what JSON cannot write.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// roofline enters the bound: the ceiling, or what comes from the level of memory that
// holds all operands, whichever is lower. Every core is taken to have a bandwidth of its
// own, which for shared levels is generous.
func (r *Result) roofline(m *Machine) {
	r.Bound, r.Binding = r.Ceiling, cmp.Or(r.CeilingBy, "FMA")
	for _, l := range m.Levels {
		if l.Holds > 0 && r.Bytes > float64(l.Holds) {
			continue
		}
		if b := r.Intensity * l.Read * float64(r.Threads); b < r.Bound {
			r.Bound, r.Binding = b, l.Name
		}
		return
	}
}

// PredictionError is how far the prediction is off: |predicted/measured - 1|.
func (r *Result) PredictionError() float64 { return math.Abs(r.Predicted/r.GFLOPS - 1) }
