package gpu

import (
	"slices"

	"github.com/tilesmith/tilesmith/cuda/run"
	"github.com/tilesmith/tilesmith/verify/check"
)

// padTrials are products of factors that lie as a kernel does not take them, so that they are copied for it first.
// The last kernels of each kind are taken, which have the smallest tiles. Lines are shorter than what a warp
// copies at a time, longer, in one span or several, and more than one CTA has or fewer. The gaps between them
// were never written. Nothing must read them from the copies, which lie where those of the trial before did.
func padTrials(c Case, t *run.Target) (list []Trial) {
	if t.Pad == "" {
		return nil
	}
	find := func(ok func(k *run.Kernel) bool) *run.Kernel {
		for _, k := range slices.Backward(t.Kernels) {
			if k.Unit > 0 && !k.Grouped && ok(&k) {
				return &k
			}
		}
		return nil
	}
	scaled := c
	if c.scales() {
		scaled = *c.scaled
	}
	add := func(c Case, k *run.Kernel, m, n, depth int, set func(tr *Trial)) {
		if k == nil {
			return
		}
		tr := Trial{Kernel: k.Name, Pad: true, Lie: Lie{ATrans: !k.AK, BTrans: k.BK, Off: 1, Pad: 1, Tight: true, Odd: k.Wide}}
		tr.Wide = c.fill == nil && !c.halfSums()
		if k.Parts.Name != "" {
			tr.Schedule = run.SplitK(2)
		}
		if set != nil {
			set(&tr)
		}
		list = append(list, c.trial(tr, check.Shape{M: m, N: n, K: depth}, true))
	}
	wide := func(ak, bk bool) *run.Kernel {
		return find(func(k *run.Kernel) bool { return k.Wide && k.Parts.Name == "" && k.AK == ak && k.BK == bk })
	}
	narrow := func(split bool) *run.Kernel {
		return find(func(k *run.Kernel) bool { return !k.Wide && (k.Parts.Name != "") == split })
	}
	batched := func(tr *Trial) { tr.Batch = 3 }
	apart := func(tr *Trial) { tr.Lie.Step = 3 } // of which neighbours are none
	add(c, wide(true, false), 5, 150, 300, nil)
	add(scaled, wide(true, true), 66, 16, 131, batched)
	add(c, wide(false, true), 163, 3, 97, nil)
	add(c, wide(false, false), 7, 32, 31, batched)
	add(scaled, wide(true, true), 9, 6, 140, apart)
	add(scaled, narrow(false), 6, 10, 95, apart)
	add(c, narrow(true), 11, 13, 129, batched)
	add(c, find(func(k *run.Kernel) bool { return k.Wide && k.Parts.Name != "" }), 70, 17, 259, nil)
	if c.fill == nil && c.prune == nil && !c.Acc.Integer() {
		add(c, wide(true, false), 9, 19, 33, func(tr *Trial) { tr.Special, tr.Wide = true, false })
	}
	add(c, wide(true, true), 4, 3, 0, nil)
	add(c, wide(true, true), 1, 1, 1, nil)
	return list
}
