package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/tiling"
)

// mixedOracle checks every variant against the oracles.
func (p *product) mixedOracle() *unit.Oracle {
	mr, nr := p.tile()
	depth, own := 1, "" // what differs between variants
	for _, m := range p.mods {
		depth = max(depth, m.Depth)
		var is []string
		if m.AtOnce > 1 {
			is = append(is, fmt.Sprintf("c.MR, c.NR, c.KC = %d, %d, %d", m.MR, m.NV*m.VL, tiling.KCTiles*m.Depth))
		}
		if m.Op == gemm.BF16Dot || m.Op == gemm.BF16Tiles {
			is = append(is, "c.Flushes = true")
		}
		if m.Op == bf16Square {
			is = append(is, "c.Flushes, c.Odd = true, true")
		}
		if is != nil {
			own += fmt.Sprintf("if isa == %q {\n%s\n}\n", m.Target.Name, strings.Join(is, "\n"))
		}
	}
	types := fmt.Sprintf("[%s, %s, %s, %[3]s]", p.A.Go(), p.B.Go(), p.Elem.Go())
	o := p.Checked(fmt.Sprintf(`c := check.MixedCase%[1]s{
	Name: %[2]q, MR: %[3]d, NR: %[4]d, KC: %[5]d, Threads: true,
	Call: func(threads int, out layout.Matrix[%[6]s], a layout.Matrix[%[7]s], b layout.Matrix[%[8]s]) {
		%[2]sOpt(run.Options{ISA: isa, Threads: threads}, out, a, b)
	},
	Store: func(sum %[6]s) %[6]s { return sum },
}
%[9]scheck.Mixed(t, c)`, types, p.Name, mr, nr, tiling.KCMax*depth, p.Elem.Go(), p.A.Go(), p.B.Go(), unit.OwnHere), unit.Check{})
	o.Own = own
	return o
}
