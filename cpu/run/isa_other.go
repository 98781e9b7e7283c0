//go:build !(amd64 || arm64) || noasm || purego

package run

import "github.com/tilesmith/tilesmith/tiling/isaset"

func runs(*isaset.ISA) bool { return false }
