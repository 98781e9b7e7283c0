// Package check refuses arguments that a call cannot take, before any element is read or
// written. Start with [Call].
package check
