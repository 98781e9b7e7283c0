package state_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/local"
	"github.com/tilesmith/tilesmith/cpu/dist/internal/ranktest"
	"github.com/tilesmith/tilesmith/cpu/dist/layer"
	"github.com/tilesmith/tilesmith/cpu/dist/state"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/layout"
)

// A world is the arrays of one run, whole.
type world struct {
	byRow, byBlock, byCol layout.Matrix[float64]
	small                 layout.Matrix[float32]
	pointers              []int64
	bias                  []float32
}

func newWorld(seed uint64) *world {
	w := &world{byRow: ranktest.Random[float64](301, 97, seed), byBlock: ranktest.Random[float64](64, 350, seed+1), byCol: ranktest.Random[float64](50, 41, seed+2),
		small: ranktest.Random[float32](2, 3, seed+3), bias: ranktest.Random[float32](1, 19, seed+4).Data}
	for i := range 10_000 {
		w.pointers = append(w.pointers, int64(i)*int64(i)<<20+int64(seed))
	}
	return w
}

// parts are those of a rank of p, which are in memory of its own if there are to be any.
func (w *world) parts(rank, p int, own bool) []state.Part {
	rows, cols := 1, p
	if p%2 == 0 {
		rows, cols = 2, p/2
	}
	spans := func(m layout.Matrix[float64], i, rows, j, cols int) dist.Rect {
		return dist.Rect{Rows: dist.Span{Hi: m.Rows}.Part(i, rows), Cols: dist.Span{Hi: m.Cols}.Part(j, cols)}
	}
	var list []state.Part
	for i, m := range []layout.Matrix[float64]{w.byRow, w.byBlock, w.byCol} {
		b := [...]dist.Rect{spans(m, rank, p, 0, 1), spans(m, rank/cols, rows, rank%cols, cols), spans(m, 0, 1, rank, p)}[i]
		x := ranktest.Part(m, b)
		if own && i == 1 { // a column-major copy
			x = layout.New[float64](x.Cols, x.Rows).T()
			local.Copy(x, ranktest.Part(m, b))
		}
		list = append(list, state.Matrix([]string{"by row", "by block", "by col"}[i], m.Rows, m.Cols, b, x))
	}
	at := dist.Span{Hi: len(w.pointers)}.Part(rank, p)
	tiny := dist.Rect{Rows: dist.Span{Hi: 2}.Part(rank, p), Cols: dist.Span{Hi: 3}}
	return append(list, state.Slice("pointers", len(w.pointers), at, w.pointers[at.Lo:at.Hi]),
		state.Matrix("small", 2, 3, tiny, ranktest.Part(w.small, tiny)),
		state.Slice("bias", len(w.bias), dist.Span{Hi: len(w.bias)}, w.bias))
}

func (w *world) save(p int, dir string, step int64) error {
	return comm.Run(p, func(c *comm.Comm) error {
		return state.Save(c, dir, step, map[string]any{"seed": 7, "name": "world"}, w.parts(c.Rank(), p, true)...)
	})
}

// load reads a world on p ranks, and returns how much each read.
func load(p int, dir string) (w *world, step int64, read []int64, err error) {
	w = &world{byRow: layout.New[float64](301, 97), byBlock: layout.New[float64](64, 350), byCol: layout.New[float64](50, 41),
		small: layout.New[float32](2, 3), pointers: make([]int64, 10_000), bias: make([]float32, 19)}
	read = make([]int64, p)
	err = comm.Run(p, func(c *comm.Comm) error {
		s, err := state.Open(c, dir)
		if err != nil {
			return err
		}
		parts := w.parts(c.Rank(), p, false)
		if c.Rank() > 0 {
			parts = parts[:5] // one bias is enough
		}
		var meta struct {
			Seed int
			Name string
		}
		if err := json.Unmarshal(s.Metadata, &meta); err != nil || meta.Seed != 7 || meta.Name != "world" {
			return fmt.Errorf("metadata %s: %v", s.Metadata, err)
		}
		if c.Rank() == 0 {
			step = s.Step
		}
		err = s.Load(parts...)
		read[c.Rank()] = s.BytesRead()
		return err
	})
	return w, step, read, err
}

func sameWorld(x, y *world) string {
	parts := func(w *world) []any {
		return []any{w.byRow.Data, w.byBlock.Data, w.byCol.Data, w.small.Data, w.pointers, w.bias}
	}
	if want, have := parts(x), parts(y); !reflect.DeepEqual(want, have) { // a difference takes a hundred times as long
		return cmp.Diff(want, have)
	}
	return ""
}

// TestStateRanks: what some ranks saved, any number reads.
func TestStateRanks(t *testing.T) {
	for _, p := range []int{1, 4} {
		dir := filepath.Join(t.TempDir(), "run", "state")
		for step := range int64(2) {
			w := newWorld(uint64(p) + uint64(step))
			if err := w.save(p, dir, 10+step); err != nil {
				t.Fatal(err)
			}
			for _, q := range level.Of([]int{3}, []int{1, 3, 4, 8}, []int{1, 2, 3, 4, 8}) {
				have, s, _, err := load(q, dir)
				if err != nil {
					t.Fatalf("%d ranks to %d: %v", p, q, err)
				}
				if d := sameWorld(w, have); d != "" || s != 10+step {
					t.Errorf("%d ranks to %d: step %d, %s", p, q, s, d)
				}
			}
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(files) != p+1 {
			t.Errorf("after two saves of %d ranks there are %v, %v", p, files, err)
		}
	}
}

// TestStateReads: a rank reads what it wants and nothing else, but for pieces at the ends.
func TestStateReads(t *testing.T) {
	dir := t.TempDir()
	const rows, cols = 4096, 64 // 512 bytes a row, 128 rows a piece
	x := ranktest.Random[float64](rows, cols, 1)
	save := func(c *comm.Comm) error {
		b := dist.Rect{Rows: dist.Span{Hi: rows}.Part(c.Rank(), 4), Cols: dist.Span{Hi: cols}}
		return state.Save(c, dir, 0, nil, state.Matrix("x", rows, cols, b, ranktest.Part(x, b)))
	}
	if err := comm.Run(4, save); err != nil {
		t.Fatal(err)
	}
	err := comm.Run(2, func(c *comm.Comm) error {
		s, err := state.Open(c, dir)
		if err != nil {
			return err
		}
		if c.Rank() == 1 {
			return s.Load()
		}
		b := dist.Rect{Rows: dist.Span{Lo: 1000, Hi: 1030}, Cols: dist.Span{Lo: 3, Hi: 9}} // of files 0 and 1
		y := layout.New[float64](30, 6)
		if err := s.Load(state.Matrix("x", rows, cols, b, y)); err != nil {
			return err
		}
		for i := range 30 {
			for j := range 6 {
				if y.At(i, j) != x.At(1000+i, 3+j) {
					return fmt.Errorf("%d, %d: %v", i, j, y.At(i, j))
				}
			}
		}
		if want := int64(2 * (24 + 65536 + 4)); s.BytesRead() != want {
			return fmt.Errorf("%d bytes read; want %d: a head and a piece of two files", s.BytesRead(), want)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestStateInterrupted: what ends a save leaves what was saved before.
func TestStateInterrupted(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(t *testing.T, dir string)
	}{
		{"a rank cannot write", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "state.2.1"), 0o777); err != nil {
				t.Fatal(err)
			}
		}},
		{"no contents", func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, "state.json.new", "x"), 0o777); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		dir := t.TempDir()
		first := newWorld(1)
		if err := first.save(3, dir, 1); err != nil {
			t.Fatal(err)
		}
		c.spoil(t, dir)
		var errs [3]error
		comm.Run(3, func(co *comm.Comm) error {
			errs[co.Rank()] = state.Save(co, dir, 2, nil, newWorld(2).parts(co.Rank(), 3, true)...)
			return nil
		})
		for r, err := range errs {
			if err == nil {
				t.Errorf("%s: no error on rank %d", c.name, r)
			}
		}
		have, step, _, err := load(2, dir)
		if err != nil || step != 1 {
			t.Fatalf("%s: step %d, %v", c.name, step, err)
		}
		if d := sameWorld(first, have); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	// What a save that was killed left in the way of the next one is written over.
	dir := t.TempDir()
	for r := range 5 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("state.1.%d", r)), []byte("half a file"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(3)
	if err := w.save(2, dir, 5); err != nil {
		t.Fatal(err)
	}
	have, _, _, err := load(3, dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := sameWorld(w, have); d != "" {
		t.Error(d)
	}
}

// TestStateDamaged: whatever is cut off, changed or exchanged is an error on all ranks that
// names the file.
func TestStateDamaged(t *testing.T) {
	dir := t.TempDir()
	if err := newWorld(1).save(3, dir, 1); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"state.json", "state.1.0", "state.1.2"} {
		path := filepath.Join(dir, name)
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		spoiled := map[string][]byte{"empty": {}, "longer": append(append([]byte{}, good...), 0)}
		for i := range 8 {
			spoiled[fmt.Sprint("cut ", i)] = good[:len(good)*i/8]
			x := append([]byte{}, good...)
			x[(len(x)-1)*i/7] ^= 4
			spoiled[fmt.Sprint("changed ", i)] = x
		}
		if name == "state.1.2" {
			spoiled["of another rank"], _ = os.ReadFile(filepath.Join(dir, "state.1.1"))
		}
		for what, b := range spoiled {
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
			if _, _, _, err := load(2, dir); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := load(2, dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s removed: %v", name, err)
		}
		if err := os.WriteFile(path, good, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, _, err := load(2, dir); err != nil {
		t.Error(err)
	}
}

// TestStateMixed: a file or the contents of another run of the same arrays are refused.
func TestStateMixed(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for i, dir := range []string{a, b} {
		if err := newWorld(uint64(i)).save(2, dir, 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"state.1.0", "state.json"} {
		mine, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		put := func(text []byte) {
			if err := os.WriteFile(filepath.Join(a, name), text, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		put(other)
		if _, _, _, err := load(2, a); err == nil || !strings.Contains(err.Error(), "it is not of this save") {
			t.Errorf("%s of another run: %v", name, err)
		}
		put(mine)
	}
}

func TestStateRefuses(t *testing.T) {
	x := layout.New[float64](4, 3)
	whole := dist.Rect{Rows: dist.Span{Hi: 4}, Cols: dist.Span{Hi: 3}}
	half := func(r int) dist.Rect { return dist.Rect{Rows: dist.Span{Hi: 4}.Part(r, 2), Cols: dist.Span{Hi: 3}} }
	for _, c := range []struct {
		name string
		part func(r int) []state.Part
		want string
	}{
		{"missing", func(r int) []state.Part {
			return []state.Part{state.Matrix("x", 5, 3, half(r), ranktest.Part(x, half(r)))}
		}, "has 15 elements, and the parts of all ranks 12"},
		{"overlap", func(r int) []state.Part {
			b := half(r)
			b.Rows.Lo = 0
			return []state.Part{state.Matrix("x", 4, 3, b, ranktest.Part(x, b))}
		}, "overlap and are not the same"},
		{"twice", func(r int) []state.Part {
			return []state.Part{state.Matrix("x", 4, 3, whole, x), state.Matrix("x", 4, 3, whole, x)}
		}, "two arrays are called"},
		{"shape", func(r int) []state.Part {
			return []state.Part{state.Matrix("x", 4, 3, half(r), x)}
		}, "the matrix is 4 x 3, its block 2 x 3"},
		{"outside", func(r int) []state.Part {
			return []state.Part{state.Matrix("x", 3, 3, whole, x)}
		}, "array \"x\" is 3 x 3; a part of it is rows 0:4"},
		{"other sizes", func(r int) []state.Part {
			return []state.Part{state.Matrix("x", 4+r, 3, whole, x)}
		}, "the ranks disagree about array 0"},
		{"other numbers", func(r int) []state.Part { return make([]state.Part, r) }, "how many arrays"},
		{"none", func(r int) []state.Part { return make([]state.Part, 1) }, "neither by Matrix nor"},
		{"huge", func(r int) []state.Part {
			return []state.Part{state.Slice("x", math.MaxInt, dist.Span{}, []float64{})}
		}, map[bool]string{true: "too large to count", false: "the parts of all ranks 0"}[math.MaxInt > math.MaxInt32]},
	} {
		var errs [2]error
		dir := t.TempDir()
		comm.Run(2, func(co *comm.Comm) error {
			errs[co.Rank()] = state.Save(co, dir, 1, nil, c.part(co.Rank())...)
			return nil
		})
		for r, err := range errs {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, rank %d: %v; want %q in it", c.name, r, err, c.want)
			}
		}
	}
	dir := t.TempDir()
	if err := newWorld(1).save(2, dir, 1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		part state.Part
		want string
	}{
		{state.Slice("nobody", 1, dist.Span{Hi: 1}, []float64{0}), `no array "nobody"; it has "by row", "by block"`},
		{state.Slice("bias", 19, dist.Span{Hi: 1}, []float64{0}), "19 x 1 of float32 in the file; wanted is a part of 19 x 1 of float64"},
		{state.Slice("bias", 20, dist.Span{Hi: 1}, []float32{0}), "20 x 1 of float32"},
	} {
		var errs [2]error
		comm.Run(2, func(co *comm.Comm) error {
			s, err := state.Open(co, dir)
			if err != nil {
				return err
			}
			var parts []state.Part
			if co.Rank() == 1 {
				parts = append(parts, c.part)
			}
			errs[co.Rank()] = s.Load(parts...)
			return nil
		})
		for r, err := range errs {
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "rank 1") {
				t.Errorf("rank %d: %v; want %q in it", r, err, c.want)
			}
		}
	}
}

// TestStateTraining: an MLP that was saved by 4 ranks goes on, on 4 with the same bits and
// on others with the same numbers but for the order of additions.
func TestStateTraining(t *testing.T) {
	const in, hidden, out, batch, steps = 11, 22, 5, 12, 6
	x, target := ranktest.Random[float64](batch, in, 1), ranktest.Random[float64](batch, out, 2)
	train := func(p int, dir string, from, to int64) (loss float64) {
		err := comm.Run(p, func(c *comm.Comm) error {
			m, err := layer.NewMLP(c, in, hidden, out, layer.Options[float64]{Act: layer.Activation[float64]{F: math.Tanh, Grad: func(z float64) float64 { return 1 - math.Tanh(z)*math.Tanh(z) }}, Bias: true})
			if err != nil {
				return err
			}
			up, down := m.Up.Part(), m.Down.Part()
			parts := []state.Part{
				state.Matrix("up.w", in, hidden, up, m.Up.W), state.Slice("up.b", hidden, up.Cols, m.Up.Bias),
				state.Matrix("down.w", hidden, out, down, m.Down.W), state.Slice("down.b", out, down.Cols, m.Down.Bias),
			}
			if from == 0 {
				local.Copy(m.Up.W, ranktest.Part(ranktest.Random[float64](in, hidden, 3), up))
				local.Copy(m.Down.W, ranktest.Part(ranktest.Random[float64](hidden, out, 4), down))
			} else {
				s, err := state.Open(c, dir)
				if err != nil {
					return err
				}
				if s.Step != from {
					return fmt.Errorf("step %d; want %d", s.Step, from)
				}
				if err := s.Load(parts...); err != nil {
					return err
				}
			}
			var tape layer.MLPTape[float64]
			y, dx := layout.New[float64](batch, out), layout.New[float64](batch, in)
			for range to - from {
				if err := m.Forward(&tape, y, x, batch); err != nil {
					return err
				}
				sum := 0.0
				for i, v := range y.Data {
					d := v - target.Data[i]
					sum += d * d
					y.Data[i] = d
				}
				if err := m.Backward(&tape, dx, y); err != nil {
					return err
				}
				for _, w := range []layer.Weights[float64]{m.Up.Weights, m.Down.Weights} {
					for i, g := range w.DW.Data {
						w.W.Data[i] -= .01 * g
					}
					for i, g := range w.DBias {
						w.Bias[i] -= .01 * g
					}
				}
				if c.Rank() == 0 {
					loss = sum
				}
			}
			return state.Save(c, dir, to, nil, parts...)
		})
		if err != nil {
			t.Fatalf("%d ranks, steps %d to %d: %v", p, from, to, err)
		}
		return loss
	}
	want := train(4, t.TempDir(), 0, steps)
	for _, p := range []int{4, 2, 3, 8, 1} {
		dir := t.TempDir()
		train(4, dir, 0, steps/2)
		switch have := train(p, dir, steps/2, steps); {
		case p == 4 && have != want:
			t.Errorf("restarted on 4 ranks the loss is %v; want the bits of %v", have, want)
		case math.Abs(have-want) > 1e-12*want:
			t.Errorf("restarted on %d ranks the loss is %v; want %v", p, have, want)
		}
	}
}
