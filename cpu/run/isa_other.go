//go:build !amd64 || noasm || purego

package run

import "github.com/tilesmith/tilesmith/tiling/kernel"

func runs(*isaset.ISA) bool { return false }
