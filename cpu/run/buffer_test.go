package run

import "testing"

// A pool keeps small buffers, and not what a huge operand needed once.
func TestBufferTrim(t *testing.T) {
	var b buffer
	b.grow(1000)
	small := b.p
	if b.trim(); b.p != small {
		t.Error("1000 bytes were not kept")
	}
	b.grow(kept)
	if b.trim(); b.mem != nil || b.p != nil {
		t.Errorf("%d bytes were kept", len(b.mem))
	}
	if b.grow(1000); len(b.mem) < 1000 || b.p == nil {
		t.Error("no memory after it was let go")
	}
}
