package roof

import (
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/cpu/run"
	"github.com/tilesmith/tilesmith/layout/dtype"
)

// What is run in turns with a measurement is there where its ceiling is, and ends.
func TestSpinner(t *testing.T) {
	for _, isa := range append(run.ISAs(), "none") {
		spin := Spinner(isa, dtype.F32)
		if want := isa != run.Portable && FMA(isa, dtype.F32, time.Millisecond) > 0; (spin != nil) != want {
			t.Errorf("%s: a spinner is %v, want %v", isa, spin != nil, want)
		}
		if spin != nil {
			spin(0)
			spin(1e6)
		}
	}
}
