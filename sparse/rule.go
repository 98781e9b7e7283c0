package sparse

// Rule takes the entries of a matrix apart. It is a value: a name and one function;
// see docs/howto-rule.md.
//
// In the words of SparseTIR (Ye et al., ASPLOS'23, section 3.2) a rule rewrites A[I]
// as A'[f(I)]. Here f and its inverse follow from the axes that the parts are in:
// [Sum.Find] and [Packed.Entry]. Split, with the format's own conversion, is the
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
	Into Format
	Structure
}

// split runs the rules, each on what the ones before it left, and returns also what
// the last one leaves. name gives groups their names.
func split(s Structure, rules []Rule, name func(Rule, Group) string) (groups []Group, rest Structure, err error) {
	rest = s
	for _, r := range rules {
		if r.Split == nil {
			return nil, Structure{}, fail(ErrFormat, "rule "+r.Name, "see Rule", "it has no Split")
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
		if rest = left; rest.nnz == 0 { // also the zero Structure, whose size the next rule asks for
			rest = Structure{m: s.m, n: s.n, of: s.of}
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
