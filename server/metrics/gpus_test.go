package metrics_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/metrics"
)

// inventory has the devices that a test fills in.
type inventory struct {
	devices []device.GPU
	driver  device.Driver
	samples map[device.UUID]device.Sample
}

func (s *inventory) Devices() []device.GPU { return s.devices }
func (s *inventory) Err() *fault.Fault     { return nil }
func (s *inventory) Driver() device.Driver { return s.driver }
func (s *inventory) Sample(id device.UUID) (device.Sample, bool) {
	sample, ok := s.samples[id]
	return sample, ok
}

func TestGPUs(t *testing.T) {
	t.Parallel()
	s := &inventory{}
	m := metrics.New(metrics.Options{NodeID: "id"})
	if err := m.WatchGPUs(s); err != nil {
		t.Fatal(err)
	}
	if text := scrape(t, m); strings.Contains(text, "tutti_gpu_") {
		t.Error("series without a GPU")
	}
	s.driver = device.Driver{Version: "550.54.15", CUDA: "12.4"}
	s.devices = []device.GPU{{Index: 0, UUID: "GPU-a", Name: "NVIDIA L4\xff", PCI: "0000:3b:00.0", Memory: 1000},
		{Index: 3, UUID: "GPU-b", Memory: 2000}}
	s.samples = map[device.UUID]device.Sample{"GPU-a": {
		Used: 600, Foreign: 50, GPU: 90, Encoder: 75, Decoder: 5, EncoderSessions: 7, Temperature: 61,
		Throttled:   device.ByPower,
		Uncorrected: 2, XID: 31,
	}}
	text := scrape(t, m)
	for series, want := range map[string]string{
		`tutti_gpu_info{gpu="0",name="NVIDIA L4",N,pci="0000:3b:00.0",uuid="GPU-a"}`: "1",
		`tutti_gpu_driver_info{cuda="12.4",N,version="550.54.15"}`:                   "1",
		`tutti_gpu_memory_total_bytes{gpu="0",N}`:                                    "1000",
		`tutti_gpu_memory_total_bytes{gpu="3",N}`:                                    "2000",
		`tutti_gpu_memory_used_bytes{gpu="0",N}`:                                     "600",
		`tutti_gpu_memory_foreign_bytes{gpu="0",N}`:                                  "50",
		`tutti_gpu_load_ratio{gpu="0",N}`:                                            "0.9",
		`tutti_gpu_encoder_load_ratio{gpu="0",N}`:                                    "0.75",
		`tutti_gpu_decoder_load_ratio{gpu="0",N}`:                                    "0.05",
		`tutti_gpu_encoder_sessions{gpu="0",N}`:                                      "7",
		`tutti_gpu_temperature_celsius{gpu="0",N}`:                                   "61",
		`tutti_gpu_last_xid{gpu="0",N}`:                                              "31",
		`tutti_gpu_memory_errors_total{gpu="0",N}`:                                   "2",
		`tutti_gpu_throttled{gpu="0",N,reason="power"}`:                              "1",
		`tutti_gpu_throttled{gpu="0",N,reason="temperature"}`:                        "0",
	} {
		line := strings.Replace(series, ",N", `,node_id="id",node_type="dflt"`, 1)
		if !strings.Contains(text, line+" "+want+"\n") {
			t.Errorf("no %s %s", line, want)
		}
	}
	if strings.Contains(text, `tutti_gpu_memory_used_bytes{gpu="3"`) {
		t.Error("a reading of a device that has none")
	}
}

// TestManyGPUs: their number is bounded.
func TestManyGPUs(t *testing.T) {
	t.Parallel()
	s := &inventory{}
	for i := range 200 {
		s.devices = append(s.devices, device.GPU{Index: i, UUID: device.UUID(fmt.Sprint("GPU-", i))})
	}
	m := metrics.New(metrics.Options{NodeID: "id"})
	if err := m.WatchGPUs(s); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(scrape(t, m), "tutti_gpu_info{"); n != 64 {
		t.Error(n)
	}
}
