//go:build !(linux && amd64)

package isaset

// tiles reports that there are none: of other systems none has been tried.
func tiles() bool { return false }
