package tiling

import "testing"

func TestRegisters(t *testing.T) {
	for _, c := range []struct {
		regs int
		want Micro
	}{
		{32, Micro{9, 3}}, // AVX-512
		{16, Micro{6, 2}}, // AVX2
		{3, Micro{1, 1}},
	} {
		if got := Registers(c.regs); got != c.want {
			t.Errorf("%d registers: %+v, want %+v", c.regs, got, c.want)
		}
	}
	for regs := 3; regs <= 128; regs++ {
		m := Registers(regs)
		if m.MR < 1 || m.NV < 1 || m.MR*m.NV+m.NV+1 > regs {
			t.Errorf("%d registers: %+v needs %d", regs, m, m.MR*m.NV+m.NV+1)
		}
	}
}
