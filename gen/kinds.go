package gen

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/gemm/gpu"
	"github.com/tilesmith/tilesmith/gemm/simd"
	"github.com/tilesmith/tilesmith/sparse/lower"
	"github.com/tilesmith/tilesmith/tiling/machine"
)

// specKind is a kind of spec of a package that cannot lower it, which is data there.
type specKind struct {
	// adapt turns a spec into one that lowers itself, for some of its targets; nil is a spec
	// of another kind.
	adapt func(spec any) (unit.Spec, error)
	// expect says how fast the kernels for a CPU should be: lines of a table, none for a
	// spec of another kind. It may be nil.
	expect func(x *expectation, s Spec, t emit.Target, h *machine.Machine) ([]string, error)
}

var specKinds = []specKind{
	{simd.Adapt, (*expectation).ofGEMM},
	{gpu.Adapt, nil},
	{lower.Adapt, (*expectation).ofSparse},
}

// lowerers are what a spec lowers by: itself, or what adapters make of it.
func lowerers(s Spec) ([]unit.Spec, error) {
	if u, ok := s.(unit.Spec); ok {
		return []unit.Spec{u}, nil
	}
	var us []unit.Spec
	for _, k := range specKinds {
		u, err := k.adapt(s)
		if err != nil {
			return nil, fmt.Errorf("gen: %s: %w", s.Kernel(), err)
		}
		if u != nil {
			us = append(us, u)
		}
	}
	if us == nil {
		return nil, fmt.Errorf("gen: %s is a %T, which nobody knows how to generate: it has no method Lower, as a unit.Spec has", s.Kernel(), s)
	}
	return us, nil
}

// TargetsOf returns the targets of a spec, best first of each architecture. The error
// says which one there is not.
func TargetsOf(s Spec) ([]emit.Target, error) {
	us, err := lowerers(s)
	if err != nil {
		return nil, err
	}
	return targetsOf(us), nil
}

func targetsOf(us []unit.Spec) (targets []emit.Target) {
	for _, u := range us {
		targets = append(targets, u.TargetList()...)
	}
	return targets
}

// checkUnit refuses what cannot be printed.
func checkUnit(u *unit.Unit, s Spec) error {
	switch {
	case u == nil:
		return errors.New("its Lower returned neither a unit nor an error")
	case u.Name != s.Kernel():
		return fmt.Errorf("its Lower returned a unit called %q", u.Name)
	case u.Folder != "" && u.Folder != unit.GPUFolder:
		return fmt.Errorf("its unit is for a folder %q; there is %q, and %q for the package itself", u.Folder, unit.GPUFolder, "")
	}
	seen := map[string]bool{}
	for _, v := range u.Variants {
		if seen[v.Target.Name] || v.Target.Arch != u.Variants[0].Target.Arch {
			return fmt.Errorf("its unit has two variants for %s, or variants for two architectures", v.Target.Name)
		}
		seen[v.Target.Name] = true
		for _, k := range v.Funcs {
			if k.Func == nil || k.Func.Body == nil || k.Name == "" {
				return fmt.Errorf("its unit has an empty function for %s", v.Target.Name)
			}
		}
		if err := checkBound(v); err != nil {
			return err
		}
	}
	return nil
}

// checkBound refuses a target that binds text to one GPU when nothing is gained by it.
func checkBound(v unit.Variant) error {
	portable, bound := ptx.Portable(v.Target)
	if !bound {
		return nil
	}
	needed := false
	for _, k := range v.Funcs {
		k.Body.Walk(func(op *emit.Op) { needed = needed || op.Inst != nil && op.Inst.Needs == v.Target.Name })
	}
	if needed {
		return nil
	}
	return fmt.Errorf("target %s is for instructions such as wgmma, which its kernels do not use, and its text would run on compute capability 9.0 only; write %s, whose text runs there and on every later GPU",
		v.Target.Name, portable.Name)
}

// byArch are the targets of each architecture, in their order.
func byArch(targets []emit.Target) [][]emit.Target {
	var all [][]emit.Target
	for _, t := range targets {
		i := slices.IndexFunc(all, func(ts []emit.Target) bool { return ts[0].Arch == t.Arch })
		if i < 0 {
			all = append(all, []emit.Target{t})
			continue
		}
		all[i] = append(all[i], t)
	}
	return all
}

// checkTargets refuses no targets at all, and one that is listed twice or unknown.
func checkTargets(targets []emit.Target) error {
	var names []string
	for _, t := range targets {
		if slices.Contains(names, t.Name) {
			return fmt.Errorf("target %s is listed twice", t.Name)
		}
		if _, err := backendOf(t); err != nil {
			return err
		}
		names = append(names, t.Name)
	}
	if names == nil {
		return errors.New("it has no targets; leave Targets nil for every CPU target")
	}
	return nil
}
