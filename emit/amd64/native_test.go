//go:build amd64 && !noasm && !purego

package amd64

import (
	"testing"

	"golang.org/x/sys/cpu"

	"github.com/tilesmith/tilesmith/emit"
	"github.com/tilesmith/tilesmith/emit/asm/asmtest"
	"github.com/tilesmith/tilesmith/internal/level"
	"github.com/tilesmith/tilesmith/tiling/isaset"
)

// machineTargets are the targets whose code this machine runs.
func machineTargets() []emit.Target {
	var ts []emit.Target
	x := &cpu.X86
	if x.HasAVX2 && x.HasFMA && x.HasBMI2 && x.HasF16C {
		ts = append(ts, AVX2)
		if x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL {
			ts = append(ts, AVX512)
			if x.HasAVX512VNNI {
				ts = append(ts, AVX512VNNI)
			}
			if x.HasAVX512BF16 {
				ts = append(ts, AVX512BF16)
			}
		}
		for _, i := range []*isaset.ISA{&isaset.AVXVNNI, &isaset.AMXBF16, &isaset.AMXINT8} {
			if i.Has() {
				ts = append(ts, target(i))
			}
		}
	}
	return ts
}

// askForTiles asks Linux for the registers for tiles, as package tiling/kernel does before a kernel on
// them runs; where there are none the answer is no, and no function uses them.
const askForTiles = `package main

import "syscall"

func init() { syscall.RawSyscall(syscall.SYS_ARCH_PRCTL, 0x1023, 18, 0) }
`

// TestNative builds a program of all functions, outside the source tree, and
// compares what they do with the interpreter, bit for bit.
func TestNative(t *testing.T) {
	level.E2E(t)
	targets := machineTargets()
	if targets == nil {
		t.Skip("this machine has no AVX2")
	}
	var programs []asmtest.Program
	for _, target := range targets {
		programs = append(programs, dotPrograms(t, target)...)
		if isaset.Plain(target.Name) == target.Name {
			programs = append(programs, suite.All(t, target)...)
		}
	}
	suite.Native(t, asmtest.Run{Files: map[string]string{"tiles_linux_amd64.go": askForTiles}}, programs)
}
