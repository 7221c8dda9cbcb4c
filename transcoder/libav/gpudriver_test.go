package libav_test

import (
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
	"github.com/tuttinode/tutti/transcoder/libav"
)

// TestGPUDriverParts: the whole driver is missing, or one of its libraries. Each is a
// process of its own, because a library that is loaded stays.
func TestGPUDriverParts(t *testing.T) {
	if what, child := os.LookupEnv("GPU_DRIVER_PART"); child {
		withoutPart(t, what)
		return
	}
	d := fakegpu.Build(t)
	for _, part := range []string{"libnvidia-encode.so.1", "libnvcuvid.so.1", "libcuda.so.1"} {
		d.Remove(t, part) // one after the other: the last one is missing first of all
		t.Run(part, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestGPUDriverParts$", "-test.v")
			cmd.Env = append(append(os.Environ(), "GPU_DRIVER_PART="+part), d.Env()...)
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
		})
	}
}

func withoutPart(t *testing.T, part string) {
	e, err := libav.New(libav.Options{Device: "0", CUDA: &libav.CUDA{}, Preset: "ultrafast", Cores: 2})
	if part == "libcuda.so.1" {
		if err == nil {
			t.Skip("this machine has a driver of its own")
		}
		if !errors.Is(err, fault.CUDALibrary) {
			t.Errorf("got %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	// Without the encoder's library the CPU encodes, without the decoder's
	// the installation is broken.
	_, err = e.Transcode(t.Context(), job(stored(t, "../../devices/clips/h264_yuv420p.ts"), gpuLadder()...))
	if part == "libnvidia-encode.so.1" && err != nil || part == "libnvcuvid.so.1" && !errors.Is(err, fault.CUDALibrary) {
		t.Errorf("without %s: %v", part, err)
	}
}
