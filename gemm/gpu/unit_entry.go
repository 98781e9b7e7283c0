package gpu

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// stream and options begin every entry point.
var (
	stream  = unit.Param{Name: "stream", Type: "cuda.Stream"}
	options = unit.Param{Name: "opt", Type: "run.Options"}
)

// entry are the functions that a user calls, and the kernels.
func (p *product) entry() []unit.Decl {
	opts := "a forced kernel or schedule"
	if p.Fusion == nil {
		opts = "alpha and beta, " + opts
	}
	stream, options := stream, options
	stream.Name, options.Name = unit.Free(stream.Name, p.params), unit.Free(options.Name, p.params)
	batch := append([]unit.Param{stream, options}, p.params...)
	for i, x := range batch {
		batch[i].Type = strings.Replace(x.Type, "cuda.Matrix[", "run.Batch[", 1)
	}
	ds := []unit.Decl{
		unit.Text("const _ = run.ABI1"),
		unit.Func{
			Doc: p.doc(), Name: p.Name, Params: append([]unit.Param{stream}, p.params...), Result: "error",
			Body: fmt.Sprintf("return %sOpt(%s, run.Options{}, %s)", p.Name, stream.Name, unit.Names(p.params)),
		},
		unit.Func{
			Doc:  fmt.Sprintf("%sOpt is %[1]s with options: %s.", p.Name, opts),
			Name: p.Name + "Opt", Params: append([]unit.Param{stream, options}, p.params...), Result: "error", Body: p.call(stream.Name, options.Name, false),
		},
		unit.Func{
			Doc: fmt.Sprintf("%sBatched is %[1]sOpt for many products of one shape in one launch. "+
				"Vectors are one for all products, or one a product, one after the other.", p.Name),
			Name: p.Name + "Batched", Params: batch, Result: "error", Body: p.call(stream.Name, options.Name, true),
		},
		unit.Func{
			Doc:  fmt.Sprintf("%sKernels describes the kernels, for tools, and for those who close a device: see [run.Set.Forget].", p.Name),
			Name: p.Name + "Kernels", Result: "*run.Set", Body: "return &" + p.set,
		},
	}
	if p.grouped {
		ds = append(ds, p.group(stream, options)...)
	}
	for _, m := range p.mods {
		ds = append(ds, unit.Var{Embed: unit.TextFile(p.Name, m.Target), Name: m.text(), Type: "string"})
	}
	return append(ds, unit.Var{Name: p.set, Value: unit.Expr(p.kernels())})
}

// text is the variable that holds the PTX.
func (m *Module) text() string {
	return unit.Lower(m.Name) + "PTX" + strings.TrimPrefix(m.Target.Name, "sm_")
}

// call is the body of an entry point with these parameters of its own.
func (p *product) call(stream, opt string, batch bool) string {
	var b strings.Builder
	call := unit.Free("call", p.params)
	fmt.Fprintf(&b, "%s := run.Begin(&%s, %s, %s)\n", call, p.set, stream, opt)
	// Numbers are handed over in the order of slots, of which zero points are the last.
	zero := func(x unit.Param) bool { return x.Role == unit.ZeroPoint }
	for _, x := range append(slices.DeleteFunc(slices.Clone(p.params), zero), unit.Of(p.params, unit.ZeroPoint)...) {
		bind := x.Bind
		if bind == "" {
			continue
		}
		if batch && strings.HasPrefix(x.Type, "cuda.Matrix[") {
			bind = strings.TrimSuffix(bind, "Of") + "Batch"
		}
		fmt.Fprintf(&b, "run.%s(%s, %s)\n", bind, call, x.Name)
	}
	return b.String() + "return " + call + ".Launch()"
}

// doc is the comment of the entry point.
func (p *product) doc() string {
	product := "a*b"
	switch {
	case p.Fusion != nil && p.Fusion.Zeros != (gemm.Zeros{}):
		product = p.Fusion.Product()
	case p.operator == gemm.TF32:
		product = "a*b in tf32"
	case p.operator == gemm.F16Sums:
		product = "a*b with sums of f16"
	case !p.isProduct():
		product = "a*b in " + strings.TrimPrefix(p.Op.String(), "simt.")
	}
	formula, about := "out = "+product, ""
	if p.Fusion != nil {
		formula, about = p.Fusion.Formula(p.callee.Expr, "out", product)+" for each element of the product", p.Fusion.About("m", "n")
	}
	strides := ", each with any strides"
	if p.Sparse != 0 {
		strides = ", a being 2:4 sparse and the others with any strides"
	}
	shapes := ", b is k x n and out is m x n"
	if p.Fusion != nil && p.Fusion.Unstored {
		shapes = " and b is k x n"
	}
	return fmt.Sprintf("%s queues %s, where a is m x k%s%s. %s\n"+
		"It returns an error, with nothing queued, if shapes do not agree, an operand is on another device, or an output shares memory with anything else. "+
		"What goes wrong later is reported by the stream.", p.Name, formula, shapes, strides, about)
}

// kernels is the set of them as Go writes it.
func (p *product) kernels() string {
	var b strings.Builder
	acc := ""
	if p.Acc != dtype.F32 {
		acc = " Acc: " + typeName(p.Acc) + ","
	}
	fmt.Fprintf(&b, "run.Set{\nName: %q, A: %s, B: %s,%s Plain: %v,\nSlots: []run.Slot{\n", unit.GPUFolder+"."+p.Name, typeName(p.A), typeName(p.B), acc, p.Fusion == nil)
	for _, s := range p.Slots {
		fmt.Fprintf(&b, "{Name: %q, Kind: run.%s, Type: %s", s.Name, s.kind(), typeName(s.Type))
		if s.Kind == PartialSlot || s.Kind == SecondSlot {
			r := p.Fusion.Reduces[s.Reduce]
			switch {
			case r.Op.Arg():
				b.WriteString(", Reduce: run.Indices")
			case r.Op == gemm.LogSumExp:
				b.WriteString(", Reduce: run.Pairs")
			}
			if r.Col {
				b.WriteString(", Col: true")
			}
		}
		b.WriteString("},\n")
	}
	b.WriteString("},\nTargets: []run.Target{\n")
	for _, m := range p.mods {
		fmt.Fprintf(&b, "{\nPTX: %s,\nKernels: []run.Kernel{\n", m.text())
		for _, k := range m.Kernels {
			split := ""
			if k.Grouped {
				split = ", Grouped: true"
			}
			if k.Split {
				split = fmt.Sprintf(", Parts: run.Part{Name: %q, Shared: %d}", k.Parts.Name, k.Parts.Shared)
			}
			fmt.Fprintf(&b, "{Name: %q, Tile: %#v,\nThreads: %d, Shared: %d, Unit: %d, AK: %v, BK: %v, Wide: %v%s},\n",
				k.Func.Name, k.Tile, k.Func.Threads, k.Func.Shared, k.B.Unit, k.A.KMajor, k.B.KMajor, k.Wide, split)
		}
		b.WriteString("},\n")
		if len(m.Joins) > 0 {
			b.WriteString("Joins: []string{")
			for _, j := range m.Joins {
				fmt.Fprintf(&b, "%q, ", j.Name)
			}
			b.WriteString("},\n")
		}
		fmt.Fprintf(&b, "Pad: %q,\n},\n", m.Pad.Name)
	}
	return b.String() + "},\n}"
}

// kind is the name of the slot's kind in package run.
func (s Slot) kind() string {
	return map[SlotKind]string{OutputSlot: "Output", OperandSlot: s.Pattern.Kind(), PartialSlot: "Partial", SecondSlot: "Second", HiddenSlot: "Hidden", MetaSlot: "Meta", ZeroSlot: "Scalar"}[s.Kind]
}

// typeName is an element type as Go code writes its value.
func typeName(t dtype.Type) string {
	return "dtype." + map[dtype.Type]string{dtype.F32: "F32", dtype.F64: "F64", dtype.TypeF16: "TypeF16", dtype.TypeBF16: "TypeBF16",
		dtype.TypeF8E4M3: "TypeF8E4M3", dtype.TypeF8E5M2: "TypeF8E5M2", dtype.I8: "I8", dtype.I32: "I32", dtype.U8: "U8", dtype.I16: "I16"}[t]
}
