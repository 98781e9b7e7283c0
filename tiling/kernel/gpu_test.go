package kernel

import "testing"

// TestGPUArgs: fields are aligned to their size and do not overlap, as PTX lays
// parameters out.
func TestGPUArgs(t *testing.T) {
	end := 0
	for _, f := range []struct{ at, size int }{
		{GPUArgA, 8}, {GPUArgB, 8}, {GPUArgRsA, 8}, {GPUArgCsA, 8}, {GPUArgRsB, 8}, {GPUArgCsB, 8}, {GPUArgM, 8}, {GPUArgN, 8}, {GPUArgK, 8},
		{GPUArgBsA, 8}, {GPUArgBsB, 8}, {GPUArgTM, 4}, {GPUArgTN, 4}, {GPUArgAlpha, 4}, {GPUArgBeta, 4}, {GPUArgSlots, GPUSlotSize},
	} {
		if f.at != end {
			t.Errorf("a field is at %d, the one before ends at %d", f.at, end)
		}
		end = f.at + f.size
	}
	if n := GPUParamBytes(2, 4); n != end+GPUSlotSize {
		t.Errorf("two slots take %d bytes, want %d", n, end+GPUSlotSize)
	}
}
