package simd

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/tiling"
)

// fusedEntry are the functions that a user calls of a product with an epilogue.
func (p *product) fusedEntry() []unit.Decl {
	rows, cols := "out.Rows", "out.Cols"
	if p.Fusion.Unstored {
		rows, cols = "a.Rows", "b.Cols"
	}
	sums := "[dense.Gemm] for rounding and NaN"
	if p.Elem == dtype.I32 {
		sums = "[dense.Gemm] for sums of integers"
	}
	doc := "computes " + p.Fusion.Formula(p.Callee.Expr, "out", p.Fusion.Product()) + " for each element of the product, " + p.Fusion.Shapes("each with any strides") +
		"\n" + unit.Panics("shapes or lengths do not agree", unit.Short, "two elements of an output share a place", unit.Overlap) + " See " + sums + "." + p.shapeDoc() + p.structureDoc()
	epilogue := fmt.Sprintf("$e := epilogue.New($name, %s, %s)\n$binds\n", rows, cols)
	ds := p.API.Calls(doc, "threads, a forced ISA", "", epilogue+fmt.Sprintf("dense.Fuse(%s, &$opt, &$e, &a, &b)", p.fusedCall()))
	if p.Structure.B == gemm.General { // a symmetric b is packed from its triangle in every call
		ds = append(ds, p.pack("Fused"))
	}
	ds = append(ds, unit.Var{Name: p.V + "Fused", Value: p.set("Shape", p.shapeField("tiling"), "Variants", unit.Expr(p.V+"Variants"),
		"Epilogue", unit.Expr(p.V+"Epilogue"), "ColumnSums", p.Fusion.Zeros.A != "")})
	return append(ds, p.group("", fmt.Sprintf("%s := %s\n%sdense.Fuse(%s, &$opt, &$e, &a, &b)", unit.Names(p.API.Params), p.API.Fields("$p"), epilogue, p.fusedCall("Group: $g")))...)
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
	only, inBlocks, kc := p.shapeField("check"), unit.Expr(""), tiling.KCMax
	if p.reduces() {
		mr, nr, kc = p.Blocking.MR, p.Blocking.NV*p.Blocking.VL, p.Shape.K
		if p.isOpen() {
			kc = openCols
		}
		only, inBlocks = unit.Expr(shapeText("check", p.reducedOnly())), unit.Expr(p.reduceText("check"))
	}
	return p.Described(p.Fused(p.A.Go(), p.B.Go(), p.Elem.Go()).And(
		"MR", mr, "NR", nr, "KC", kc, "Only", only, "Blocks", inBlocks, "Structure", p.structureField("triangle."),
		"Call", p.API.Call("opt")),
		p.Bench(", the epilogue counted as nothing", sizes...))
}

// sizes are those of benchmarks.
var sizes = []int{64, 256, 1024}
