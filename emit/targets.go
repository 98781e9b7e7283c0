package emit

// Targets is a list of targets, best first. Specs outside of the packages that know
// the IR take one by its names.
type Targets []Target

// Names returns the targets' names.
func (t Targets) Names() []string {
	names := make([]string, len(t))
	for i, x := range t {
		names[i] = x.Name
	}
	return names
}
