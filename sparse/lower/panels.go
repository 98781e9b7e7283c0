package lower

import (
	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/tiling/kernel"
)

// widest is how many vectors of a row the kernels hold at most: no more than
// features ask for.
func (p *Product) widest(t emit.Target) int {
	most := Widest(t)
	switch {
	case p.op.widest != nil:
		most = p.op.widest(t)
	case p.Loops != "":
		most = min(8, most)
	}
	if p.Features == 0 {
		return most
	}
	vectors := (p.Features + p.lanes(t) - 1) / p.lanes(t)
	panels := (vectors + most - 1) / most
	return (vectors + panels - 1) / panels
}

// needed reports whether rows of a fixed number of features are ever done by the
// kernel for nv vectors, of which the last is masked or not.
func (p *Product) needed(t emit.Target, most, nv int, masked bool) bool {
	if p.Features == 0 {
		return true
	}
	vl := p.lanes(t)
	vectors := (p.Features + vl - 1) / vl
	panels := (vectors + most - 1) / most
	size := (vectors + panels - 1) / panels
	tall := vectors - panels*(size-1)
	for i := range panels {
		have := size
		if i >= tall {
			have = size - 1
		}
		if have == nv && masked == (i == panels-1 && p.Features%vl != 0) {
			return true
		}
	}
	return false
}

// trim blanks the names of kernels of panels that a fixed number of features never needs.
func (p *Product) trim(t emit.Target, most int, k *kernel.Table[string]) {
	for i := range k.Entries {
		e := &k.Entries[i]
		switch e.Form {
		case kernel.Panel, kernel.Fetch, kernel.More:
			if !p.needed(t, most, e.NV, false) {
				e.F = ""
			}
		case kernel.Tail, kernel.FetchTail, kernel.MoreTail:
			if !p.needed(t, most, e.NV, true) {
				e.F = ""
			}
		}
	}
}
