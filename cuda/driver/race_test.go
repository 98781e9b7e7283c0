//go:build race

package driver

// raceDetector: with it, sync.Pool forgets at random, to find those who rely on it.
const raceDetector = true
