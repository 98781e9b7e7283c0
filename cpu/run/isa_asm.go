//go:build (amd64 || arm64) && !noasm && !purego

package run

import (
	"runtime"

	"github.com/tilesmith/tilesmith/tiling/isaset"
)

func runs(i *isaset.ISA) bool { return i.GOARCH == runtime.GOARCH && i.Has() }
