package gpu_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm"
	"github.com/tilesmith/tilesmith/gemm/gpu"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

type spec interface{ Describe() gemm.Description }

func twice(acc, bias float32) float32 { return 2*acc + bias }

// specs are the operators with tiles chosen, and an epilogue.
var specs = []spec{
	gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "MatMulBF16"},
	gemm.Spec[dtype.F16, dtype.F16, float32, dtype.F16]{Name: "MatMulF16"},
	gemm.Spec[float32, float32, float32, float32]{Name: "MatMulF32"},
	gemm.Spec[float32, float32, float32, float32]{Name: "Longest", Operator: gemm.MaxPlus},
	gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "Twice",
		Epilogue: gemm.Map2(twice, gemm.PerColumn[float32]("bias")).RowArgMax("at").ColSum("sums")},
	gemm.Spec[float32, float32, float32, float32]{Name: "MatMulTF32", Operator: gemm.TF32},
	gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "MatMulF16Sums", Operator: gemm.F16Sums},
	gemm.Spec[float64, float64, float64, float64]{Name: "MatMulF64"},
	gemm.Spec[uint8, int8, int32, int32]{Name: "MatMulU8I8"},
	gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "GroupBF16", Grouped: true},
	gemm.Spec[float32, float32, float32, float32]{Name: "GroupF32", Grouped: true},
	gemm.Spec[float64, float64, float64, float64]{Name: "GroupF64", Grouped: true},
	gemm.Spec[uint8, int8, int32, int32]{Name: "GroupU8I8", Grouped: true},
	gemm.Spec[dtype.BF16, dtype.BF16, float32, float32]{Name: "GroupTwice", Grouped: true, Epilogue: gemm.Map2(twice, gemm.PerColumn[float32]("bias"))},
	gemm.Spec[dtype.F8E4M3, dtype.F8E5M2, float32, dtype.BF16]{Name: "MatMulFP8"},
	gemm.Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "SparseBF16", Sparse: gemm.Sparse24},
	gemm.Spec[dtype.F16, dtype.F16, float32, float32]{Name: "SparseF16Sums", Sparse: gemm.Sparse24, Operator: gemm.F16Sums},
	gemm.Spec[float32, float32, float32, float32]{Name: "SparseTF32", Sparse: gemm.Sparse24, Operator: gemm.TF32},
	gemm.Spec[uint8, int8, int32, int32]{Name: "SparseU8I8", Sparse: gemm.Sparse24},
	gemm.Spec[dtype.F8E4M3, dtype.F8E5M2, float32, dtype.BF16]{Name: "SparseFP8", Sparse: gemm.Sparse24},
}

var texts sync.Map // by names of spec and target

// textOf returns the text of a module, with the epilogue's function translated.
func textOf(t *testing.T, s spec, target emit.Target) string {
	t.Helper()
	key := s.Describe().Name + " " + target.Name
	if made, ok := texts.Load(key); ok {
		return made.(string)
	}
	text := newText(t, s, target)
	texts.Store(key, text)
	return text
}

func newText(t *testing.T, s spec, target emit.Target) string {
	t.Helper()
	m, err := gpu.Lower(s.Describe(), target)
	if err != nil {
		t.Fatal(err)
	}
	fs := m.Funcs()
	for _, f := range fs {
		if err := f.Inline(func(b *emit.Builder, op *emit.Op) ([]*emit.Value, error) {
			x, y := op.Args[0], op.Args[1]
			return []*emit.Value{b.Add(b.Add(x, x), y)}, nil
		}); err != nil {
			t.Fatal(err)
		}
		if err := emit.Run(f, ptx.Backend{}.Passes(target), nil); err != nil {
			t.Fatal(err)
		}
	}
	var text strings.Builder
	if err := (ptx.Backend{}).Print(&text, target, "", fs); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestAssembles hands every kernel to ptxas, which must neither warn nor spill,
// for the kinds of GPUs that have other limits.
func TestAssembles(t *testing.T) {
	ptxas := os.Getenv("TILESMITH_PTXAS")
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			t.Skip("no ptxas: name one in TILESMITH_PTXAS or PATH to have every kernel assembled")
		}
	}
	targets := []emit.Target{ptx.SM80, ptx.SM89}
	if level.Long() {
		targets = ptx.Targets()
	}
	for _, target := range targets {
		for _, s := range specs {
			fp8 := s.Describe().A == dtype.TypeF8E4M3
			if fp8 && target.Name < "sm_89" || !fp8 && target == ptx.SM89 && len(targets) == 2 {
				continue // there are none, or none that sm_80 has not
			}
			t.Run(s.Describe().Name+" "+target.Name, func(t *testing.T) {
				in := filepath.Join(t.TempDir(), "in.ptx")
				if err := os.WriteFile(in, []byte(textOf(t, s, target)), 0o644); err != nil {
					t.Fatal(err)
				}
				out, err := exec.Command(ptxas, "-arch="+target.Name, "-warn-spills", "-o", filepath.Join(t.TempDir(), "out.cubin"), in).CombinedOutput()
				if err != nil || len(out) > 0 {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// TestText: what the main loops are made of.
func TestText(t *testing.T) {
	text := textOf(t, specs[0], ptx.SM80)
	_, text, _ = strings.Cut(text, ".entry matMulBF16_sm80_kn16(")
	text, _, _ = strings.Cut(text, "\n}\n")
	for _, c := range []struct {
		what string
		n    int
	}{
		{"mma.sync", 4 * 32}, // a warp's 64 x 64 in four steps of K
		{"ldmatrix", 8 * 5},  // the first step, and four in the loop
		{"ldmatrix.sync.aligned.m8n8.x4.trans", 4 * 5},
		{"bar.sync", 4}, // before the loop, in it, and around the sums laid out
		{".local", 0},
	} {
		if n := strings.Count(text, c.what); n != c.n {
			t.Errorf("%s %d times, want %d", c.what, n, c.n)
		}
	}
	if strings.Contains(text, ".ftz") {
		t.Error("denormals are flushed")
	}
}
