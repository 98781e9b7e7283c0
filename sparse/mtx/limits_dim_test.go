package mtx

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestEmptyRows: by default sizes go with the entries that the file stores.
func TestEmptyRows(t *testing.T) {
	for _, c := range []struct {
		rows, cols, entries, maxDim int
		ok                          bool
	}{
		{1 << 22, 1 << 22, 0, 0, true},
		{1<<22 + 1, 1, 0, 0, false},
		{1, 1<<22 + 1, 0, 0, false},
		{5_000_000, 5_000_000, 1_250_000, 0, true},
		{5_000_000, 5_000_000, 1_249_999, 0, false},
		{1 << 27, 1 << 27, 2147483647, 0, true},
		{1 << 27, 5, 0, 1 << 27, true},
		{1<<27 + 1, 5, 2147483647, 0, false},
	} {
		text := fmt.Sprintf("%s%d %d %d\n", generalLine, c.rows, c.cols, c.entries)
		_, err := NewReader(strings.NewReader(text), Options{MaxDim: c.maxDim})
		if c.ok != (err == nil) || err != nil && !errors.Is(err, ErrLimit) {
			t.Errorf("%+v: %v", c, err)
		}
		if err != nil && !strings.Contains(err.Error(), "line 2, column 1: ") {
			t.Errorf("%+v: %v does not say where", c, err)
		}
	}
	if _, err := NewReader(strings.NewReader("%%MatrixMarket matrix array real general\n66000000 0\n"), Options{}); !errors.Is(err, ErrLimit) {
		t.Errorf("an array without columns: %v", err)
	}
}
