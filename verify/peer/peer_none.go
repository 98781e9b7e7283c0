//go:build !((linux || darwin) && !android && (amd64 || arm64)) || nodl

package peer

func dlopen(string) (uintptr, error) { return 0, errNoLoader }

// Bind always fails: this build cannot load shared libraries.
func Bind(uintptr, string, any) error { return errNoLoader }

func fileOf(uintptr, string) string { return "" }

func symbol(uintptr, string) (uintptr, error) { return 0, errNoLoader }

func bindAt(uintptr, any) {}
