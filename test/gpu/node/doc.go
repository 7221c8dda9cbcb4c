// Package node runs the whole program with -gpu: gateway, orchestrator and its media
// workers as real processes, on the driver of test/fakegpu or on none at all. It looks
// at what clients and operators see. It holds nothing but tests.
//
// Those whose names begin with TestCard are the parts node and load of the GPU kit: they
// run on a real GPU, too. The test program is also the AI runner that they put alongside
// the node, when it is started for that.
package node
