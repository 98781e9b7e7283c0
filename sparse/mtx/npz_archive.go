package mtx

import (
	"archive/zip"
	"fmt"
)

// An npzArchive reads the arrays of a file.
type npzArchive struct {
	zip *zip.Reader
	o   Options
	src source // of all arrays in turn: their sizes in the directory may lie, and their bytes be the same
}

func (a *npzArchive) fail(name, reason string) *Error {
	return &Error{Name: a.o.Name, Part: name + ".npy", Reason: reason}
}

func (a *npzArchive) limit(name, reason string) *Error {
	e := a.fail(name, reason)
	e.Err = ErrLimit
	return e
}

// files returns those of an array, of which there should be one.
func (a *npzArchive) files(name string) (list []*zip.File) {
	for _, f := range a.zip.File {
		if f.Name == name+".npy" {
			list = append(list, f)
		}
	}
	return list
}

// array reads one.
func (a *npzArchive) array(name string, wants npyWants) (v npzValues, err error) {
	files := a.files(name)
	switch {
	case len(files) > 1:
		return v, a.fail(name, "it is there twice; want it once")
	case len(files) == 0:
		return v, a.fail(name, "it is missing; want what scipy.sparse.save_npz writes")
	}
	f := files[0]
	in, err := f.Open()
	if err != nil {
		return v, a.fail(name, err.Error())
	}
	defer in.Close()
	src := &a.src
	src.r = in
	h, at, reason, err := readNPYHeader(src, a.o, wants)
	v.npyHeader = h
	if reason == "" && err == nil {
		reason, err = v.fill(src)
	}
	if reason == "" && err == nil {
		v.inOrder()
		return v, nil
	}
	if reason == "" {
		reason = readError(err)
	}
	e := a.fail(name, reason)
	e.Offset, e.Err = at, err
	return v, e
}

// text reads an array of one text.
func (a *npzArchive) text(name string) (string, error) {
	v, err := a.array(name, npyWants{[]string{"S3", "U3"}, 0, 0})
	if err != nil {
		return "", err
	}
	s := make([]byte, 3)
	for k := range s {
		width := v.size() / len(s)
		c := v.part(k*width, width)
		if c < ' ' || c > '~' {
			return "", a.fail(name, "it is no text")
		}
		s[k] = byte(c)
	}
	return string(s), nil
}

// ints reads an array of integers from lo to hi.
func (a *npzArchive) ints(name string, lo, hi int) ([]int, error) {
	v, err := a.array(name, npyWants{npzInts, 1, 1})
	if err != nil {
		return nil, err
	}
	return a.list(name, v, 0, v.n, lo, hi)
}

// list returns elements from up to to of an array of integers, each from lo to hi.
func (a *npzArchive) list(name string, v npzValues, from, to, lo, hi int) ([]int, error) {
	list := make([]int, to-from)
	for k := range list {
		x, shown := v.integer(from+k), any(v.integer(from+k))
		beyond := v.kind[0] == 'u' && x < 0 // 2^63 or more
		if beyond {
			shown = uint64(x)
		}
		if beyond || x < int64(lo) || x > int64(hi) {
			return nil, a.fail(name, fmt.Sprintf("number %d is %d; want %d to %d", from+k, shown, lo, hi))
		}
		list[k] = int(x)
	}
	return list, nil
}

// values reads an array of numbers.
func (a *npzArchive) values(name string, least, most int) (npzValues, error) {
	return a.array(name, npyWants{npzNumbers, least, most})
}
