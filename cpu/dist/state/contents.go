package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/tilesmith/tilesmith/cpu/dist"
)

// contents is state.json: one line of JSON, and one with its sum.
type contents struct {
	Format     string
	Generation uint64
	Save       uint64 // a random number, which all of its files have
	Step       int64
	Ranks      int
	Metadata   json.RawMessage
	Arrays     []array
}

// A array is an array, and the blocks that it was written in.
type array struct {
	Name       string
	Type       string
	Rows, Cols int
	Blocks     []block
}

// A block is in the file of a rank, behind its blocks of arrays that come before.
type block struct {
	Rank int
	dist.Rect
}

const (
	format      = "tilesmith state 1"
	maxManifest = 256 << 20 // bytes
	maxRanks    = 1 << 14   // blocks of an array are compared with each other
	maxArrays   = 1 << 16
)

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// size returns the bytes of an element.
func (a *array) size() int { return sizes[a.Type] }

// bytes returns those of all elements, if they can be counted.
func (a *array) bytes(size int) (int64, error) {
	if a.Rows < 0 || a.Cols < 0 {
		return 0, fmt.Errorf("array %q is %d x %d; neither is negative", a.Name, a.Rows, a.Cols)
	}
	hi, n := bits.Mul64(uint64(a.Rows), uint64(a.Cols))
	if hi != 0 || n > maxSize/uint64(size) {
		return 0, fmt.Errorf("array %q of %d x %d is too large to count its bytes", a.Name, a.Rows, a.Cols)
	}
	return int64(n) * int64(size), nil
}

// within says what is wrong with a block of a.
func (a *array) within(b dist.Rect) error {
	if b.Rows.Lo < 0 || b.Cols.Lo < 0 || b.Rows.Hi < b.Rows.Lo || b.Cols.Hi < b.Cols.Lo || b.Rows.Hi > a.Rows || b.Cols.Hi > a.Cols {
		return fmt.Errorf("array %q is %d x %d; a part of it is %v", a.Name, a.Rows, a.Cols, b)
	}
	return nil
}

// check says what is wrong with contents that anybody may have written.
func (m *contents) check() error {
	switch {
	case m.Format != format:
		return fmt.Errorf("the format is %q; want %q", m.Format, format)
	case m.Generation < 1 || m.Step < 0:
		return fmt.Errorf("generation %d of step %d; want at least 1 and 0", m.Generation, m.Step)
	case m.Ranks < 1 || m.Ranks > maxRanks:
		return fmt.Errorf("written by %d ranks; want 1 to %d", m.Ranks, maxRanks)
	case len(m.Arrays) > maxArrays:
		return fmt.Errorf("%d arrays; want at most %d", len(m.Arrays), maxArrays)
	}
	names := map[string]bool{}
	var all int64
	for i := range m.Arrays {
		a := &m.Arrays[i]
		if names[a.Name] {
			return fmt.Errorf("two arrays are called %q", a.Name)
		}
		names[a.Name] = true
		if a.size() == 0 {
			return fmt.Errorf("array %q is of %q, which is not an element type", a.Name, a.Type)
		}
		n, err := a.bytes(a.size())
		if err != nil {
			return err
		}
		if all += n; all > maxSize {
			return errors.New("the arrays together are too large to count their bytes")
		}
		if err := a.covered(m.Ranks); err != nil {
			return err
		}
	}
	return nil
}

// covered checks that each element is in one block.
func (a *array) covered(ranks int) error {
	if len(a.Blocks) > ranks {
		return fmt.Errorf("array %q has %d blocks from %d ranks", a.Name, len(a.Blocks), ranks)
	}
	var elems int64
	last := -1
	for _, b := range a.Blocks {
		if err := a.within(b.Rect); err != nil {
			return err
		}
		if b.Rank <= last || b.Rank >= ranks {
			return fmt.Errorf("array %q: a block of rank %d after one of rank %d; there are %d ranks", a.Name, b.Rank, last, ranks)
		}
		last = b.Rank
		elems += b.Elems()
	}
	byRow := slices.Clone(a.Blocks)
	slices.SortFunc(byRow, func(x, y block) int { return x.Rows.Lo - y.Rows.Lo })
	for i, x := range byRow {
		for _, y := range byRow[i+1:] {
			if y.Rows.Lo >= x.Rows.Hi {
				break
			}
			if x.Meet(y.Rect).Elems() > 0 {
				return fmt.Errorf("array %q: rank %d has %v and rank %d %v, which overlap and are not the same", a.Name, x.Rank, x.Rect, y.Rank, y.Rect)
			}
		}
	}
	if want := int64(a.Rows) * int64(a.Cols); elems != want {
		return fmt.Errorf("array %q has %d elements, and the parts of all ranks %d", a.Name, want, elems)
	}
	return nil
}

// find returns which array has this name, or -1.
func (m *contents) find(name string) int {
	return slices.IndexFunc(m.Arrays, func(a array) bool { return a.Name == name })
}

// names returns the names of the first arrays, for errors.
func (m *contents) names() string {
	var list []string
	for _, a := range m.Arrays[:min(len(m.Arrays), 10)] {
		list = append(list, fmt.Sprintf("%q", a.Name))
	}
	if len(m.Arrays) > len(list) {
		list = append(list, "...")
	}
	return strings.Join(list, ", ")
}

// write puts m in the place of what was there.
func (m *contents) write(dir string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	text = fmt.Appendf(text, "\ncrc32c %08x\n", crc32.Checksum(text, crcTable))
	if len(text) > maxManifest {
		return fmt.Errorf("%s would take %d bytes; the most is %d: give less metadata", manifest, len(text), maxManifest)
	}
	name := filepath.Join(dir, manifest)
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = syncFolder(dir) // the files of ranks are there before what names them
	}
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	return errors.Join(err, syncFolder(dir))
}

// syncFolder makes names durable, where a folder can be flushed.
func syncFolder(dir string) error {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "freebsd" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// readManifest returns the text of state.json.
func readManifest(dir string) ([]byte, error) {
	name := filepath.Join(dir, manifest)
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxManifest {
		return nil, fmt.Errorf("%s has more than %d bytes", name, maxManifest)
	}
	return text, nil
}

// parseContents reads the text of state.json.
func parseContents(dir string, text []byte) (m contents, err error) {
	name := filepath.Join(dir, manifest)
	line, sum, _ := strings.Cut(string(text), "\n")
	if want := fmt.Sprintf("crc32c %08x\n", crc32.Checksum([]byte(line), crcTable)); sum != want {
		return m, fmt.Errorf("%s is not whole: it ends in %.40q; want %q", name, sum, want)
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	if err := m.check(); err != nil {
		return m, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// readContents reads state.json.
func readContents(dir string) (contents, error) {
	text, err := readManifest(dir)
	if err != nil {
		return contents{}, err
	}
	return parseContents(dir, text)
}
