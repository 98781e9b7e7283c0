package gen

import (
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gpu"
)

// tiles says how a kernel for a GPU cuts its product and what a stage of shared memory holds;
// it is "" of anything else. Lowered code does not say it, so the product is lowered once more.
func (h *history) tiles(specs []Spec) (string, error) {
	i := slices.IndexFunc(specs, func(s Spec) bool { return s.Kernel() == h.kernel(specs) })
	if i < 0 {
		return "", nil
	}
	d, ok := specs[i].(interface{ Describe() gemm.Description })
	if !ok {
		return "", nil
	}
	targets, err := TargetsOf(specs[i])
	if err != nil {
		return "", err
	}
	t := slices.IndexFunc(targets, func(t emit.Target) bool { return t.Name == h.target && t.Arch == ptx.SM80.Arch })
	if t < 0 {
		return "", nil
	}
	m, err := gpu.Lower(d.Describe(), targets[t])
	if err != nil {
		return "", err
	}
	return m.Explain(h.name)
}
