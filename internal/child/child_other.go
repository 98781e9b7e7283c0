//go:build !unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// Signals are those that ask this program to end: Ctrl-C, and the end of the window or session.
func Signals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

func ownGroup(*exec.Cmd)  {}
func killGroup(*exec.Cmd) {}

// interrupt kills: there is no signal for one program.
func interrupt(cmd *exec.Cmd) error { return cmd.Process.Kill() }
