//go:build !(amd64 || arm64) || noasm || purego

package narrowf32

import "github.com/tilesmith/tilesmith/cpu/run/dense"

// There is no assembly.
var (
	bF16Each      []*dense.EachVariant
	f16Each       []*dense.EachVariant
	i8RowsEach    []*dense.EachVariant
	i8ColumnsEach []*dense.EachVariant
	u8RowsEach    []*dense.EachVariant
	u8ColumnsEach []*dense.EachVariant
)
