package state

import (
	"fmt"
	"hash/crc32"
	"testing"
)

// FuzzStateContents: whatever state.json says is refused, or is arrays whose elements are
// in one block each.
func FuzzStateContents(f *testing.F) {
	f.Add(`{"Format":"tilesmith state 1","Generation":1,"Step":3,"Ranks":2,"Metadata":null,"Arrays":[{"Name":"x","Type":"float64","Rows":4,"Cols":3,"Blocks":[{"Rank":0,"Rows":{"Lo":0,"Hi":2},"Cols":{"Lo":0,"Hi":3}},{"Rank":1,"Rows":{"Lo":2,"Hi":4},"Cols":{"Lo":0,"Hi":3}}]}]}`)
	f.Add(`{"Format":"tilesmith state 1","Generation":1,"Ranks":1,"Arrays":[{"Type":"int8","Rows":4611686018427387904,"Cols":4}]}`)
	f.Add(`{"Format":"tilesmith state 1","Generation":1,"Ranks":1,"Arrays":[{"Type":"int8","Rows":-1,"Cols":-1,"Blocks":[{"Rows":{"Lo":-9223372036854775808,"Hi":9223372036854775807}}]}]}`)
	f.Fuzz(func(t *testing.T, line string) {
		text := fmt.Sprintf("%s\ncrc32c %08x\n", line, crc32.Checksum([]byte(line), crcTable))
		m, err := parseContents("", []byte(text))
		if err != nil {
			return
		}
		for i := range m.Arrays {
			a := &m.Arrays[i]
			var sum int64
			for _, b := range a.Blocks {
				if b.Rows.Lo < 0 || b.Rows.Hi > a.Rows || b.Cols.Lo < 0 || b.Cols.Hi > a.Cols {
					t.Fatalf("%v is no part of %d x %d", b.Rect, a.Rows, a.Cols)
				}
				sum += b.Elems()
			}
			if sum != int64(a.Rows)*int64(a.Cols) {
				t.Fatalf("%d elements of %d x %d", sum, a.Rows, a.Cols)
			}
		}
		r := reader{contents: &m}
		if r.start(len(m.Arrays)) < head {
			t.Fatal("the size of a file overflows")
		}
	})
}
