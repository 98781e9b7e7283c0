//go:build amd64 && !noasm && !purego

package narrowf32

import "github.com/tilesmith/tilesmith/cpu/run/dense"

// These name kernels of epilogues and none that multiply, which a program need not link.
var (
	bF16Each      = []*dense.EachVariant{{ISA: "avx512", F: bF16_avx512_epi}, {ISA: "avx2", F: bF16_avx2_epi}}
	f16Each       = []*dense.EachVariant{{ISA: "avx512", F: f16_avx512_epi}, {ISA: "avx2", F: f16_avx2_epi}}
	i8RowsEach    = []*dense.EachVariant{{ISA: "avx512", F: i8Rows_avx512_epi}, {ISA: "avx2", F: i8Rows_avx2_epi}}
	i8ColumnsEach = []*dense.EachVariant{{ISA: "avx512", F: i8Columns_avx512_epi}, {ISA: "avx2", F: i8Columns_avx2_epi}}
	u8RowsEach    = []*dense.EachVariant{{ISA: "avx512", F: u8Rows_avx512_epi}, {ISA: "avx2", F: u8Rows_avx2_epi}}
	u8ColumnsEach = []*dense.EachVariant{{ISA: "avx512", F: u8Columns_avx512_epi}, {ISA: "avx2", F: u8Columns_avx2_epi}}
)
