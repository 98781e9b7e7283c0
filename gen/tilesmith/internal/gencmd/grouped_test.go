package gencmd

import (
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/gemm"
)

// --grouped is part of the command that generated files name, and of the spec: of the one that is
// generated here, and of the program that is written where there is a function.
func TestGroupedFlag(t *testing.T) {
	r, _, err := newRequest([]string{"gemm", "--name", "Mul", "--grouped", "--targets", "sm_80"})
	if err != nil {
		t.Fatal(err)
	}
	want := "tilesmith gen gemm --name Mul --types f32,f32,f32,f32 --grouped --targets sm_80"
	if have := r.commandLine(); have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	d, ok := r.plain()[0].(interface{ Describe() gemm.Description })
	if !ok || !d.Describe().Grouped {
		t.Error("the plain product is not of groups")
	}
	r.epilogue = "act.GELU"
	if r.plain() != nil || !strings.Contains(r.specText(), "Grouped: true,\n") {
		t.Errorf("the program has no groups:\n%s", r.specText())
	}
	if r, _, err = newRequest([]string{"gemm", "--name", "Mul"}); err != nil || strings.Contains(r.commandLine()+r.specText(), "rouped") {
		t.Errorf("%v, and groups were not asked for:\n%s", err, r.specText())
	}
}
