// Package device predicts how long a product takes on a GPU, from what the GPU's maker
// says of it and from what the text of a kernel asks for: tensor cores or multiply-add
// units, issue slots, turns of the banks of shared memory, bytes from the L2 cache and
// from DRAM, and how many tiles there are for how many SMs. It is one closed form for all
// GPUs; the few numbers in it that no data sheet has are in fitted.go, with the measurements
// of others that they come from in testdata/measured.csv.
//
// A prediction ranks kernels and says which bound rules. It is not a measurement:
// docs/results/gpu-model.md has both side by side.
//
// Start with [Device.Predict].
package device
