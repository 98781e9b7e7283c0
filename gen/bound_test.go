package gen

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/inst"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/emit/unit"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestBoundTarget: a target that binds text to one GPU is refused where no instruction needs it, and taken where one does.
func TestBoundTarget(t *testing.T) {
	s := f32Spec{Name: "X", Targets: []emit.Target{ptx.SM90a}, GPU: tiling.GPU{BM: 64, BN: 64, BK: 16, WM: 32, WN: 32, Stages: 2}}
	_, err := Generate(Options{Package: "p", Source: "spec.go"}, s)
	if err == nil || !strings.Contains(err.Error(), "gen: X: target sm_90a is for instructions such as wgmma") || !strings.Contains(err.Error(), "write sm_90, whose text runs there") {
		t.Errorf("a product of f32: %v", err)
	}
	f, err := emit.Build("f", nil, func(b *emit.Builder) { b.Inst(inst.WgmmaFence, 0) })
	if err != nil {
		t.Fatal(err)
	}
	hopper := unit.Variant{Target: ptx.SM90a, Funcs: []unit.Kernel{{Func: f}}}
	if err := checkBound(hopper); err != nil {
		t.Errorf("a function with wgmma: %v", err)
	}
	hopper.Target = ptx.SM90
	if err := checkBound(hopper); err != nil {
		t.Errorf("a target without a letter: %v", err)
	}
}
