package sweep

import (
	"time"

	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/advise"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/tiling/machine"
	"github.com/tilesmith/tilesmith/verify/roof"
)

// machine is what predictions know of this machine, measured once.
func (s *Session) machine() *machine.Machine {
	if s.Instruments.Machine != nil {
		return s.Instruments.Machine()
	}
	if s.measured == nil {
		s.progress("measuring what predictions start from")
		s.measured = roof.Machine(2 * time.Second)
	}
	return s.measured
}

// predict enters what a model says of a problem, if there is one for it.
func (s *Session) predict(m *Machine, r *Result, p *Problem) {
	switch {
	case p.Plan != nil:
		plan := p.Plan()
		x := plan.Predict(s.machine())
		r.Predicted, r.Because = finite(x.Rate()/1e9), x.Bound().String()
	case p.Expect != nil:
		if seconds, because := p.Expect(m); seconds > 0 {
			r.Predicted, r.Because = finite(p.Flops/seconds/1e9), because
		}
	}
}

// advised is what the model of sparse formats says of a product in compressed rows on
// one core, with the bandwidths of this machine.
func advised[T dtype.Float](a sparse.Matrix[T], n int, isa string) func(m *Machine) (seconds float64, because string) {
	return func(m *Machine) (float64, string) {
		on := advise.MachineFor(isa)
		for _, l := range m.Levels {
			switch l.Name {
			case "L3":
				on.Caches[machine.L3].Read = l.Read * 1e9
			case "memory":
				on.Caches[machine.Memory].Read = l.Read * 1e9
			}
		}
		advice, err := advise.For(a, n, on)
		if err != nil {
			return 0, ""
		}
		for _, c := range advice.Candidates {
			if c.Name == format.CSR.Name && c.Rules == nil && !c.Least {
				return c.Seconds, c.Bound
			}
		}
		return 0, ""
	}
}
