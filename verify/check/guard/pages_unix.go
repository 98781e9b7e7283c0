//go:build linux || darwin

package guard

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Pages reports whether a [Memory] has inaccessible pages on this system.
const Pages = true

// mapPages maps whole pages for at least n bytes between two inaccessible ones.
// It returns the mapping and its accessible part.
func mapPages(n int) (mem, inner []byte, err error) {
	page := unix.Getpagesize()
	size := (max(n, 1) + page - 1) / page * page
	mem, err = unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	err = errors.Join(
		unix.Mprotect(mem[:page], unix.PROT_NONE),
		unix.Mprotect(mem[page+size:], unix.PROT_NONE))
	if err != nil {
		return nil, nil, errors.Join(err, unix.Munmap(mem))
	}
	return mem, mem[page : page+size], nil
}

func unmapPages(mem []byte) error { return unix.Munmap(mem) }
