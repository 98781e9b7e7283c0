package data

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/tilesmith/tilesmith/sparse"
	"github.com/tilesmith/tilesmith/sparse/files"
	"github.com/tilesmith/tilesmith/sparse/mtx"
)

// maxClasses bounds what a file of labels may ask for: a network has weights for each class.
const maxClasses = 1 << 16

// Read reads a set from three files: a square graph, features and labels. A symmetric graph is expanded. The
// features of a node are a row, which is divided by its sum. The labels are an array of two columns: the
// class of each node from 0, and its use, which is 1 to learn from, 2 to validate, 3 to test, 0 none. Errors
// say which file is wrong.
func Read(graph, features, labels string) (*Set, error) {
	s := &Set{Name: strings.TrimSuffix(filepath.Base(graph), filepath.Ext(graph))}
	var err error
	if s.Graph, err = matrix(graph); err != nil {
		return nil, err
	}
	if s.Features, err = matrix(features); err != nil {
		return nil, err
	}
	if err := s.readLabels(labels); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s, %s, %s: %w", graph, features, labels, err)
	}
	s.normalise()
	return s, nil
}

// matrix reads a file.
func matrix(name string) (m sparse.Matrix[float64], err error) {
	f, err := os.Open(name)
	if err != nil {
		return m, err
	}
	defer f.Close()
	return files.Read[float64](f, mtx.Options{Name: name})
}

// readLabels reads classes and what nodes are for.
func (s *Set) readLabels(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	var columns [2][]int
	header, err := mtx.Read(f, mtx.Options{Name: name}, func(i, j int, v float64) error {
		switch {
		case j > 1:
			return fmt.Errorf("%s: labels have more than 2 columns, want class and part of each node", name)
		case v != math.Trunc(v) || v < 0 || v >= maxClasses:
			return fmt.Errorf("%s: the label of node %d is %v, want a class from 0 to %d", name, i, v, maxClasses-1)
		case j == 1 && v > 3:
			return fmt.Errorf("%s: node %d is for %v, want 0 nothing, 1 train, 2 validation or 3 test", name, i, v)
		}
		columns[j] = append(columns[j], int(v))
		return nil
	})
	if err != nil {
		return err
	}
	if header.Format != mtx.Array || header.Cols != 2 || len(columns[0]) != header.Rows || len(columns[1]) != header.Rows {
		return fmt.Errorf("%s: labels are %s of %d x %d, want an array of 2 columns", name, header.Banner(), header.Rows, header.Cols)
	}
	s.label(columns[0], columns[1])
	return nil
}

// label sets the classes and the parts of all nodes: 1, 2 and 3, or 0 for none.
func (s *Set) label(classes, parts []int) {
	s.Labels = classes
	for i, part := range parts {
		if part == 0 {
			continue
		}
		s.Classes = max(s.Classes, classes[i]+1)
		list := [...]*[]int{&s.Train, &s.Validation, &s.Test}[part-1]
		*list = append(*list, i)
	}
}
