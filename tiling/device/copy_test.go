package device

import (
	"math"
	"testing"

	"github.com/tilesmith/tilesmith/tiling/cost"
)

// TestCopy: a copy takes a launch at least, more for more, in the end the time of DRAM; what is done after it takes both times.
func TestCopy(t *testing.T) {
	for i := range Devices {
		d := &Devices[i]
		if none := d.Copy(0, 2, 2); none != (Prediction{}) {
			t.Errorf("%s: nothing takes %+v", d.Name, none)
		}
		last := fitted.launch
		for n := 1.0; n < 1e12; n *= 10 {
			x := d.Copy(n, 2, 2)
			if !(x.Seconds >= last) || math.IsInf(x.Seconds, 0) {
				t.Errorf("%s: %g elements take %g, fewer %g", d.Name, n, x.Seconds, last)
			}
			last = x.Seconds
		}
		const n = 1e10
		x := d.Copy(n, 2, 2)
		if least := 4 * n / d.DRAM; x.Seconds < least || x.Seconds > 1.5*least || x.Bound() != cost.Memory {
			t.Errorf("%s: %g elements take %g by %v, DRAM %g", d.Name, n, x.Seconds, x.Bound(), least)
		}
		if small := d.Copy(100, 32, 2); small.Bound() != cost.Launch {
			t.Errorf("%s: a few elements wait for %v", d.Name, small.Bound())
		}
		r := Prediction{Prediction: cost.Prediction{Seconds: 1, Flops: 4, Spent: cost.Spent{cost.Tensor: 1}}, PerSM: 2, Waves: 3}
		after := r.After(x)
		if after.Seconds != 1+x.Seconds || after.PerSM != 2 || after.Waves != 3 || after.Bound() != cost.Tensor || after.Spent[cost.Memory] != x.Spent[cost.Memory] || after.Rate() >= r.Rate() {
			t.Errorf("%s: %+v after %+v is %+v", d.Name, r, x, after)
		}
	}
}
