package driver

import (
	"errors"
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/cudatest"
)

// TestFake runs the suite with work done as late and as early as a device may.
func TestFake(t *testing.T) {
	for name, eager := range map[string]int{"Late": 0, "Early": 1} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t, func(f *fake) { f.set("eager", eager) })
			cudatest.Run(t, func() (cuda.Device, error) { return f.lib.open(0) })
		})
	}
}

// TestZGPU runs it on the GPU of this machine. It is the last test of the package by
// name, since a real GPU may be of no use after it.
func TestZGPU(t *testing.T) {
	n, err := Count()
	if err != nil || n == 0 {
		t.Skipf("no GPU: %d devices, %v", n, err)
	}
	for _, i := range must(Devices()) {
		t.Logf("%+v", i)
	}
	cudatest.Run(t, func() (cuda.Device, error) {
		d, err := Open()
		if errors.Is(err, cuda.ErrOldDriver) {
			t.Skip(err)
		}
		return d, err
	})
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
