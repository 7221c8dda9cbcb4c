package fakegpu_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/test/fakegpu"
)

// Every refusal fails in FFmpeg with the words that the real driver's would.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		script []string
		args   []string
		want   string
	}{
		{"session cap", []string{"encoder.cap=0"}, nil, "OpenEncodeSessionEx failed: out of memory (10): (no details)"},
		{"session cap, newer", []string{"encoder.cap=2", "device0.encoder.others=2", "encoder.refusal=21"}, nil,
			"OpenEncodeSessionEx failed: incompatible client key (21): (no details)"},
		{"no encoder", []string{"device0.name=NVIDIA H100 PCIe", "device0.encodes=0", "device0.compute=90"}, nil,
			"OpenEncodeSessionEx failed: unsupported device (2): (no details)"},
		{"divided", []string{"device0.mig=1"}, nil, "OpenEncodeSessionEx failed: unsupported device (2): (no details)"},
		{"too small", nil, []string{"-vf", "scale_cuda=144:82"},
			"InitializeEncoder failed: invalid param (8): Frame Dimension less than the minimum supported value."},
		{"HEVC", nil, []string{"-c:v", "hevc_nvenc"}, "Codec not supported"},
		{"old driver", []string{"driver=470.82"}, nil,
			"Driver does not support the required nvenc API version. Required: 12.1 Found: 11.1"},
		{"no device", []string{"devices=0"}, nil,
			"cuInit(0) failed -> CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected"},
		{"mismatch", []string{"cuda.init=803"}, nil, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
		{"unavailable", []string{"device0.fail=46"}, nil, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
		{"no memory for a context", []string{"device0.memory=100"}, nil, "CUDA_ERROR_OUT_OF_MEMORY: out of memory"},
		{"no memory for a decoder", []string{"device0.memory=162"}, nil,
			"cuvidCreateDecoder(&decoder->decoder, params) failed -> CUDA_ERROR_OUT_OF_MEMORY: out of memory"},
		{"memory of others", []string{"device0.used=24500"}, nil, "CUDA_ERROR_OUT_OF_MEMORY: out of memory"},
		{"no such codec", []string{"device0.decodes=hevc"}, nil, "Hardware is lacking required capabilities"},
		{"no kernels", []string{"cuda.module=222"}, nil, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
		{"launch failure", []string{"device0.fail=719"}, nil, "CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"},
		{"launch failure midway", []string{"device0.fail=719", "device0.after=40"}, nil,
			"CUDA_ERROR_LAUNCH_FAILED: unspecified launch failure"},
		{"too many surfaces", nil, []string{"-extra_hw_frames", "30", "-threads", "16"}, "CUDA_ERROR_INVALID_VALUE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t, c.script...)
			args := m.transcode(filepath.Join(t.TempDir(), "out.ts"), c.args...)
			if c.name == "too many surfaces" {
				args = append(c.args, m.transcode(filepath.Join(t.TempDir(), "out.ts"))...)
			}
			said, err := m.ffmpeg(t, append([]string{"-xerror"}, args...)...)
			if !strings.Contains(said, c.want) {
				t.Errorf("want %q in (%v):\n%s", c.want, err, said)
			}
			if held := m.Counts(0).Held; held != (fakegpu.Held{}) {
				t.Errorf("something is still held: %+v", held)
			}
		})
	}
}

func TestPartsOfTheDriverMissing(t *testing.T) {
	t.Parallel()
	for library, want := range map[string]string{
		"libnvcuvid.so.1": "Cannot load libnvcuvid.so.1", "libnvidia-encode.so.1": "Cannot load libnvidia-encode.so.1",
		"libcuda.so.1": "Cannot load libcuda.so.1",
	} {
		m := newMachine(t)
		m.Remove(t, library)
		said, _ := m.ffmpeg(t, m.transcode(filepath.Join(t.TempDir(), "out.ts"))...)
		if !strings.Contains(said, want) {
			t.Errorf("without %s want %q in:\n%s", library, want, said)
		}
	}
}

func TestVisibleDevices(t *testing.T) {
	t.Parallel()
	const first, second = "GPU-11111111-2222-3333-4444-555555555555", "GPU-aaaaaaaa-2222-3333-4444-555555555555"
	for _, c := range []struct {
		visible, order string
		want           int // the script's device that works, -1 for none
	}{
		{"1", "FASTEST_FIRST", 1}, {"1", "PCI_BUS_ID", 0}, {second, "PCI_BUS_ID", 1}, {"GPU-1111", "PCI_BUS_ID", 0},
		{"7", "PCI_BUS_ID", -1}, {"", "PCI_BUS_ID", -1},
	} {
		m := newMachine(t, "devices=2", "device0.pci=0000:81:00.0", "device1.pci=0000:3b:00.0", "device0.uuid="+first,
			"device1.uuid="+second)
		cmd := m.command(t, "ffmpeg",
			append([]string{"-nostdin", "-y"}, m.transcode(filepath.Join(t.TempDir(), "out.ts"))...)...)
		cmd.Env = append(cmd.Env, "CUDA_VISIBLE_DEVICES="+c.visible, "CUDA_DEVICE_ORDER="+c.order)
		said, err := cmd.CombinedOutput()
		if (err == nil) != (c.want >= 0) {
			t.Errorf("%+v: %v\n%s", c, err, said)
		}
		for device := range 2 {
			if worked := m.Counts(device).PicturesEncoded > 0; worked != (device == c.want) {
				t.Errorf("%+v: device %d worked: %t", c, device, worked)
			}
		}
	}
}
