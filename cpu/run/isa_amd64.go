//go:build amd64 && !noasm && !purego

package run

import (
	"runtime"

	"github.com/tilesmith/tilesmith/tiling/kernel"
)

func runs(i *kernel.ISA) bool { return i.GOARCH == runtime.GOARCH && i.Has() }
