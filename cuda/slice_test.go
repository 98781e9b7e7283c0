package cuda

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/layout"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// refused wants a ShapeError, returned or panicked with, that has words in it.
func refused(t *testing.T, what string, f func() error, words string) {
	t.Helper()
	defer func() {
		t.Helper()
		if e, ok := recover().(layout.ShapeError); ok && !strings.Contains(e.Error(), words) {
			t.Errorf("%s: panic %q, want %q in it", what, e, words)
		} else if !ok && what != "" {
			t.Errorf("%s: not refused", what)
		}
	}()
	err := f()
	var e layout.ShapeError
	if !errors.As(err, &e) || !strings.Contains(e.Error(), words) {
		t.Errorf("%s: %v, want a ShapeError with %q", what, err, words)
	}
	what = ""
}

func TestSlice(t *testing.T) {
	d := newHost()
	s, _ := d.NewStream()
	x, err := Upload(s, []float32{0, 1, 2, 3, 4, 5, 6, 7})
	if err != nil {
		t.Fatal(err)
	}
	part := x.Slice(2, 7).Slice(1, 4)
	if part.Len() != 3 || part.Offset() != 12 || part.Address() != x.Address()+12 || part.Memory() != x.Memory() {
		t.Errorf("a part of a part: %d elements at %d", part.Len(), part.Offset())
	}
	if got, err := part.Download(s); err != nil || !cmp.Equal(got, []float32{3, 4, 5}) {
		t.Errorf("Download: %v, %v", got, err)
	}
	if err := part.Zero(s); err != nil {
		t.Error(err)
	}
	if err := x.Slice(6, 8).Copy(s, x.Slice(1, 3)); err != nil {
		t.Error(err)
	}
	if got, _ := x.Download(s); !cmp.Equal(got, []float32{0, 1, 2, 0, 0, 0, 1, 2}) {
		t.Errorf("after Zero and Copy: %v", got)
	}

	for _, r := range [][2]int{{-1, 2}, {3, 2}, {0, 9}, {9, 9}, {math.MinInt, math.MaxInt}} {
		refused(t, "Slice", func() error { x.Slice(r[0], r[1]); return nil }, "of 8")
	}
	refused(t, "Write", func() error { return part.Write(s, make([]float32, 4)) }, "3 elements on the device, 4 on the other side")
	refused(t, "Read", func() error { return part.Read(s, nil) }, "3 elements on the device, 0 on the other side")
	refused(t, "Copy", func() error { return part.Copy(s, x) }, "3 elements on the device, 8")
	refused(t, "Make", func() error { _, err := Make[float64](d, -1); return err }, "-1 elements of 8 bytes")
	refused(t, "Make", func() error { _, err := Make[float64](d, math.MaxInt/8+1); return err }, "a buffer cannot have")
	if _, err := Make[int8](d, 1<<30); !errors.Is(err, ErrMemory) {
		t.Errorf("Make of too much: %v", err)
	}

	var zero Slice[dtype.BF16]
	if zero.Address() != 0 || zero.Len() != 0 || zero.Memory() != nil || zero.Write(s, nil) != nil || zero.Zero(s) != nil || zero.Free() != nil {
		t.Error("the zero Slice is not empty")
	}
	if got, err := zero.Download(s); len(got) != 0 || err != nil {
		t.Errorf("the zero Slice: %v, %v", got, err)
	}
}

func TestView(t *testing.T) {
	d := newHost()
	mem, _ := d.Alloc(100)
	for _, c := range []struct {
		off  int64
		n    int
		want error // nil, ErrRange, or ErrForeign for a ShapeError
	}{
		{0, 25, nil}, {96, 1, nil}, {100, 0, nil}, {4, 24, nil},
		{0, 26, ErrRange}, {100, 1, ErrRange}, {104, 0, ErrRange}, {-4, 1, ErrRange}, {0, -1, ErrRange},
		{math.MaxInt64 - 3, 1, ErrRange}, {4, math.MaxInt, ErrRange},
		{2, 1, ErrForeign}, {-1, 1, ErrForeign},
	} {
		x, err := View[float32](mem, c.off, c.n)
		var shape layout.ShapeError
		ok := errors.Is(err, c.want)
		if c.want == ErrForeign {
			ok = errors.As(err, &shape)
		}
		if !ok || err == nil && x.Address() != mem.Address()+uint64(c.off) {
			t.Errorf("%d elements at %d: %v", c.n, c.off, err)
		}
	}
}
