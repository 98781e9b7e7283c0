package gemm

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/emit/ptx"
	"github.com/tilesmith/tilesmith/gemm/act"
	"github.com/tilesmith/tilesmith/layout/dtype"
	"github.com/tilesmith/tilesmith/layout/semiring"
	"github.com/tilesmith/tilesmith/tiling"
)

// TestDescribe: a description has all of a spec, of which none is zero here.
func TestDescribe(t *testing.T) {
	s := Spec[dtype.F16, dtype.BF16, float32, float32]{
		Name: "X", Operator: FMA{emit.F32}, Epilogue: Map1(act.ReLU[float32]), Shape: Shape{M: 1, N: 2, K: 3},
		Tile: tiling.Micro{MR: 4, NV: 5}, GPU: tiling.GPU{BM: 6}, Targets: []emit.Target{ptx.SM80}, Standalone: true, Sparse: Sparse24, Grouped: true, Structure: Structure{A: Lower},
		Reduce: BatchReduce{Count: AnyCount},
	}
	d := s.Describe()
	for v, i := reflect.ValueOf(d), 0; i < v.NumField(); i++ {
		name := v.Type().Field(i).Name
		if v.Field(i).IsZero() {
			t.Errorf("%s is zero", name)
		}
		if f := reflect.ValueOf(s).FieldByName(name); f.IsValid() && !reflect.DeepEqual(f.Interface(), v.Field(i).Interface()) {
			t.Errorf("%s is %v, the spec's is %v", name, v.Field(i), f)
		}
	}
	if have, want := []dtype.Type{d.A, d.B, d.Acc, d.Out}, []dtype.Type{dtype.TypeF16, dtype.TypeBF16, dtype.F32, dtype.F32}; !reflect.DeepEqual(have, want) {
		t.Errorf("types are %v, want %v", have, want)
	}
	if d.Fusion != s.Epilogue.Fusion() {
		t.Errorf("the epilogue is %v, want the spec's", d.Fusion)
	}
	d.Structure, d.Reduce = Structure{}, BatchReduce{} // not of groups
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	plain := Spec[float64, float64, float64, float64]{Name: "X"}.Describe()
	if plain.Operator != nil || plain.Fusion != nil || !reflect.DeepEqual(plain.Targets, []emit.Target{amd64.AVX512, amd64.AVX2, arm64.NEON}) {
		t.Errorf("a spec that chooses nothing is %+v", plain)
	}
}

// TestCheck: what is wrong on every target is refused before there is one.
func TestCheck(t *testing.T) {
	fine := Spec[float32, float32, float32, float32]{Name: "X"}.Describe()
	broken := semiring.MaxPlus[float32]()
	broken.Zero = 0
	for _, c := range []struct {
		change func(d *Description)
		want   string
	}{
		{func(d *Description) { d.Name = "" }, `gemm: a spec is called ""; its name must be a Go identifier`},
		{func(d *Description) { d.Name = "a b" }, `gemm: a spec is called "a b"`},
		{func(d *Description) { d.Shape.N = -1 }, "gemm: X: the shape 0 x -1 x 0 has a negative dimension"},
		{func(d *Description) { d.Operator = Over(broken) }, "not neutral"},
		{func(d *Description) { d.Fusion = &Fusion{} }, "gemm: X: the epilogue turns "},
		{func(d *Description) { d.Fusion = &Fusion{Acc: dtype.F32, Out: dtype.F32} }, "gemm: X: the epilogue's function is nil; name one, as in gemm.Map1(act.ReLU[float32]), or leave the epilogue away"},
		{func(d *Description) {
			d.Fusion = Map2(func(x, y float32) float32 { return x }, PerRow[float32]("a")).Fusion()
		}, `two parameters are called "a"`},
	} {
		d := fine
		c.change(&d)
		if err := d.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestInto: a function that returns the type of the sums is rounded to the spec's result if a
// sum is; what does not fit is refused.
func TestInto(t *testing.T) {
	id, wide := act.Identity[float32], func(x float32) (float32, float32) { return x, x }
	for _, d := range []Description{
		Spec[dtype.BF16, dtype.BF16, float32, dtype.BF16]{Name: "X", Epilogue: Map1(id).RowMax("top")}.Describe(),
		Spec[float32, float32, float32, dtype.F16]{Name: "X", Epilogue: Fuse[float32, dtype.F16](wide, []Output{Also[float32]("pre")})}.Describe(),
	} {
		if err := d.Check(); err != nil || !d.Fusion.Rounds || d.Fusion.Out != d.Out || d.Fusion.Returns() != dtype.F32 {
			t.Errorf("%+v, %v", d.Fusion, err)
		}
	}
	narrow := Map1(dtype.ToBF16[float32])
	if d := (Spec[float32, float32, float32, dtype.BF16]{Name: "X", Epilogue: narrow}).Describe(); d.Check() != nil || d.Fusion != narrow.Fusion() {
		t.Errorf("%+v", d.Fusion)
	}
	for _, c := range []struct {
		d    Description
		want string
	}{
		{Spec[float32, float32, float32, int8]{Name: "X", Epilogue: Map1(id)}.Describe(), "the epilogue turns f32 into f32, the sums are f32 and the result is i8"},
		{Spec[float32, float32, float32, dtype.F16]{Name: "X", Epilogue: narrow}.Describe(), "the epilogue turns f32 into bf16"},
		{Spec[float32, float32, float32, int8]{Name: "X", Epilogue: Fuse[float32, int8](id, nil)}.Describe(), "the first result of the epilogue is a float32, want int8"},
		{Spec[float32, float32, float32, dtype.BF16]{Name: "X", Epilogue: narrow.RowMax("top")}.Describe(), "reduction top: reductions are of f32 or f64, the result is bf16"},
	} {
		if err := c.d.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// TestConversion: sums are rounded to narrower floating-point results, and to nothing else.
func TestConversion(t *testing.T) {
	types := []dtype.Type{dtype.F32, dtype.F64, dtype.TypeF16, dtype.TypeBF16, dtype.I8, dtype.I32}
	have := map[[2]dtype.Type]bool{}
	for _, acc := range types {
		for _, out := range types {
			fusion, err := Store(acc, out)
			if err == nil {
				have[[2]dtype.Type{acc, out}] = true
				if err := fusion.Check(); err != nil || fusion.Acc != acc || fusion.Out != out {
					t.Errorf("%v to %v: %+v, %v", acc, out, fusion, err)
				}
			}
		}
	}
	want := map[[2]dtype.Type]bool{{dtype.F32, dtype.F32}: true, {dtype.F64, dtype.F64}: true, {dtype.F32, dtype.TypeBF16}: true, {dtype.F32, dtype.TypeF16}: true}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("conversions are %v, want %v", have, want)
	}
}

// A nil function is refused with the place of the epilogue, whoever makes it.
func TestNilEpilogue(t *testing.T) {
	for _, e := range []Epilogue[float32, float32]{
		Map1[float32, float32](nil),
		Map2[float32, float32, float32](nil, PerRow[float32]("x")),
		Map3[float32, float32, float32, float32](nil, PerRow[float32]("x"), PerRow[float32]("y")),
		Map4[float32, float32, float32, float32, float32](nil, PerRow[float32]("x"), PerRow[float32]("y"), PerRow[float32]("z")),
		Fuse[float32, float32](nil, nil),
		Fuse[float32, float32]((func(float32) float32)(nil), nil).RowSum("s"),
	} {
		err := Description{Name: "X", A: dtype.F32, B: dtype.F32, Acc: dtype.F32, Out: dtype.F32, Fusion: e.Fusion()}.Check()
		if err == nil || !regexp.MustCompile(`^gemm: X: .*description_test\.go:\d+: the epilogue's function is nil; `).MatchString(err.Error()) {
			t.Errorf("have %v", err)
		}
	}
}
