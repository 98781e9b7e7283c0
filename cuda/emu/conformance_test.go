package emu_test

import (
	"testing"

	"github.com/tilesmith/tilesmith/cuda"
	"github.com/tilesmith/tilesmith/cuda/cudatest"
	"github.com/tilesmith/tilesmith/cuda/emu"
)

func TestDevice(t *testing.T) {
	cudatest.Run(t, func() (cuda.Device, error) { return emu.Open(emu.Options{}) })
}
