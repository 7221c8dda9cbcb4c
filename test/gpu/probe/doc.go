// Package probe tests the test of devices on the real thing: libav in a media
// worker, on the CPU, and on GPUs whose driver is test/fakegpu's. The rules of
// the test are tried on scripted engines in transcoder/devices; here is what only the
// whole shows, from the driver's library through the child's sandbox to the offer.
package probe
