//go:build linux && !android && (amd64 || arm64) && !nodl

package mpi

import (
	"strconv"
	"syscall"
)

// A hydra is the socket to the launcher of MPICH's family.
//
// A process that closes it without a farewell has died, to Hydra, which then ends the
// others. MPICH 4.0 says farewell in MPI_Finalize. Later versions do when the process
// ends, by C's atexit, which no Go program calls. So it is said here if the socket is
// still open after MPI_Finalize. The protocol is the simple wire protocol, PMI 1, of
// Hydra.
type hydra struct {
	fd  int
	was syscall.Stat_t
}

// findHydra is called before MPI is started.
func findHydra(env func(string) string) *hydra {
	fd, err := strconv.Atoi(env("PMI_FD"))
	h := &hydra{fd: fd}
	if err != nil || env("PMI_VERSION") == "2" || syscall.Fstat(fd, &h.was) != nil {
		return nil
	}
	return h
}

// farewell is called after MPI has ended.
func (h *hydra) farewell() {
	var now syscall.Stat_t
	if h == nil || syscall.Fstat(h.fd, &now) != nil || now.Dev != h.was.Dev || now.Ino != h.was.Ino {
		return // said, and the socket is closed or is another
	}
	syscall.SetsockoptTimeval(h.fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &syscall.Timeval{Sec: 5})
	if _, err := syscall.Write(h.fd, []byte("cmd=finalize\n")); err == nil {
		syscall.Read(h.fd, make([]byte, 64)) // cmd=finalize_ack: Hydra knows
	}
}
