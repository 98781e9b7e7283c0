package dense

import (
	"github.com/tilesmith/tilesmith/cpu/run/internal/mem"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// Share reports whether two slices share memory: for those who check operands as the functions of this package do.
func Share[T dtype.Elem](x, y []T) bool { return mem.Touch(x, y) }
