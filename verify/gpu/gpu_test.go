package gpu

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/emu"
	"github.com/tilesmith/tilesmith/layout/semiring"
)

// emulator opens an emulated GPU and a stream.
func emulator(t testing.TB) (cuda.Device, cuda.Stream) {
	t.Helper()
	d, err := emu.Open(emu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	s, err := d.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	return d, s
}

// TestFragments dumps the emulator's registers and compares them with themselves,
// and with one word changed in each vector.
func TestFragments(t *testing.T) {
	_, s := emulator(t)
	vs, err := Fragments(s)
	if err != nil {
		t.Fatal(err)
	}
	if notes, err := CompareFragments(vs); err != nil || notes != nil {
		t.Errorf("%v, %q", err, notes)
	}
	for i := range vs {
		changed := slices.Clone(vs)
		changed[i].Out = slices.Clone(vs[i].Out)
		changed[i].Out[17] ^= 1
		notes, err := CompareFragments(changed)
		if exact := strings.HasSuffix(vs[i].Name, "integers") || strings.HasPrefix(vs[i].Name, "ldmatrix"); exact != (err != nil) || exact == (len(notes) == 1) {
			t.Errorf("%s, a bit changed: %v, %q", vs[i].Name, err, notes)
		}
	}
}

// TestGolden compares vectors of a GPU, if any were brought here.
func TestGolden(t *testing.T) {
	f, err := os.Open("testdata/golden_fragments.bin")
	if err != nil {
		t.Skip("no vectors of a GPU; the fragments are as the PTX ISA's text has them")
	}
	defer f.Close()
	vs, err := ReadVectors(f)
	if err != nil {
		t.Fatal(err)
	}
	notes, err := CompareFragments(vs)
	if err != nil {
		t.Error(err)
	}
	t.Log(strings.Join(notes, "\n"))
}

func TestVectors(t *testing.T) {
	want := []Vector{{"a", []byte{1, 2}, []byte{3}}, {"", nil, nil}, {"b c", make([]byte, 300), []byte("xyz")}}
	var b bytes.Buffer
	if err := WriteVectors(&b, want); err != nil {
		t.Fatal(err)
	}
	have, err := ReadVectors(bytes.NewReader(b.Bytes()))
	if err != nil || len(have) != len(want) {
		t.Fatalf("%v, %v", have, err)
	}
	for i, w := range want {
		if have[i].Name != w.Name || !bytes.Equal(have[i].In, w.In) || !bytes.Equal(have[i].Out, w.Out) {
			t.Errorf("vector %d is %v, want %v", i, have[i], w)
		}
	}
	for n := range b.Len() {
		if vs, err := ReadVectors(bytes.NewReader(b.Bytes()[:n])); err == nil && len(vs) == len(want) {
			t.Errorf("%d of %d bytes are enough", n, b.Len())
		}
	}
	long := append([]byte(goldenMark), 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0)
	if _, err := ReadVectors(bytes.NewReader(long)); err == nil || !strings.Contains(err.Error(), "0 are left") {
		t.Errorf("a name of 4 GB: %v", err)
	}
}

// TestSemiring: no operand is zero, and the largest and the least of a + b, max(a, b) and
// min(a, b) change with nearly every step of k.
func TestSemiring(t *testing.T) {
	for what, f := range map[string]func(a, b float32) float32{
		"sum": func(a, b float32) float32 { return a + b }, "larger": func(a, b float32) float32 { return max(a, b) }, "lesser": func(a, b float32) float32 { return min(a, b) },
	} {
		changes := 0
		for k := range SemiringDepth {
			changed := false
			for i := range semiring.SampleRows {
				for j := range semiring.SampleCols {
					if float32(semiring.SampleA(i, k)) == 0 || float32(semiring.SampleB(k, j)) == 0 {
						t.Errorf("a zero at i=%d k=%d j=%d", i, k, j)
					}
					most, least := f(float32(semiring.SampleA(i, 0)), float32(semiring.SampleB(0, j))), f(float32(semiring.SampleA(i, 0)), float32(semiring.SampleB(0, j)))
					for l := range k {
						most, least = max(most, f(float32(semiring.SampleA(i, l)), float32(semiring.SampleB(l, j)))), min(least, f(float32(semiring.SampleA(i, l)), float32(semiring.SampleB(l, j))))
					}
					x := f(float32(semiring.SampleA(i, k)), float32(semiring.SampleB(k, j)))
					changed = changed || x > most || x < least
				}
			}
			if changed {
				changes++
			}
		}
		if changes < SemiringDepth*2/3 {
			t.Errorf("%s: %d of %d steps change something", what, changes, SemiringDepth)
		}
	}
}
