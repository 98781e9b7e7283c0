//go:build arm64 && !noasm && !purego

package narrowf32

import "github.com/tilesmith/tilesmith/cpu/run/dense"

// These name kernels of epilogues and none that multiply, which a program need not link.
var (
	bF16Each      = []*dense.EachVariant{{ISA: "neon", F: bF16_neon_epi}}
	f16Each       = []*dense.EachVariant{{ISA: "neon", F: f16_neon_epi}}
	i8RowsEach    = []*dense.EachVariant{{ISA: "neon", F: i8Rows_neon_epi}}
	i8ColumnsEach = []*dense.EachVariant{{ISA: "neon", F: i8Columns_neon_epi}}
	u8RowsEach    = []*dense.EachVariant{{ISA: "neon", F: u8Rows_neon_epi}}
	u8ColumnsEach = []*dense.EachVariant{{ISA: "neon", F: u8Columns_neon_epi}}
)
