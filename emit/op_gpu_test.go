package emit_test

import (
	"testing"

	"github.com/tilesmith/tilesmith/emit"
)

func TestShared(t *testing.T) {
	global := emit.Pointer(emit.Global, 4)
	f := build(t, "shared", block("out", global), func(b *emit.Builder) {
		at := b.Shl(b.SReg("tid.x", emit.Int64, emit.Thread), b.Int(2))
		p := b.AddPAligned(b.Shared(64, 16), at, 4)
		b.Store(b.Trunc(emit.I32, at), emit.At(p, 0))
		b.Store(b.Load(emit.Int32, emit.At(p, 0)), emit.At(b.AddPAligned(b.Param("out", global), at, 4), 0))
	})
	smem := emit.NewMemory("smem", emit.Shared, 80)
	smem.Base = 2048
	out := emit.NewMemory("out", emit.Global, 16)
	m := &emit.Machine{Threads: 4, Shared: smem}
	m.Bind("out", emit.PtrTo(out, 0))
	if err := m.Run(f); err != nil {
		t.Fatal(err)
	}
	got := make([]int32, 4)
	out.Decode(got)
	for i, x := range got {
		if x != int32(4*i) {
			t.Errorf("thread %d read %d, want %d", i, x, 4*i)
		}
	}
	back, err := emit.Parse(f.String())
	if err != nil || back.String() != f.String() {
		t.Errorf("the text does not read back: %v\n%s", err, f)
	}

	m.Shared = nil
	wantError(t, m.Run(f), "shared", "no shared memory")
	smem.Base = 64
	m.Shared = smem
	wantError(t, m.Run(f), "not at a multiple of 1024")
	m.Shared, m.Threads = emit.NewMemory("smem", emit.Shared, 80), 5 // the fifth is beyond the end
	wantError(t, m.Run(f), "which has 80 bytes")
	for _, c := range []struct {
		off   int64
		align int
		want  string
	}{{8, 16, "byte 8 of shared memory is not aligned to 16"}, {-16, 16, "byte -16 is in no shared memory"}, {0, 4096, "not aligned to 4096"}} {
		_, err := emit.Build("bad", nil, func(b *emit.Builder) { b.Shared(c.off, c.align) })
		wantError(t, err, c.want)
	}
}
