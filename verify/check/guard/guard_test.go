package guard

import (
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

// far returns the address of element i of s, which need not be inside s.
func far[T dtype.Float](s []T, i int) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), i*int(unsafe.Sizeof(s[0]))))
}

// faults reports whether f touches inaccessible memory.
func faults(f func()) (fault bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		_, fault = recover().(interface{ Addr() uintptr })
	}()
	f()
	return false
}

func TestGuardFaultsOneElementTooFar(t *testing.T) {
	t.Run("type=f32", func(t *testing.T) { guardFaults[float32](t) })
	t.Run("type=f64", func(t *testing.T) { guardFaults[float64](t) })
}

func guardFaults[T dtype.Float](t *testing.T) {
	if !Pages {
		t.Skip("there are no guard pages on this system")
	}
	g, err := New[T](3000)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, n := range []int{1, 2, 7, 1024, 3000} {
		s := g.Right(n)
		for _, x := range []struct {
			name string
			f    func()
			want bool
		}{
			{"read the last", func() { sink = float64(*far(s, n-1)) }, false},
			{"write the last", func() { *far(s, n-1) = 1 }, false},
			{"read one past the end", func() { sink = float64(*far(s, n)) }, true},
			{"write one past the end", func() { *far(s, n) = 1 }, true},
			{"read a vector past the end", func() { sink = float64(*far(s, n+15)) }, true},
		} {
			if have := faults(x.f); have != x.want {
				t.Errorf("Right(%d): %s: fault is %v, want %v", n, x.name, have, x.want)
			}
		}
		if where := g.Where(uintptr(unsafe.Pointer(far(s, n)))); where != "0 bytes past the end" {
			t.Errorf("Right(%d): the first byte past the end is %q", n, where)
		}
		s = g.Left(n)
		if faults(func() { *far(s, 0) = 1 }) {
			t.Errorf("Left(%d): the first element is not accessible", n)
		}
		if !faults(func() { sink = float64(*far(s, -1)) }) || !faults(func() { *far(s, -1) = 1 }) {
			t.Errorf("Left(%d): no fault one element before the start", n)
		}
	}
}

func TestGuardCanaries(t *testing.T) {
	g, err := New[float32](200)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, x := range []struct {
		at   int
		want string
	}{
		{0, ""}, {9, ""},
		{-1, "to 1 elements before the start"},
		{-Margin, "to 64 elements before the start"},
		{10, "to 1 elements past the end"},
		{9 + Margin, "to 64 elements past the end"},
	} {
		s := g.At(Margin, 10)
		if len(s) != 10 || cap(s) != 10 {
			t.Fatalf("len %d, cap %d, want 10", len(s), cap(s))
		}
		*far(s, x.at) += 1 // the canary plus 1 is another NaN
		err := g.Check()
		if (err == nil) != (x.want == "") || err != nil && !strings.Contains(err.Error(), x.want) {
			t.Errorf("write at %d: %v, want %q", x.at, err, x.want)
		}
	}
}

var sink float64
