//go:build amd64 && !noasm && !purego

package run

import (
	"runtime"

	"github.com/tilesmith/tilesmith/tiling/kernel"
)

func machineISAs() (isas []string) {
	for _, i := range kernel.ISAs {
		if i.GOARCH == runtime.GOARCH && i.Has() {
			isas = append(isas, i.Name)
		}
	}
	return isas
}
