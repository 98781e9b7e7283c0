package emu

import (
	"errors"
	"strings"
	"testing"
)

// TestSwapLoop: the atomicAdd of bf16 that compilers write for sm_80 is a race, by the model,
// and the report names the idiom; with a strong load it is none, and adds up.
func TestSwapLoop(t *testing.T) {
	// Every thread adds 1 to the upper half of a word.
	loop := func(load, swap string) string {
		return kernel(1, load+` %r1, [%rd0];
L: shr.u32 %r2, %r1, 16;
add.u32 %r2, %r2, 1;
prmt.b32 %r3, %r1, %r2, 0x5410;
`+swap+`
setp.ne.u32 %p1, %r4, %r1;
mov.b32 %r1, %r4;
@%p1 bra L;`)
	}
	const swap = "atom.global.cas.b32 %r4, [%rd0], %r1, %r3;"
	for _, c := range []struct {
		name, load, swap string
		threads          int
		note, race       bool
	}{
		{"as compilers write it", "ld.global.u32", swap, 96, true, true},
		{"volatile", "ld.volatile.global.u32", swap, 96, false, false},
		{"relaxed", "ld.relaxed.gpu.global.u32", swap, 96, false, false},
		{"one thread", "ld.global.u32", swap, 1, false, false},
		{"exchange", "ld.global.u32", "atom.global.exch.b32 %r4, [%rd0], %r3;", 96, false, true},
		{"plain store", "ld.global.u32", "st.global.u32 [%rd0], %r3; mov.u32 %r4, %r1;", 96, false, true},
	} {
		for seed := range uint64(3) {
			r := newRig(t, Options{Seed: seed})
			m := r.alloc(make([]byte, 4))
			err := r.launch(loop(c.load, c.swap), "k", grid(1, c.threads, 0), m)
			var f *Fault
			if errors.As(err, &f) != c.race || c.race && f.Kind != Race {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			if c.race {
				const note = "; note: a plain load before a compare-and-swap loop is how CUDA's headers write an atomicAdd that the target lacks, as of bf16 below sm_90;"
				if strings.Contains(err.Error(), note) != c.note {
					t.Errorf("%s: %v", c.name, err)
				}
				continue
			}
			if got := toWords(r.read(m))[0] >> 16; got != uint32(c.threads) {
				t.Errorf("%s: %d, want %d", c.name, got, c.threads)
			}
		}
	}
}
