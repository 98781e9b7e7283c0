package param

import "testing"

// TestGPUArgs: fields are aligned to their size and do not overlap, as PTX lays
// parameters out.
func TestGPUArgs(t *testing.T) {
	end := 0
	for _, f := range []struct{ at, size int }{
		{A, 8}, {B, 8}, {RsA, 8}, {CsA, 8}, {RsB, 8}, {CsB, 8}, {M, 8}, {N, 8}, {K, 8},
		{BsA, 8}, {BsB, 8}, {TM, 4}, {TN, 4}, {Alpha, 4}, {Beta, 4}, {Slots, SlotSize},
	} {
		if f.at != end {
			t.Errorf("a field is at %d, the one before ends at %d", f.at, end)
		}
		end = f.at + f.size
	}
	if n := Bytes(2, 4); n != end+SlotSize {
		t.Errorf("two slots take %d bytes, want %d", n, end+SlotSize)
	}
}
