package cuda

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tilesmith/tilesmith/layout/dtype"
)

func TestParams(t *testing.T) {
	p := NewParams()
	defer p.Release()
	offsets := []int{
		Scalar(p, int8(-2)),
		p.Int32(-1),
		Scalar(p, dtype.BF16FromBits(0x1234)),
		p.Pointer(0x1122334455667788),
		p.Uint32(7),
		p.Float64(1),
		p.Float32(1),
		p.Bytes([]byte{1, 2, 3}, 64),
		Scalar(p, 2.0),
		p.Int64(-3),
	}
	if diff := cmp.Diff([]int{0, 4, 8, 16, 24, 32, 40, 64, 72, 80}, offsets); diff != "" {
		t.Errorf("offsets, want to got:\n%s", diff)
	}
	want := make([]byte, 88)
	copy(want[0:], []byte{0xfe})
	copy(want[4:], []byte{0xff, 0xff, 0xff, 0xff})
	copy(want[8:], []byte{0x34, 0x12})
	copy(want[16:], []byte{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11})
	copy(want[24:], []byte{7})
	copy(want[38:], []byte{0xf0, 0x3f})
	copy(want[42:], []byte{0x80, 0x3f})
	copy(want[64:], []byte{1, 2, 3})
	copy(want[79:], []byte{0x40})
	copy(want[80:], []byte{0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	if diff := cmp.Diff(want, p.Block()); diff != "" {
		t.Errorf("block, want to got:\n%s", diff)
	}

	// What another block left does not show in the gaps.
	p.Reset()
	p.Bytes([]byte{1, 1, 1, 1, 1, 1, 1, 1}, 1)
	p.Reset()
	Scalar(p, int8(5))
	p.Float32(0)
	if diff := cmp.Diff([]byte{5, 0, 0, 0, 0, 0, 0, 0}, p.Block()); diff != "" {
		t.Errorf("after Reset, want to got:\n%s", diff)
	}
}

func TestTooManyParams(t *testing.T) {
	var p Params
	p.Bytes(make([]byte, MaxParams-4), 1)
	p.Float32(math.Pi)
	if n := len(p.Block()); n != MaxParams {
		t.Errorf("%d bytes, want %d", n, MaxParams)
	}
	panics := func(what string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", what)
			}
		}()
		f()
	}
	Scalar(&p, int8(1))
	panics("one byte too many", func() { p.Block() })
	p.Reset()
	p.Uint32(1)
	p.Bytes(make([]byte, MaxParams), 8)
	panics("a gap too many", func() { p.Block() })
	panics("an alignment that is none", func() { p.Bytes(nil, 12) })
	p.Reset()
	if len(p.Block()) != 0 {
		t.Error("Reset left something")
	}
}

func TestParamsAllocate(t *testing.T) {
	var sum int
	if n := testing.AllocsPerRun(100, func() {
		p := NewParams()
		p.Pointer(1 << 40)
		p.Int32(3)
		Scalar(p, float32(2))
		Scalar(p, dtype.ToBF16(float32(1)))
		sum += len(p.Block())
		p.Release()
	}); n != 0 {
		t.Errorf("a block allocates %v times", n)
	}
}
