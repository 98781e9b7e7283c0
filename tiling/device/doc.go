// Package device predicts how long a product takes on a GPU, from the GPU's data sheet
// and from the text of a kernel. It counts tensor cores or multiply-add units, issue
// slots, turns of shared-memory banks, bytes from L2 and DRAM, and tiles per SM. One
// closed form serves all GPUs. The few numbers that no data sheet has are in fitted.go;
// testdata/measured.csv has the published measurements that they come from.
//
// A prediction ranks kernels and says which bound rules. It is not a measurement:
// docs/results/gpu-model.md has both side by side.
//
// Start with [Device.Predict].
package device
