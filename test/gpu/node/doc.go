// Package node runs the whole program with -gpu: gateway, orchestrator and its media
// workers as real processes, on the driver of test/fakegpu or on none at all. It looks
// at what clients and operators see. It holds nothing but tests.
package node
