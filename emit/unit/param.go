package unit

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// Param is a parameter of a generated function.
type Param struct {
	Name, Type string

	// For a parameter that an epilogue sees:
	Role Role
	Slot int
	Elem string // the element type
	Bind string // the statement that hands it to a call, whose epilogue is the variable $e

	// For an output: the function that makes it from the result of the epilogue's function,
	// "" if that result is it.
	Round string

	// For the oracle: the argument of a call.
	Arg string

	// For an operand: whether there is an element for each row, and for each column. A reduction
	// is of rows or of columns; Col of a zero point says that it is that of a.
	Row, Col bool
	// Low and High are the ends of its range; equal if it has none.
	Low, High float64

	// For a reduction: its name in package reduce, which result it
	// is of, and the statement that takes in the value of element (i, j). Best, if not 0, is
	// the slot of the reduction to an index that finds its value on the way.
	Op   string
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
	ZeroPoint             // of a factor, which an epilogue sees as what it takes from sums
	Unstored              // a result that is only reduced: nothing that a caller gives
)

// String says what a parameter is, in a message.
func (r Role) String() string {
	return [...]string{"a factor of the product", "an output", "a reduction", "an operand of the epilogue", "a zero point", "a result"}[r]
}

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

// checkNames refuses names of parameters that generated code cannot have: equal names,
// names that are not identifiers, and those of Go's types. It also refuses taken names,
// which are the functions and variables that the entry point calls. Variables of the
// generator, and the packages that it imports, give way: see free.
func checkNames(ps []Param, taken ...string) error {
	seen := map[string]Role{}
	for _, p := range given(ps) {
		_, typ := types.Universe.Lookup(p.Name).(*types.TypeName)
		other, twice := seen[p.Name]
		switch {
		case token.IsKeyword(p.Name):
			return fmt.Errorf("%s is called %q, which is a keyword of Go; choose another name", p.Role, p.Name)
		case p.Name == "_" || !token.IsIdentifier(p.Name):
			return fmt.Errorf("%s is called %q, and the parameter that is named after it could not be; choose a Go identifier", p.Role, p.Name)
		case typ:
			return fmt.Errorf("%s is called %q, which is a type of Go that generated code needs; choose another name", p.Role, p.Name)
		case slices.Contains(taken, p.Name):
			return fmt.Errorf("%s is called %q, which is what generated code calls; choose another name", p.Role, p.Name)
		case twice:
			return fmt.Errorf("two parameters are called %q, %s and %s; rename one", p.Name, other, p.Role)
		}
		seen[p.Name] = p.Role
	}
	return nil
}

// free returns the name want, or another that no parameter has. Generated code uses it
// for a variable or a parameter of its own.
func free(want string, ps []Param) string {
	name := want
	for i := 2; slices.ContainsFunc(ps, func(p Param) bool { return p.Name == name }); i++ {
		name = fmt.Sprint(want, i)
	}
	return name
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

// binds are the statements that hand the parameters to the epilogue in a variable. They
// stand in the order of slots: outputs, operands, zero points and reductions.
func binds(ps []Param, variable string) string {
	var b strings.Builder
	for _, r := range [][]Role{{Factor}, {Output, Unstored}, {Operand}, {ZeroPoint}, {Reduction}} {
		for _, p := range Of(ps, r...) {
			if p.Bind != "" {
				b.WriteString(strings.ReplaceAll(p.Bind, "$e", variable) + "\n")
			}
		}
	}
	return b.String()
}
