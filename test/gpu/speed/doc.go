// Package speed measures a GPU with the real programs: segments per second and
// real-time streams compared with an ffmpeg that does the same, kept sessions compared with new
// sessions for each segment, the bytes between host and GPU, and memory per stream.
//
// It holds nothing but tests. On the simulated driver they only check that the measurement works:
// the driver's speed says nothing about a GPU.
package speed
