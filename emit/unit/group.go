package unit

import (
	"fmt"
	"go/token"
	"strings"
)

// problem is the type NAMEProblem: one product of NAMEGrouped, with a field for each parameter
// of NAME, and further fields as Go has them.
func problem(name string, ps []Param, more string) Decl {
	var fields strings.Builder
	names := map[string][]string{}
	var types []string
	for _, x := range given(ps) {
		if names[x.Type] == nil {
			types = append(types, x.Type)
		}
		names[x.Type] = append(names[x.Type], Upper(x.Name))
	}
	for _, t := range types {
		fmt.Fprintf(&fields, "%s %s\n", strings.Join(names[t], ", "), t)
	}
	return Text(fmt.Sprintf("// %sProblem is one product of [%[1]sGrouped]: the parameters of [%[1]s].\ntype %[1]sProblem struct {\n%[2]s%[3]s}", name, fields.String(), more))
}

// Fields are the parameters as fields of the problem in a variable.
func (o *Operation) Fields(variable string) string {
	return join(o.Params, func(x Param) string { return variable + "." + Upper(x.Name) })
}

// checkFields refuses names of operands that cannot be exported fields of a struct.
func checkFields(ps []Param) error {
	seen := map[string]string{}
	for _, x := range given(ps) {
		field := Upper(x.Name)
		switch {
		case !token.IsExported(field):
			return fmt.Errorf("operand %s: a group's problems have a field for each operand, and other packages cannot name %s; begin it with a letter from a to z", x.Name, field)
		case seen[field] != "":
			return fmt.Errorf("operands %s and %s are one field, %s, of a group's problems; rename one", seen[field], x.Name, field)
		}
		seen[field] = x.Name
	}
	return nil
}
