package simd

import (
	"fmt"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// Style is how a dense product takes what its epilogue reads and writes.
type Style struct{}

func (Style) Output(p *unit.Param) {
	p.Type, p.Bind = matrix(p.Elem), fmt.Sprintf("epilogue.Out(&$e, %q, %s)", p.Name, p.Name)
}

func (Style) Unstored() string { return "epilogue.Unstored(&$e)" }

func (Style) Operand(p *unit.Param, pattern gemm.Pattern) {
	p.Type = OperandType(p.Elem, pattern, matrix)
	p.Bind = Bind("epilogue."+pattern.String(), p)
}

func (Style) Reduction(p *unit.Param, r gemm.Reduce) { Reduction(p, r) }

// OperandType is the type of a parameter for an operand, if matrix is that of matrices.
func OperandType(elem string, pattern gemm.Pattern, matrix func(string) string) string {
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

// fusedEntry are the functions that a user calls of a product with an epilogue.
func (p *product) fusedEntry() []unit.Decl {
	shapes, rows, cols := ", b is k x n and out is m x n", "out.Rows", "out.Cols"
	if p.Fusion.Unstored {
		shapes, rows, cols = " and b is k x n", "a.Rows", "b.Cols"
	}
	sums := "[dense.Gemm] for rounding and NaN"
	if p.Elem == dtype.I32 {
		sums = "[dense.Gemm] for sums of integers"
	}
	doc := fmt.Sprintf("computes %s for each element of the product, where a is m x k%s, each with any strides. %s",
		p.Fusion.Formula(p.callee.Expr, "out", p.Fusion.Product()), shapes, p.Fusion.About("m", "n")) + "\n" +
		"It panics with a [layout.ShapeError], before an element is read, if shapes or lengths do not agree, a slice is too short, " +
		"two elements of an output share a place, or an output shares memory with anything else. See " + sums + "." + p.shapeDoc()
	doc += p.structureDoc()
	epilogue := fmt.Sprintf("$e := epilogue.New($name, %s, %s)\n$binds\n", rows, cols)
	ds := p.api.Calls(doc, "threads, a forced ISA", "", epilogue+fmt.Sprintf("dense.Fuse(%s, &$opt, &$e, &a, &b)", p.fusedCall()))
	if p.Structure.B == gemm.General { // a symmetric b is packed from its triangle in every call
		ds = append(ds, p.pack("Fused"))
	}
	ds = append(ds, unit.Var{Name: p.v + "Fused", Value: p.set("Shape", p.shapeField(), "Variants", unit.Expr(p.v+"Variants"),
		"Epilogue", unit.Expr(p.v+"Epilogue"), "ColumnSums", p.Fusion.Zeros.A != "")})
	return append(ds, p.group("", fmt.Sprintf("%s := %s\n%sdense.Fuse(%s, &$opt, &$e, &a, &b)", unit.Names(p.api.Params), unit.Fields(p.api.Params, "$p"), epilogue, p.fusedCall("Group: $g")))...)
}

// fusedCall is the literal of a [dense.Call] of the product, with more fields.
func (p *product) fusedCall(fields ...string) string {
	if is := p.structureField("dense."); is != "" {
		fields = append(fields, "Structure: "+string(is))
	}
	return p.call("Fused", fields...)
}

// fusedOracle checks every variant, and the epilogue's Go form, with both oracles.
func (p *product) fusedOracle() *unit.Oracle {
	mr, nr := p.tile()
	only, inBlocks, shape, kc := unit.Expr(""), unit.Expr(""), p.Shape, tiling.KCMax
	if p.reduces() {
		mr, nr, shape, kc = p.Blocking.MR, p.Blocking.NV*p.Blocking.VL, p.reducedOnly(), p.Shape.K
		if p.isOpen() {
			kc = openCols
		}
		inBlocks = unit.Expr(p.reduceText("check"))
	}
	if shape != (gemm.Shape{}) {
		only = unit.Expr(shapeText("check", shape))
	}
	c := unit.Lit{Type: "check.Case", Fields: unit.Fused(p.Name, p.callee, [3]string{p.A.Go(), p.B.Go(), p.Elem.Go()}, p.api.Params)}.With(
		unit.Field{Name: "MR", Value: unit.Expr(fmt.Sprint(mr))}, unit.Field{Name: "NR", Value: unit.Expr(fmt.Sprint(nr))},
		unit.Field{Name: "KC", Value: unit.Expr(fmt.Sprint(kc))}, unit.Field{Name: "Only", Value: only},
		unit.Field{Name: "Blocks", Value: inBlocks}, unit.Field{Name: "Structure", Value: p.structureField("triangle.")},
		unit.Field{Name: "Call", Value: unit.Expr(fmt.Sprintf("func(p *check.Problem) {\n%sOpt(opt, %s)\n}", p.Name, unit.Args(p.api.Params)))})
	return &unit.Oracle{
		ISAs:   p.isas(),
		Checks: []unit.Check{{Doc: every, Body: unit.Run(p.Name)}},
		Bench: unit.Check{Doc: "reports GFLOP/s on one core, the epilogue counted as nothing.",
			Body: fmt.Sprintf("for _, n := range []int{64, 256, 1024} {\ncheck.Bench(b, isa, n, %sCase(run.Options{ISA: isa, Threads: 1}))\n}", p.v)},
		Decls: []unit.Decl{unit.Case(p.Name, c, unit.Param{Name: "opt", Type: "run.Options"})},
	}
}

// every is what a test does.
const every = "checks every variant that this machine runs, and the portable one."
