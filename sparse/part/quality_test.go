package part

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tilesmith/tilesmith/sparse"
)

func modelOf(a sparse.Matrix[float64]) Model {
	if a.Rows() != a.Cols() {
		return Model{Ownership: Free}
	}
	return Model{}
}

// Against the medians of Mt-KaHyPar in testdata/mtkahypar.csv, which reference.py made.
func TestQuality(t *testing.T) {
	if os.Getenv("TILESMITH_LONG") == "" {
		t.Skip("set TILESMITH_LONG=1")
	}
	f, err := os.Open("testdata/mtkahypar.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := must[[][]string](t)(csv.NewReader(f).ReadAll())[1:]
	sum, worst := 0.0, 0.0
	name, n := "", 0
	var h *Hypergraph
	for _, row := range rows {
		if only := os.Getenv("ONLY"); only != "" && !strings.HasPrefix(row[0], only) {
			continue
		}
		if row[0] != name {
			name = row[0]
			a := readPattern(t, name+".mtx")
			h = must[*Hypergraph](t)(ColumnNet(a, modelOf(a)))
		}
		k := must[int](t)(strconv.Atoi(row[1]))
		want := must[float64](t)(strconv.ParseFloat(row[2], 64))
		var got []int64
		var times []float64
		imbalance := 0.0
		for seed := range uint64(5) {
			start := time.Now()
			p := must[Partition](t)(Make(h, k, Options{Seed: seed}))
			times = append(times, time.Since(start).Seconds())
			s := Measure(h, p)
			got = append(got, s.KM1)
			imbalance = max(imbalance, s.Imbalance)
			if w := slices.Max(s.Weights); w > int64(Limit(h, k, .03)) || s.Empty > 0 {
				t.Errorf("%s, k = %d: a part weighs %d, the limit is %d; %d are empty", name, k, w, Limit(h, k, .03), s.Empty)
			}
		}
		slices.Sort(got)
		slices.Sort(times)
		ratio := float64(got[2]) / want
		sum += math.Log(ratio)
		n++
		worst = max(worst, ratio)
		fmt.Printf("%-14s %2d  theirs %6.0f in %6s s  ours %6d in %6.3f s  ratio %.3f  %d..%d imbalance %.4f\n",
			name, k, want, row[5], got[2], times[2], ratio, got[0], got[4], imbalance)
	}
	mean := math.Exp(sum / float64(n))
	fmt.Printf("geometric mean %.4f, worst %.3f\n", mean, worst)
	if mean > 1.05 || worst > 1.15 {
		t.Errorf("geometric mean %.4f, worst %.3f; want 1.05 and 1.15", mean, worst)
	}
}
