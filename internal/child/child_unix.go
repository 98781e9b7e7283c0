//go:build unix

package child

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Signals are those that ask this program to end, but for those that it was told to ignore, as nohup tells it of SIGHUP.
func Signals() []os.Signal {
	var all []os.Signal
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			all = append(all, s)
		}
	}
	return all
}

// ownGroup gives a program a group of its own, which the programs that it runs are in.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interrupt does as a terminal does. Who ignores Ctrl-C, as in the background of a script, runs programs that do.
func interrupt(cmd *exec.Cmd) error {
	ask := syscall.SIGINT
	if signal.Ignored(ask) {
		ask = syscall.SIGTERM
	}
	if cmd.SysProcAttr != nil {
		if err := syscall.Kill(-cmd.Process.Pid, ask); err != syscall.ESRCH {
			return err
		}
		return os.ErrProcessDone
	}
	return cmd.Process.Signal(ask)
}

// killGroup ends what a program has left in its group.
func killGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error if there is none, which is usual
	}
}
