package docker_test

import (
	"errors"
	"net"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
)

func anyFree(uint16) bool { return true }

func TestPortsAreTheExistingNodes(t *testing.T) {
	t.Parallel()
	p := docker.NewPorts(anyFree)
	for _, tt := range []struct {
		pipeline string
		devices  []string
		want     uint16
	}{
		{"text-to-image", nil, 8000},
		{"image-to-image", []string{"3"}, 8103},
		{"image-to-video", []string{"0"}, 8200},
		{"upscale", []string{"1", "2"}, 8301},
		{"audio-to-text", []string{"99"}, 8499},
		{"llm", []string{"0"}, 8500},
		{"segment-anything-2", []string{"emulated-0"}, 8600},
		{"image-to-text", []string{"12"}, 8712},
		{"text-to-speech", []string{"0"}, 8800},
		{"live-video-to-video", []string{"0"}, 8900},
		// What would collide there goes elsewhere.
		{"llm", []string{"0"}, 21000},
		{"llm", []string{"100"}, 21001},
		{"llm", []string{"GPU-3f2a"}, 21002},
		{"live-video-to-video", []string{"35"}, 21003},
		{"nosuch", nil, 21004},
	} {
		if got, err := p.Take(tt.pipeline, tt.devices); err != nil || got != tt.want {
			t.Errorf("%s %v: %d, %v, want %d", tt.pipeline, tt.devices, got, err, tt.want)
		}
	}
	p.Release(8500)
	if got, _ := p.Take("llm", []string{"0"}); got != 8500 {
		t.Errorf("a port given back is not taken again: %d", got)
	}
}

func TestPortsOfOthersAreLeftAlone(t *testing.T) {
	t.Parallel()
	p := docker.NewPorts(func(port uint16) bool { return port == 21999 })
	if got, err := p.Take("llm", nil); err != nil || got != 21999 {
		t.Errorf("%d, %v", got, err)
	}
	if got, err := p.Take("llm", nil); !errors.Is(err, fault.ContainerPortConflict) {
		t.Errorf("%d, %v", got, err)
	}
}

func TestPortsTryListening(t *testing.T) {
	t.Parallel()
	p := docker.NewPorts(nil)
	port, err := p.Take("nosuch", nil)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(int(port)))
	if err != nil {
		t.Skip("someone else was quicker:", err)
	}
	defer l.Close()
	p.Release(port)
	if again, err := p.Take("nosuch", nil); err != nil || again == port {
		t.Errorf("a port in use was given: %d, %v", again, err)
	}
}

func TestPortsNeverGiveOneTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := docker.NewPorts(anyFree)
		out := make(map[uint16]bool)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "give") && len(out) > 0 {
				for port := range out {
					p.Release(port)
					delete(out, port)
					break
				}
				continue
			}
			pipeline := rapid.SampledFrom([]string{"llm", "live-video-to-video", "upscale", "?"}).Draw(t, "pipeline")
			device := rapid.SampledFrom([]string{"0", "1", "10", "35", "36", "37", "100", "-1", "GPU-a"}).Draw(t, "device")
			port, err := p.Take(pipeline, []string{device})
			if err != nil || out[port] || port == 8935 || port == 8936 || port == 8937 {
				t.Fatalf("%d, %v", port, err)
			}
			out[port] = true
		}
	})
}
