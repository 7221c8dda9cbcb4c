//go:build race

package scale_test

// raced says that the race detector is on, which makes everything much slower.
const raced = true
