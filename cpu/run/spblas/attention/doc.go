// Package attention runs attention over blocks of a mask: [Set] by kernels of softmax and of
// dense products, [Scores] with a Go function of the scores, [ScoresBack] its gradients.
//
// A task is some rows of a block row, their columns in chunks (rows.go). Gradients go by
// block rows for dq and by block columns for dk and dv (back_rows.go).
package attention
