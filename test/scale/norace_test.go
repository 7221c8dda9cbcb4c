//go:build !race

package scale_test

const raced = false
