package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
)

// Style is how a dense product takes what its epilogue reads and writes.
type Style struct{}

func (Style) Output(p *unit.Param) {
	p.Type, p.Bind = matrix(p.Elem), fmt.Sprintf("epilogue.Out(&$e, %q, %s)", p.Name, p.Name)
}

func (Style) Unstored() string { return "epilogue.Unstored(&$e)" }

func (Style) Operand(p *unit.Param, pattern gemm.Pattern) {
	p.Type = OperandType(p.Elem, pattern)
	p.Bind = Bind("epilogue."+pattern.String(), p)
}

func (Style) Reduction(p *unit.Param, r gemm.Reduce) { Reduction(p, r) }

// OperandType is the type of a parameter for an operand of elements of type elem.
func OperandType(elem string, pattern gemm.Pattern) string {
	switch pattern {
	case gemm.FullPattern:
		return matrix(elem)
	case gemm.ScalarPattern:
		return elem
	}
	return "[]" + elem
}

// Bind is the statement that hands an operand to an epilogue by a function of the run time.
func Bind(function string, p *unit.Param) string {
	if strings.HasSuffix(function, "Scalar") {
		return fmt.Sprintf("%s(&$e, %s)", function, p.Name)
	}
	return fmt.Sprintf("%s(&$e, %q, %s)", function, p.Name, p.Name)
}

// Reduction fills in a parameter that receives a reduction of the CPU run time.
func Reduction(p *unit.Param, r gemm.Reduce) {
	elem, of := p.Elem, ""
	if r.Op.Arg() {
		elem, of = "int32", "["+p.Elem+"]"
	}
	p.Type, p.Step = "[]"+elem, r.Step(p.Slot, p.Of)
	p.Bind = fmt.Sprintf("epilogue.%s%s%s(&$e, %q, %s)", r.Side(), r.Op, of, p.Name, p.Name)
	if p.Best > 0 {
		p.Bind = fmt.Sprintf("epilogue.BestOf(&$e, %q, %s, %d)", p.Name, p.Name, p.Best)
	}
	p.Elem = elem
}
