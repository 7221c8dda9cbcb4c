// Package fakegpu is an NVIDIA driver without a GPU: libcuda, libnvcuvid,
// libnvidia-encode and libnvidia-ml in C, backed by the CPU, so that tests run every
// GPU path of the programs on any machine. It really decodes (H.264, HEVC, VP8, VP9), scales
// and encodes (H.264 by x264, HEVC as plain samples), refuses as the real ones do, and keeps one machine's
// state for all processes that use it. It is no measure of speed, and it decodes AV1
// and MPEG-2 to made-up frames that only follow from the input. Tests alone use it.
//
// For a program that is started:
//
//	d := fakegpu.Build(t)
//	d.Script("devices=2", "encoder.cap=3", "device0.memory=8192")
//	cmd.Env = append(os.Environ(), d.Env()...)
//	…
//	d.Set("device0.fail", "719")      // while it runs
//	d.Counts(0).DecodersCreated       // what happened on device 0
//
// For libav within the test's own process, because the loader reads LD_LIBRARY_PATH
// only when a process starts:
//
//	d := fakegpu.Load(t)              // one driver per process; the script is emptied after t
//
// What the script knows is in script.go.
package fakegpu
