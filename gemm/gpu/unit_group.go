package gpu

import (
	"fmt"
	"go/token"
	"strings"

	"github.com/tilesmith/tilesmith/gen/unit"
)

// group are the type and the function of a group of products.
func (p *product) group(stream, options unit.Param) []unit.Decl {
	one := p.Name + "Problem"
	var fields, args strings.Builder
	names := map[string][]string{}
	var types []string
	for _, x := range p.params {
		if names[x.Type] == nil {
			types = append(types, x.Type)
		}
		names[x.Type] = append(names[x.Type], unit.Upper(x.Name))
		fmt.Fprintf(&args, ", p.%s", unit.Upper(x.Name))
	}
	for _, t := range types {
		fmt.Fprintf(&fields, "%s %s\n", strings.Join(names[t], ", "), t)
	}
	scaling, about := "", "There is no order in which they are done"
	if p.Fusion == nil && !p.Acc.Integer() {
		fields.WriteString("Scaling run.Scaling // alpha and beta: run.Scale; Options.Scaling is not read\n")
		scaling = "opt.Scaling = p.Scaling\n"
	}
	return []unit.Decl{
		unit.Text(fmt.Sprintf("// %s is one product of [%sGrouped]: the parameters of [%[2]s].\ntype %[1]s struct {\n%[3]s}", one, p.Name, fields.String())),
		unit.Func{
			Doc: fmt.Sprintf("%sGrouped is %[1]sOpt for many products in one launch, each with a shape, strides and operands of its own. "+
				"%s, and what one writes is not to share memory with anything of another. All are done by the kernel that takes each of them as it lies: see [run.Gather.Group]. "+
				"An error names the problem, and nothing is queued.", p.Name, about),
			Name: p.Name + "Grouped", Params: []unit.Param{stream, options, {Name: "problems", Type: "[]" + one}}, Result: "error",
			Body: fmt.Sprintf("return run.Grouped(%s, problems, func(opt run.Options, p *%s) error {\n%sreturn %sOpt(%s, opt%s)\n})", options.Name, one, scaling, p.Name, stream.Name, args.String()),
		},
	}
}

// checkFields refuses names of operands that are no fields of a struct that others can name.
func checkFields(params []unit.Param) error {
	seen := map[string]string{}
	for _, x := range params {
		field := unit.Upper(x.Name)
		switch {
		case !token.IsExported(field):
			return fmt.Errorf("operand %s: a group's problems have a field for each operand, and %s is none that other packages can name; begin it with a letter from a to z", x.Name, field)
		case seen[field] != "":
			return fmt.Errorf("operands %s and %s are one field, %s, of a group's problems; rename one", seen[field], x.Name, field)
		}
		seen[field] = x.Name
	}
	return nil
}
