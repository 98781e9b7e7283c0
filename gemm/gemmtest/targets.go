package gemmtest

import (
	"hash/fnv"
	"os"
	"slices"
	"testing"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/amd64"
	"github.com/tilesmith/tilesmith/emit/arm64"
	"github.com/tilesmith/tilesmith/internal/level"
)

// sampled is how many tests there are to one that runs kernels of arm64 unasked.
const sampled = 12

// Targets returns those of all whose kernels test t runs in the interpreter. One test of twelve runs kernels of arm64
// too, by its name. With TILESMITH_ARM64=1 and in long runs all do.
func Targets(t testing.TB, all []emit.Target) []emit.Target {
	t.Helper()
	if everyArch() || inSample(t.Name()) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(t emit.Target) bool { return t.Arch == arm64.NEON.Arch })
}

// everyArch reports whether tests run kernels of every architecture.
func everyArch() bool {
	v := os.Getenv("TILESMITH_ARM64")
	return level.Long() || v != "" && v != "0"
}

// inSample reports whether the test of a name is one of those that run kernels of arm64 in any case. With remainder 1
// a dense product and sparse ones are among them.
func inSample(name string) bool {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32()%sampled == 1
}

// Backend returns what prints functions for a CPU.
func Backend(target emit.Target) emit.Backend {
	if target.Arch == arm64.NEON.Arch {
		return arm64.Backend{}
	}
	return amd64.Backend{}
}
