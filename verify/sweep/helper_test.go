package sweep

import "gonum.org/v1/gonum/blas"

func trans(t bool) blas.Transpose {
	if t {
		return blas.Trans
	}
	return blas.NoTrans
}

// counter counts lines and keeps nothing.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c++; return len(p), nil }
