package maskf32

import "github.com/tilesmith/tilesmith/cpu/run/masks"

// Set is dropout with every variant of its kernels. For float64 it has plain Go.
var Set = masks.Set{Name: "cpu.Dropout", Variants: Kernels}
