// Package state saves arrays that are spread over ranks, and loads them on any number of ranks.
package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/tilesmith/tilesmith/cpu/comm"
	"github.com/tilesmith/tilesmith/cpu/dist"
)

// The state of a run is a folder that all ranks see:
//
//	state.json    what there is: step, metadata, arrays, and which rank wrote which block
//	state.7.0     what rank 0 wrote in generation 7
//	state.7.1
//
// A save writes the files of a new generation, then state.json next to its place, and
// renames that. Until then the generation before is the state. After it the files of
// the one before are removed. Files and folder are flushed to disk in between. So
// whatever ends a save leaves the last state that was complete.
const manifest = "state.json"

// fileOf is the name of what a rank wrote.
func fileOf(dir string, generation uint64, rank int) string {
	return filepath.Join(dir, fmt.Sprintf("state.%d.%d", generation, rank))
}

// Save writes the state of a run into a folder that all ranks see, and makes the folder
// if it is not there. The state has the step, metadata and arrays. Metadata is of any kind
// that encoding/json takes, and rank 0's counts. Each rank gives its parts of the arrays.
// Together the parts of an array must be all of it. A part that several ranks have alike is
// written once, by the first. Parts must not overlap otherwise. [Open] reads it, on any
// number of ranks.
//
// All ranks call it with the same step and as many arrays in the same order. If it fails
// it does so on all of them, and says where, and what was saved before is still there.
func Save(c *comm.Comm, dir string, step int64, metadata any, parts ...Part) error {
	const what = "state.Save"
	s := save{c: c, dir: dir, parts: parts}
	text, err := s.prepare(step, metadata)
	facts := []comm.Fact{comm.NewFact("the folder", dir), comm.NewFact("the step", step), comm.NewFact("how many arrays", len(parts))}
	for i, p := range parts {
		facts = append(facts, comm.NewFact(fmt.Sprintf("array %d", i), p.describe()))
	}
	if err := dist.Agree(c, what, err, facts...); err != nil {
		return err
	}
	if err := s.share(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	m := contents{Format: format, Generation: s.generation, Save: s.id, Step: step, Metadata: text, Ranks: c.Size(), Arrays: s.arrays}
	err = m.check()
	if err == nil {
		err = s.write(&m)
	}
	if err := dist.Agree(c, what, err); err != nil {
		s.remove(s.generation)
		return err
	}
	err = nil
	if c.Rank() == 0 {
		err = m.write(dir)
	}
	if err := dist.Agree(c, what, err); err != nil {
		return err
	}
	s.remove(s.before)
	return nil
}

// A save is a save on one rank.
type save struct {
	c                  *comm.Comm
	dir                string
	parts              []Part
	arrays             []array // with the blocks of all ranks
	generation, before uint64
	id                 uint64 // of this save
}

// prepare finds out, on rank 0, which generation comes next, and draws a number for the save.
func (s *save) prepare(step int64, metadata any) (json.RawMessage, error) {
	if step < 0 {
		return nil, fmt.Errorf("step %d; steps are not negative", step)
	}
	names := map[string]bool{}
	for _, p := range s.parts {
		if err := p.check(); err != nil {
			return nil, err
		}
		if names[p.name] {
			return nil, fmt.Errorf("two arrays are called %q", p.name)
		}
		names[p.name] = true
	}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, err
	}
	if s.c.Rank() > 0 {
		return nil, nil
	}
	switch m, err := readContents(s.dir); {
	case err == nil:
		s.before = m.Generation
	case !errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("what was saved before cannot be read, and is not overwritten: %w", err)
	}
	s.generation = s.before + 1
	s.id = rand.Uint64()
	return json.Marshal(metadata)
}

// share tells all ranks the generation, and who has which blocks.
func (s *save) share() error {
	g := []uint64{s.generation, s.before, s.id}
	if err := comm.Broadcast(s.c, 0, g); err != nil {
		return err
	}
	s.generation, s.before, s.id = g[0], g[1], g[2]
	mine := make([]int64, 0, 4*len(s.parts))
	for _, p := range s.parts {
		mine = append(mine, int64(p.at.Rows.Lo), int64(p.at.Rows.Hi), int64(p.at.Cols.Lo), int64(p.at.Cols.Hi))
	}
	all := make([]int64, len(mine)*s.c.Size())
	if err := comm.AllGather(s.c, all, mine); err != nil {
		return err
	}
	for i, p := range s.parts {
		a := array{Name: p.name, Type: p.kind, Rows: p.rows, Cols: p.cols}
		have := map[dist.Rect]bool{}
		for r := range s.c.Size() {
			x := all[r*len(mine)+4*i:]
			b := dist.Rect{Rows: dist.Span{Lo: int(x[0]), Hi: int(x[1])}, Cols: dist.Span{Lo: int(x[2]), Hi: int(x[3])}}
			if b.Elems() > 0 && !have[b] {
				have[b] = true
				a.Blocks = append(a.Blocks, block{r, b})
			}
		}
		s.arrays = append(s.arrays, a)
	}
	return nil
}

// write writes this rank's file.
func (s *save) write(m *contents) (err error) {
	me := s.c.Rank()
	name := fileOf(s.dir, s.generation, me)
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	w := newWriter(f, s.id, me)
	for i, a := range m.Arrays {
		for _, b := range a.Blocks {
			if b.Rank == me {
				w.block(i, &s.parts[i])
			}
		}
	}
	if err := w.close(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.Sync()
}

// remove removes this rank's file of a generation that is no longer of use. Rank 0
// removes those of ranks that no longer exist. A file that stays does no harm.
func (s *save) remove(generation uint64) {
	if generation == 0 {
		return
	}
	os.Remove(fileOf(s.dir, generation, s.c.Rank()))
	if s.c.Rank() == 0 {
		for r := s.c.Size(); os.Remove(fileOf(s.dir, generation, r)) == nil; r++ {
		}
	}
}

// A Saved is what Save wrote, open for reading on all ranks.
type Saved struct {
	Step     int64
	Metadata json.RawMessage // as json.Unmarshal takes it
	Ranks    int             // that saved it
	Arrays   []Array

	c        *comm.Comm
	dir      string
	contents contents
	read     int64
}

// A Array is what is known of a saved array.
type Array struct {
	Name, Type string // the type is that of Go
	Rows, Cols int
}

// Open reads from a folder what Save wrote, on as many ranks as there are now.
// It holds no files open. All ranks call it.
func Open(c *comm.Comm, dir string) (*Saved, error) {
	const what = "state.Open"
	var text []byte
	var err error
	if c.Rank() == 0 {
		text, err = readManifest(dir)
	}
	if err := dist.Agree(c, what, err, comm.NewFact("the folder", dir)); err != nil {
		return nil, err
	}
	n := []int64{int64(len(text))}
	if err := comm.Broadcast(c, 0, n); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if c.Rank() > 0 {
		text = make([]byte, n[0])
	}
	if err := comm.Broadcast(c, 0, text); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	s := &Saved{c: c, dir: dir}
	s.contents, err = parseContents(dir, text)
	if err := dist.Agree(c, what, err); err != nil {
		return nil, err
	}
	s.Step, s.Metadata, s.Ranks = s.contents.Step, s.contents.Metadata, s.contents.Ranks
	for _, a := range s.contents.Arrays {
		s.Arrays = append(s.Arrays, Array{a.Name, a.Type, a.Rows, a.Cols})
	}
	return s, nil
}

// Load reads parts of arrays into the memory that they are of: any parts, whoever wrote
// them; a rank may want none. It reads only the pieces of 64 KiB that these lie in, and
// checks their sums. All ranks call it. If one cannot have what it wants, all get an
// error, which says which rank, file and array. What was read until then stays.
func (s *Saved) Load(parts ...Part) error {
	err := s.load(parts)
	return dist.Agree(s.c, "state.Saved.Load", err)
}

// BytesRead returns how many bytes this rank has read from files of ranks.
func (s *Saved) BytesRead() int64 { return s.read }

func (s *Saved) load(parts []Part) error {
	files := map[int]*reader{}
	defer func() {
		for _, f := range files {
			s.read += f.read
			f.close()
		}
	}()
	for i := range parts {
		p := &parts[i]
		if err := p.check(); err != nil {
			return err
		}
		at := s.contents.find(p.name)
		if at < 0 {
			return fmt.Errorf("%s has no array %q; it has %v", filepath.Join(s.dir, manifest), p.name, s.contents.names())
		}
		a := &s.contents.Arrays[at]
		if a.Type != p.kind || a.Rows != p.rows || a.Cols != p.cols {
			return fmt.Errorf("array %q is %d x %d of %s in the file; wanted is a part of %d x %d of %s", p.name, a.Rows, a.Cols, a.Type, p.rows, p.cols, p.kind)
		}
		for k, b := range a.Blocks {
			both := b.Meet(p.at)
			if both.Elems() == 0 {
				continue
			}
			f := files[b.Rank]
			if f == nil {
				var err error
				if f, err = openReader(s.dir, &s.contents, b.Rank); err != nil {
					return err
				}
				files[b.Rank] = f
			}
			if err := f.block(at, k, both, p); err != nil {
				return fmt.Errorf("array %q, %v: %w", p.name, both, err)
			}
		}
	}
	return nil
}
