package cudatest

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tilesmith/tilesmith/cuda"
)

// random returns n bytes that depend on nothing else.
func random(n int) []byte {
	r := rand.NewChaCha8([32]byte{byte(n), byte(n >> 8)})
	b := make([]byte, n)
	r.Read(b)
	return b
}

func copies(t *T) {
	s := t.stream()
	for _, n := range []int{0, 1, 3, 4096, 1 << 20, 3<<20 + 17} {
		want := random(n)
		m := t.alloc(int64(n) + 100)
		t.must("Fill", s.Fill(m, 0, 0xee, m.Bytes()))
		src := bytes.Clone(want)
		t.must("Write", s.Write(m, 37, src))
		clear(src) // Write has returned, so it is ours again
		other := t.alloc(m.Bytes())
		t.must("Copy", s.Copy(other, 0, m, 0, m.Bytes()))
		got := make([]byte, n)
		t.must("Read", s.Read(got, other, 37))
		if !bytes.Equal(got, want) {
			t.Errorf("%d bytes: Read returns others than were written", n)
		}
		all := t.read(s, other)
		if !bytes.Equal(all[:37], bytes.Repeat([]byte{0xee}, 37)) || !bytes.Equal(all[37+n:], bytes.Repeat([]byte{0xee}, 63)) {
			t.Errorf("%d bytes: the bytes around them changed", n)
		}
		t.must("Free", m.Free())
		t.must("Free", other.Free())
	}
	m := t.alloc(64)
	t.must("Write", s.Write(m, 0, random(64)))
	t.must("Copy", s.Copy(m, 32, m, 0, 32))
	if got := t.read(s, m); !bytes.Equal(got[32:], random(64)[:32]) {
		t.Errorf("Copy within a buffer: %x", got)
	}
	t.fails("Copy onto itself", s.Copy(m, 1, m, 0, 32))
}

// order puts work on one stream that gives another result in another order.
func order(t *T) {
	s := t.stream()
	a, b := t.alloc(1<<20), t.alloc(1<<20)
	for i := range 10 {
		t.must("Fill", s.Fill(a, 0, byte(i), a.Bytes()))
		t.must("Copy", s.Copy(b, int64(i)<<10, a, 0, 1<<10))
		t.must("Write", s.Write(a, 0, random(2<<10)))
	}
	t.must("Synchronize", s.Synchronize())
	got := t.read(s, b)
	for i := range 10 {
		if want := bytes.Repeat([]byte{byte(i)}, 1<<10); !bytes.Equal(got[i<<10:(i+1)<<10], want) {
			t.Errorf("step %d: the copy has %d, want %d", i, got[i<<10], i)
		}
	}
	t.must("Close", s.Close())
	t.must("Synchronize of the device", t.dev.Synchronize())
}

func ranges(t *T) {
	s := t.stream()
	m, other := t.alloc(100), t.alloc(1000)
	nothing := t.alloc(0)
	for _, r := range []struct{ off, n int64 }{
		{-1, 1}, {0, 101}, {100, 1}, {99, 2}, {101, 0}, {math.MaxInt64, 1}, {math.MaxInt64 - 1, 2}, {math.MinInt64, 8},
	} {
		what := fmt.Sprintf("%d bytes at %d of 100: ", r.n, r.off)
		t.fails(what+"Write", s.Write(m, r.off, make([]byte, r.n)), cuda.ErrRange)
		t.fails(what+"Read", s.Read(make([]byte, r.n), m, r.off), cuda.ErrRange)
		t.fails(what+"Fill", s.Fill(m, r.off, 0, r.n), cuda.ErrRange)
		t.fails(what+"Copy to", s.Copy(m, r.off, other, 0, r.n), cuda.ErrRange)
		t.fails(what+"Copy from", s.Copy(other, 0, m, r.off, r.n), cuda.ErrRange)
	}
	for _, n := range []int64{-1, math.MaxInt64, math.MinInt64} {
		t.fails(fmt.Sprintf("Fill of %d bytes", n), s.Fill(m, 50, 0, n), cuda.ErrRange)
		t.fails(fmt.Sprintf("Copy of %d bytes", n), s.Copy(m, 50, other, 50, n), cuda.ErrRange)
	}
	t.fails("Write to nothing", s.Write(nothing, 0, []byte{1}), cuda.ErrRange)
	t.must("Write of nothing", s.Write(nothing, 0, nil))
	t.must("Read of nothing", s.Read(nil, m, 100))
	t.must("Fill of nothing", s.Fill(m, 100, 1, 0))
	t.must("Copy of nothing", s.Copy(nothing, 0, m, 100, 0))
	t.must("Synchronize", s.Synchronize())
}

func foreign(t *T) {
	s, m, e := t.stream(), t.alloc(100), t.event()
	there := &T{T: t.T, dev: t.Open(), open: t.open}
	ts, tm, te := there.stream(), there.alloc(100), there.event()
	t.fails("Write", s.Write(tm, 0, []byte{1}), cuda.ErrForeign)
	t.fails("Read", s.Read(make([]byte, 1), tm, 0), cuda.ErrForeign)
	t.fails("Fill", s.Fill(tm, 0, 1, 1), cuda.ErrForeign)
	t.fails("Copy to", s.Copy(tm, 0, m, 0, 1), cuda.ErrForeign)
	t.fails("Copy from", s.Copy(m, 0, tm, 0, 1), cuda.ErrForeign)
	t.fails("Record", s.Record(te), cuda.ErrForeign)
	t.fails("Wait", s.Wait(te), cuda.ErrForeign)
	t.must("Record", s.Record(e))
	t.must("Record there", ts.Record(te))
	_, err := e.Since(te)
	t.fails("Since", err, cuda.ErrForeign)
	p := cuda.NewParams()
	defer p.Release()
	p.Pointer(m.Address())
	t.fails("Launch", t.kernel("store_f32").Launch(ts, line(1, 1), p.Block()), cuda.ErrForeign)
}

// nils are what a caller has who forgot about an error.
func nils(t *T) {
	s := t.stream()
	m := t.alloc(8)
	t.fails("Write", s.Write(nil, 0, []byte{1}))
	t.fails("Read", s.Read(make([]byte, 1), nil, 0))
	t.fails("Fill", s.Fill(nil, 0, 1, 1))
	t.fails("Copy to", s.Copy(nil, 0, m, 0, 1))
	t.fails("Copy from", s.Copy(m, 0, nil, 0, 1))
	t.fails("Record", s.Record(nil))
	t.fails("Wait", s.Wait(nil))
	_, err := t.event().Since(nil)
	t.fails("Since", err)
	t.fails("Launch", t.kernel("store_f32").Launch(nil, line(1, 1), make([]byte, 8)))
	t.must("Synchronize", s.Synchronize())
}
