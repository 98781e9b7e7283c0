package peer

import (
	"fmt"
	"slices"

	"golang.org/x/sys/cpu"
)

// olderCore is the Note of a library that chose kernels for an older core than this one: without AVX-512 where there is AVX-512.
// Variable and value are what has it choose others, from the list of those with AVX-512.
func olderCore(core, variable, value string, avx512 ...string) string {
	x := cpu.X86
	if !x.HasAVX512F || !x.HasAVX512BW || !x.HasAVX512DQ || !x.HasAVX512VL || slices.Contains(avx512, core) {
		return ""
	}
	return fmt.Sprintf("it took this CPU for %q and does not use its AVX-512; to have it do so, start with %s=%s", core, variable, value)
}
