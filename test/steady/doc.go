// Package steady holds real nodes under load that never stays the same (streams come
// and go, clients leave in the middle of an answer, pages are opened, the configuration
// is read again) and watches that memory, goroutines and open files stay level.
//
// The suite runs it for some seconds, which proves that the parts work; `make steady
// FOR=1h` is the real thing.
package steady
