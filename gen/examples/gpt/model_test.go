package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/gen/examples/transformer"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

var slim = Shape{Tokens: 300, Length: 24, Layers: 2, Width: 32, Heads: 2, Hidden: 64, Drop: .1}

// trained is a small model that has learned a rhyme.
func trained[S dtype.Elem](t *testing.T, k *transformer.Kernels[S, float32], steps, threads int) (*Model[S, float32], BPE, []Point) {
	t.Helper()
	text := strings.Repeat(rhyme, 40)
	pairs := trainBPE(text, 300)
	s := slim
	s.Tokens = pairs.Tokens()
	m, err := NewModel(k, s, 1)
	if err != nil {
		t.Fatal(err)
	}
	curve, err := Train(t.Context(), m, pairs.Encode(text), Plan{Batch: 8, Rate: 1e-2, Steps: steps, Seed: 3, Threads: threads}, func(Point) {})
	if err != nil {
		t.Fatal(err)
	}
	return m, pairs, curve
}

// A model learns a rhyme, in either type, and says it.
func TestLearns(t *testing.T) {
	t.Run("f32", func(t *testing.T) { learns(t, transformer.Float32) })
	t.Run("bf16", func(t *testing.T) { learns(t, transformer.BFloat16) })
}

func learns[S dtype.Elem](t *testing.T, k *transformer.Kernels[S, float32]) {
	m, pairs, curve := trained(t, k, 120, 2)
	if p := curve[len(curve)-1]; !(p.Validation < .3) {
		t.Errorf("after %d steps the loss is %v of the text, %v of other text; want less than .3", p.Step, p.Loss, p.Validation)
	}
	var out strings.Builder
	o := &options{prompt: "the cat sat", say: 40, top: 1, temperature: 0}
	if err := generate(o, m, pairs, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), rhyme[:50]) {
		t.Errorf("it says %q", out.String())
	}
}

// Given steps, a number of threads leaves the bits alone.
func TestSame(t *testing.T) {
	one, _, _ := trained(t, transformer.Float32, 6, 1)
	three, _, _ := trained(t, transformer.Float32, 6, 3)
	for i, p := range one.params {
		if diff := cmp.Diff(p.Value.Data, three.params[i].Value.Data); diff != "" {
			t.Fatalf("%s differs:\n%s", p.Name, diff)
		}
	}
}

// What a generator says of tokens one by one, or some at once, is what a pass over all says.
func TestGenerator(t *testing.T) {
	m, pairs, _ := trained(t, transformer.Float32, 20, 2)
	tokens := pairs.Encode(strings.Repeat(rhyme, 2))[:m.Length]
	whole, err := m.forward(&transformer.Pass{}, tokens, len(tokens))
	if err != nil {
		t.Fatal(err)
	}
	want := append([]float32(nil), whole.Data...)
	s := NewGenerator(m, 1)
	for at := 0; at < len(tokens); {
		n := min(1+at%3, len(tokens)-at)
		have, err := s.Feed(tokens[at : at+n])
		if err != nil {
			t.Fatal(err)
		}
		at += n
		for j, x := range have {
			if w := want[(at-1)*m.Tokens+j]; !(math.Abs(float64(x-w)) < 1e-4*(1+math.Abs(float64(w)))) {
				t.Fatalf("logit %d behind %d tokens is %v, want %v", j, at, x, w)
			}
		}
	}
	for range 3 * m.Length { // further than there are places
		if _, err := s.Feed(tokens[:1]); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Feed(append(tokens, tokens...)); err != nil {
		t.Errorf("more tokens than places: %v", err)
	}
	if _, err := s.Feed([]int32{int32(m.Tokens)}); err == nil {
		t.Error("a token that there is not is not refused")
	}
}

// What was saved is loaded; what is not whole is refused.
func TestWeights(t *testing.T) {
	m, pairs, _ := trained(t, transformer.Float32, 1, 2)
	var file bytes.Buffer
	if err := save(&file, m, pairs); err != nil {
		t.Fatal(err)
	}
	again, same, err := load(bytes.NewReader(file.Bytes()), transformer.BFloat16)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pairs, same); diff != "" || again.Shape != m.Shape {
		t.Errorf("%+v, want %+v; pairs differ:\n%s", again.Shape, m.Shape, diff)
	}
	for i, p := range m.params {
		if diff := cmp.Diff(p.Value.Data, again.params[i].Value.Data); diff != "" {
			t.Fatalf("%s differs:\n%s", p.Name, diff)
		}
	}
	for n := range 64 {
		text := bytes.Clone(file.Bytes())
		text[n*len(text)/64] ^= 1
		if _, _, err := load(bytes.NewReader(text), transformer.Float32); !errors.Is(err, errDamaged) {
			t.Errorf("a file whose byte %d is another: %v", n*len(text)/64, err)
		}
		if _, _, err := load(bytes.NewReader(file.Bytes()[:n*file.Len()/64]), transformer.Float32); !errors.Is(err, errDamaged) {
			t.Errorf("%d of %d bytes: %v", n*file.Len()/64, file.Len(), err)
		}
	}
}

// The command trains, keeps what it learned, and says some more from the file; interrupted, it keeps what it has.
func TestCommand(t *testing.T) {
	dir := t.TempDir()
	text, weights, svg := filepath.Join(dir, "a.txt"), filepath.Join(dir, "w"), filepath.Join(dir, "c.svg")
	if err := os.WriteFile(text, []byte(strings.Repeat(rhyme, 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	small := []string{"-text", dir, "-length", "16", "-layers", "1", "-width", "16", "-heads", "2", "-tokens", "280", "-say", "5"}
	if err := command(t.Context(), append(small, "-steps", "3", "-weights", weights, "-svg", svg), io.Discard, io.Discard); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(svg)
	if err == nil {
		err = xml.Unmarshal(drawn, new(struct {
			Lines []struct{} `xml:"polyline"`
		}))
	}
	if err != nil {
		t.Error(err)
	}
	var out strings.Builder
	for _, more := range []string{"-seed=2", "-bf16"} {
		if err := command(t.Context(), []string{"-minutes", "0", "-weights", weights, "-say", "3", "-prompt", "the", more}, &out, io.Discard); err != nil || !strings.HasPrefix(out.String(), "the") {
			t.Errorf("%q, %v", out.String(), err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if err := command(ctx, append(small, "-minutes", "100", "-weights", weights), io.Discard, io.Discard); err != nil {
		t.Errorf("interrupted: %v", err)
	}
}

// What makes no sense is refused with a sentence.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ args, want string }{
		{"more", "without a flag"}, {"-minutes -1", "cannot train"}, {"-minutes NaN", "cannot train"}, {"-minutes 0", "nothing to ask"}, {"-steps -1", "cannot train"},
		{"-batch 0", "-batch from 1"}, {"-rate 2", "a -rate between"}, {"-tokens 3", "256 or more"}, {"-width 30 -heads 4", "shared evenly"}, {"-width 16000 -layers 60000", "more than"},
		{"-drop 1", "probability"}, {"-top 0", "-top of 1"}, {"-prompt=", "may not be empty"}, {"-layers 0", "every number from 1"}, {"-svg " + dir + "/no/c.svg", "there is no folder"},
		{"-text " + dir + "/no", "no such file"}, {"-text " + dir, "too few"}, {"-minutes 0 -weights " + dir, "is a directory"},
	} {
		if err := command(t.Context(), append(strings.Fields(c.args), "-threads", "1"), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.args, err, c.want)
		}
	}
}
