// Package whole tells whether a file of the examples, when it is read, is as it was written.
package whole

import (
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// Seal writes text behind a line that says what it is, which ends in a new line, and a checksum.
func Seal(w io.Writer, line string, text []byte) error {
	_, err := fmt.Fprintf(w, "%s%08x\n%s", line, crc32.ChecksumIEEE(text), text)
	return err
}

// Open reads at most limit bytes of what Seal wrote, and returns the text. ok is false if it begins with
// another line or is not as it was written.
func Open(r io.Reader, line string, limit int64) (text []byte, ok bool, err error) {
	all, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil {
		return nil, false, err
	}
	start := len(line) + 9
	if len(all) < start || !strings.HasPrefix(string(all[:start]), line) {
		return nil, false, nil
	}
	var sum uint32
	_, err = fmt.Sscanf(string(all[len(line):start]), "%08x\n", &sum)
	return all[start:], err == nil && sum == crc32.ChecksumIEEE(all[start:]), nil
}
