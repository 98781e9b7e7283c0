//go:build amd64 && !noasm && !purego

package run

import "golang.org/x/sys/cpu"

func machineISAs() []string {
	var isas []string
	x := &cpu.X86
	if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasBMI2 && x.HasFMA && x.HasF16C {
		isas = append(isas, "avx512")
	}
	if x.HasAVX2 && x.HasFMA && x.HasBMI2 && x.HasF16C {
		isas = append(isas, "avx2")
	}
	return isas
}
