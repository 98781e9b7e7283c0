package mesh

import "slices"

// maxAtoms bounds the search: there are 117,000 ways to cut 4 dimensions along 6 axes, and
// more than a million along 7.
const maxAtoms = 6

// An atom is an axis of the mesh, or a factor of one, that plans move as a whole.
type atom struct {
	axis int // of the mesh
	size int
}

// atomsOf returns the factors that the axes of a mesh longer than 1 are split into. They
// are prime factors if that makes at most maxAtoms. Otherwise they are the factors at
// which two shardings cut a dimension differently, or nothing. Factors of an axis are
// neighbours, slowest first.
func atomsOf(from, to Sharding) ([]atom, error) {
	var atoms []atom
	for _, split := range []func(axis int) []int{
		func(a int) []int { return primes(from.mesh.axes[a].Size) },
		func(a int) []int { return commonCuts(from, to, a) },
		func(a int) []int { return []int{from.mesh.axes[a].Size} },
	} {
		atoms = nil
		for a, axis := range from.mesh.axes {
			if axis.Size == 1 {
				continue
			}
			for _, n := range split(a) {
				atoms = append(atoms, atom{a, n})
			}
		}
		if len(atoms) <= maxAtoms {
			return atoms, nil
		}
	}
	return nil, refuse("Reshard", "%v has %d axes longer than 1; steps are searched for with at most %d", from.mesh, len(atoms), maxAtoms)
}

// primes returns the prime factors of n, largest first.
func primes(n int) []int {
	var list []int
	for p := 2; p <= n/p; p++ {
		for n%p == 0 {
			list = append(list, p)
			n /= p
		}
	}
	if n > 1 {
		list = append(list, n)
	}
	slices.Reverse(list)
	return list
}

// commonCuts returns the factors of an axis. Wherever the axis cuts a dimension that the
// other sharding cuts too, both have cut it into equally many parts at each factor, as far
// as sizes allow.
func commonCuts(from, to Sharding, axis int) []int {
	n := from.mesh.axes[axis].Size
	cuts := []int{1, n} // each divides the next
	for _, both := range [][2]Sharding{{from, to}, {to, from}} {
		for i, d := range both[0].dims {
			outer := 1
			for _, a := range d.axes {
				if a != axis {
					outer *= from.mesh.axes[a].Size
					continue
				}
				parts := 1
				for _, b := range both[1].dims[i].axes {
					parts *= from.mesh.axes[b].Size
					if parts%outer == 0 {
						cuts = refine(cuts, gcd(parts/outer, n))
					}
				}
				break
			}
		}
	}
	var factors []int
	for k := 1; k < len(cuts); k++ {
		factors = append(factors, cuts[k]/cuts[k-1])
	}
	return factors
}

// refine adds a cut, if with it each still divides the next.
func refine(cuts []int, cut int) []int {
	k, found := slices.BinarySearch(cuts, cut)
	if found || k == 0 || k == len(cuts) || cut%cuts[k-1] != 0 || cuts[k]%cut != 0 {
		return cuts
	}
	return slices.Insert(cuts, k, cut)
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
