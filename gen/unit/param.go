package unit

import (
	"cmp"
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Param is a parameter of a generated function.
type Param struct {
	Name, Type string

	// Of a parameter that an epilogue sees:
	Role Role
	Slot int
	Elem string // the element type
	Bind string // the statement that hands it to a call

	// Of the oracle: the argument of a call, and the value of element (i, j), or i of a
	// reduction.
	Arg, At string

	// Of a reduction: its name in package check, whether it is of columns, which result it
	// is of, and the statement that takes in the value of element (i, j). Best, if not 0, is
	// the slot of the reduction to an index that finds its value on the way.
	Op   string
	Col  bool
	Of   int
	Step string
	Best int
}

// Role is what a parameter is for.
type Role uint8

// The roles.
const (
	Factor    Role = iota // an operand of the product
	Output                // a result of the epilogue for each element
	Reduction             // of a result
	Operand               // of the epilogue
	Unstored              // a result that is only reduced: nothing that a caller gives
)

// Of lists the parameters that have one of the roles.
func Of(ps []Param, roles ...Role) []Param {
	var out []Param
	for _, p := range ps {
		if slices.Contains(roles, p.Role) {
			out = append(out, p)
		}
	}
	return out
}

// given are the parameters that a caller gives.
func given(ps []Param) []Param {
	return slices.DeleteFunc(slices.Clone(ps), func(p Param) bool { return p.Role == Unstored })
}

// CheckNames refuses parameters that generated code could not have: two of one name, names
// that are no identifiers or those of Go's types, and what is taken, the names that the
// code uses for something else.
func CheckNames(ps []Param, taken ...string) error {
	seen := map[string]bool{}
	for _, p := range given(ps) {
		_, typ := types.Universe.Lookup(p.Name).(*types.TypeName)
		switch {
		case !token.IsIdentifier(p.Name) || p.Name == "_":
			return fmt.Errorf("a parameter is called %q, which is not a Go identifier", p.Name)
		case typ || slices.Contains(taken, p.Name):
			what := map[Role]string{Operand: "an operand", Output: "an output", Reduction: "an output"}[p.Role]
			return fmt.Errorf("%s of the epilogue is called %q, which generated code uses; choose another name", cmp.Or(what, "a factor"), p.Name)
		case seen[p.Name]:
			return fmt.Errorf("two parameters are called %q", p.Name)
		}
		seen[p.Name] = true
	}
	return nil
}

// Signature writes parameters as Go does, equal types together.
func Signature(ps []Param) string {
	var parts []string
	ps = given(ps)
	for i, p := range ps {
		s := p.Name
		if i+1 == len(ps) || ps[i+1].Type != p.Type {
			s += " " + p.Type
		}
		parts = append(parts, s)
	}
	return strings.Join(parts, ", ")
}

// Names lists the parameters as arguments of a call.
func Names(ps []Param) string { return join(ps, func(p Param) string { return p.Name }) }

// Args lists the parameters as arguments of a call by the oracle.
func Args(ps []Param) string { return join(ps, func(p Param) string { return p.Arg }) }

func join(ps []Param, f func(Param) string) string {
	var parts []string
	for _, p := range given(ps) {
		parts = append(parts, f(p))
	}
	return strings.Join(parts, ", ")
}

// Binds are the statements that hand the parameters to a call: in the order of slots,
// which is that of outputs, operands and reductions.
func Binds(ps []Param) string {
	var b strings.Builder
	for _, r := range [][]Role{{Factor}, {Output, Unstored}, {Operand}, {Reduction}} {
		for _, p := range Of(ps, r...) {
			if p.Bind != "" {
				b.WriteString(p.Bind + "\n")
			}
		}
	}
	return b.String()
}
