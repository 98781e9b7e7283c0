//go:build (!((linux || darwin) && !android && (amd64 || arm64)) || nodl) && !(linux && arm64 && nodl)

package peer

var llcFlags []string

func loadObject(string) (*Object, error) { return nil, errNoLoader }
