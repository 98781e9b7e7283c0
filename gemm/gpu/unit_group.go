package gpu

import (
	"fmt"

	"github.com/tilesmith/tilesmith/emit/unit"
)

// group are the type and the function of a group of products.
func (p *product) group(stream, options unit.Param) []unit.Decl {
	scaling, more := "", ""
	if p.Fusion == nil && !p.Acc.Integer() {
		more = "Scaling run.Scaling // alpha and beta: run.Scale; Options.Scaling is not read\n"
		scaling = "opt.Scaling = p.Scaling\n"
	}
	return []unit.Decl{
		unit.Problem(p.Name, p.params, more),
		unit.Func{
			Doc: fmt.Sprintf("%sGrouped is %[1]sOpt for many products in one launch, each with a shape, strides and operands of its own. "+
				"There is no order in which they are done, and what one writes is not to share memory with anything of another. All are done by the kernel that takes each of them as it lies: see [run.Gather.Group]. "+
				"An error names the problem, and nothing is queued.", p.Name),
			Name: p.Name + "Grouped", Params: []unit.Param{stream, options, {Name: "problems", Type: "[]" + p.Name + "Problem"}}, Result: "error",
			Body: fmt.Sprintf("return run.Grouped(%s, problems, func(opt run.Options, p *%sProblem) error {\n%sreturn %sOpt(%s, opt, %s)\n})", options.Name, p.Name, scaling, p.Name, stream.Name, unit.Fields(p.params, "p")),
		},
	}
}
