//go:build !((linux || darwin) && !android && (amd64 || arm64)) || nodl

package peer

import "unsafe"

func function(uintptr, string) (func(args unsafe.Pointer), error) { return nil, errNoLoader }
