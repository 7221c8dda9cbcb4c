// Package speed measures a GPU with the real programs: segments per second and
// real-time streams beside an ffmpeg that does the same, sessions that are kept against
// sessions made anew, the bytes between host and GPU, and memory per stream.
//
// It holds nothing but tests. On the simulated driver they try the machinery alone: its
// speed says nothing of a GPU's.
package speed
