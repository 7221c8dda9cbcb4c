// Package probe tests the test of devices on the real thing: libav in a media
// worker, on the processor, and on GPUs whose driver is test/fakegpu's.
package probe
