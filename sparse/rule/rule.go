// Package rule stores a sparse matrix as a sum of parts, each in a format that suits it. [Decompose] does it by
// rules: [Hyb], [Columns], [Blocks], [Diagonals], [LongRows], or your own. A [Rule] is a value.
//
// A kernel runs over a [Sum] in this order, whatever the rules. It sets the result to
// the identity of its reduction. It adds the product of every part, in the order of
// [Sum.Parts]. After the last part it applies the epilogue, once for every element.
//
// Every part has the size of the whole matrix, so nothing is shifted. A part in a format
// with a list of rows, [format.DELL], [format.DCSR] or [format.DBSR], visits only those rows. A part in another
// format, such as a rest in [format.CSR], adds 0 to rows that it does not have. Within a part
// rows ascend, and the positions of a row that was cut are neighbours ([format.Packed.Repeats]
// says whether there are any). So work cut between rows needs no atomics, and has the same
// result for any number of threads.
//
// If [Sum.Disjoint] holds, a row is at one position of one part. A part with a list of rows
// can then be run, epilogue included, as if it were the whole matrix. Rows without entries
// remain to be done.
package rule

import (
	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/format"
	"github.com/tilesmith/tilesmith/sparse/internal/runs"
)

// Rule takes the entries of a matrix apart. It is a value: a name and one function;
// see docs/howto-rule.md.
//
// In the words of SparseTIR (Ye et al., ASPLOS'23, section 3.2) a rule rewrites A[I]
// as A'[f(I)]. Here f and its inverse follow from the axes that the parts are in:
// [Sum.Find] and [format.Packed.Entry]. Split, with the format's own conversion, is the
// converter.
type Rule struct {
	Name string

	// Split deals entries of s to groups, of which each becomes a part. What the rule
	// leaves, the rest, goes to the next rule. The zero Structure is an empty rest. Every
	// entry of s is in one group or in the rest, and in one only: Decompose checks it.
	Split func(s Structure) (groups []Group, rest Structure, err error)
}

// String returns the name.
func (r Rule) String() string { return r.Name }

// Group is what becomes one part.
type Group struct {
	Name string // says which entries, within the rule: "columns 0:1024"
	Into format.Format
	Structure
}

// ruleOf makes a rule of what it does to a set.
func ruleOf(name string, split func(s runs.Set) ([]Group, runs.Set, error)) Rule {
	return Rule{Name: name, Split: func(s Structure) ([]Group, Structure, error) {
		groups, rest, err := split(s.set)
		return groups, Structure{rest}, err
	}}
}

// split runs the rules, each on what the ones before it left, and returns also what
// the last one leaves. name gives groups their names.
func split(s Structure, rules []Rule, name func(Rule, Group) string) (groups []Group, rest Structure, err error) {
	rest = s
	for _, r := range rules {
		if r.Split == nil {
			return nil, Structure{}, sparse.Errorf(sparse.ErrFormat, "rule "+r.Name, "see Rule", "it has no Split")
		}
		gs, left, err := r.Split(rest)
		if err != nil {
			return nil, Structure{}, err
		}
		for _, g := range gs {
			if g.NNZ() > 0 {
				g.Name = name(r, g)
				groups = append(groups, g)
			}
		}
		if rest = left; rest.NNZ() == 0 { // also the zero Structure, whose size the next rule asks for
			rest.set = runs.Set{M: s.set.M, N: s.set.N, Of: s.set.Of}
		}
	}
	return groups, rest, nil
}

// path says where a group is: "hyb(2,3)/4 wide".
func path(r Rule, g Group) string {
	if g.Name == "" {
		return r.Name
	}
	return r.Name + "/" + g.Name
}

// inner is path for a rule that another one names already.
func inner(r Rule, g Group) string {
	if g.Name == "" {
		return r.Name
	}
	return g.Name
}
