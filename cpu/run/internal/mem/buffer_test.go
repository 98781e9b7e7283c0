package mem

import (
	"testing"

	"github.com/tilesmith/tilesmith/internal/budget"
)

// A pool keeps small buffers, and not what a huge operand needed once.
func TestBufferTrim(t *testing.T) {
	var b Buffer
	b.Grow(1000)
	small := b.P
	if b.Trim(); b.P != small {
		t.Error("1000 bytes were not kept")
	}
	b.Grow(budget.Kept)
	if b.Trim(); b.mem != nil || b.P != nil {
		t.Errorf("%d bytes were kept", len(b.mem))
	}
	if b.Grow(1000); len(b.mem) < 1000 || b.P == nil {
		t.Error("no memory after it was let go")
	}
}
