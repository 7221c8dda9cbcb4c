package libav

import (
	"strings"
	"testing"

	"github.com/asticode/go-astiav"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/fakegpu"
)

// TestGPUWordsSurviveNoise: what is said of the device is kept, however much a damaged
// stream makes libav say in the same call.
func TestGPUWordsSurviveNoise(t *testing.T) {
	fakegpu.Load(t).Script("device0.memory=10")
	setUpProcess()
	log := newCapture()
	defer log.free()
	complain := func() error {
		d := astiav.AllocCodecContext(astiav.FindDecoder(astiav.CodecIDH264))
		defer d.Free()
		if err := d.Open(astiav.FindDecoder(astiav.CodecIDH264), nil); err != nil {
			t.Error(err)
		}
		p := astiav.AllocPacket()
		defer p.Free()
		if err := p.FromData([]byte{0, 0, 1, 0x65, 0x88, 0x84}); err != nil {
			t.Error(err)
		}
		return d.SendPacket(p)
	}
	err := log.do(func() error {
		for range 100 {
			if complain() == nil {
				t.Error("nonsense was decoded")
			}
		}
		_, err := astiav.CreateHardwareDeviceContext(astiav.HardwareDeviceTypeCUDA, "0", nil, 0)
		return err
	})
	text := log.text()
	if condition(text) != fault.GPUOutOfMemory || !strings.HasPrefix(text, "cu->cuCtxCreate") {
		t.Errorf("the device's words are lost: %q", text)
	}
	if !strings.Contains(text, "no frame!") && !strings.Contains(text, "PPS") {
		t.Errorf("there was no noise: %q", text)
	}
	if said := err.Error(); strings.ContainsAny(said, "\n\r") || strings.Contains(said, "0x") {
		t.Errorf("an error is told as %q", said)
	}
}

func TestOneText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":     "",
		"a\nb": "a; b",
		"[hevc_nvenc @ 0x7f0e2834ac40] " +
			"OpenEncodeSessionEx failed: out of memory (10)\n": "OpenEncodeSessionEx failed: out of memory (10)",
		"[in @ 0x55d0] [scale @ 0x55d1] x\r\n[h264 @ 000001f2] y": "x; y",
		"context 0x7ffd12345678 [array] lost":                     "context  [array] lost",
	} {
		if got := oneText(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

// TestBlame: only what a decoder's calls say in vague words may be the stream's doing.
func TestBlame(t *testing.T) {
	t.Parallel()
	const decode, push = "decoder->cvdl->cuvidDecodePicture(d, p) failed -> ", "cudl->cuCtxPushCurrent(c) failed -> "
	const launch = "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"
	const illegal = "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access"
	for text, want := range map[string]bool{
		decode + launch:                             true,
		decode + "CUDA_ERROR_UNKNOWN: unknown":      true,
		decode + illegal:                            false,
		push + launch:                               false,
		decode + launch + lineBreak + push + launch: false,
		"x" + lineBreak + decode + launch + lineBreak + "hardware accelerator failed to decode picture": true,
		"": false,
	} {
		if got := blamesDecoder(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
