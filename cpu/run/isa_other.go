//go:build !amd64 || noasm || purego

package run

func machineISAs() []string { return nil }
