// Command network trains a network of three layers in float32 on a task that it generates,
// then runs it in bfloat16 and, quantised after training, in int8, and prints what each
// costs: accuracy, bytes of weights, and time.
//
//	go run ./gen/examples/network
//
// Every product in it is one of this module: those of training are [cpu.MatMul], those of the
// three networks that are compared come from package layers, with bias, activation and
// requantisation as their epilogues. Start with main.go; README.md has the results.
package main
