package rule

// Each applies rules to every part of another rule instead of to its rest. The first
// rule gets all of the part, the next what is left of it. What the last rule leaves
// stays in the format that outer gives it. The rest of outer stays its rest.
func Each(outer Rule, rules ...Rule) Rule {
	name := outer.Name + "("
	for k, r := range rules {
		if k > 0 {
			name += ", "
		}
		name += r.Name
	}
	return Rule{Name: name + ")", Split: func(s Structure) ([]Group, Structure, error) {
		parts, rest, err := split(s, []Rule{outer}, inner)
		if err != nil {
			return nil, Structure{}, err
		}
		var groups []Group
		for _, p := range parts {
			within, left, err := split(p.Structure, rules, inner)
			if err != nil {
				return nil, Structure{}, err
			}
			for _, g := range within {
				g.Name = p.Name + "/" + g.Name
				groups = append(groups, g)
			}
			if left.NNZ() > 0 {
				p.Structure = left
				groups = append(groups, p)
			}
		}
		return groups, rest, nil
	}}
}
