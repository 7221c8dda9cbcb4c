package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/tuttinode/tutti/core/device"
)

// maxGPUs bounds the series of devices.
const maxGPUs = 64

// gpuSeries is one figure of a GPU.
type gpuSeries struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(device.GPU, device.Sample) float64
}

// gpus collects an inventory at each scrape.
type gpus struct {
	source device.Inventory
	info   *prometheus.Desc
	driver *prometheus.Desc
	// fixed are exported for every device, moving for those with a current reading.
	fixed, moving []gpuSeries
	throttled     *prometheus.Desc
}

// WatchGPUs adds the series tutti_gpu_… of each device that the inventory has. A
// device without a reading of now has only what does not change.
func (m *Metrics) WatchGPUs(source device.Inventory) error {
	desc := func(name, help string, more ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"gpu"}, more...), nil)
	}
	series := func(name, help string, of func(device.GPU, device.Sample) float64) gpuSeries {
		return gpuSeries{desc(name, help), prometheus.GaugeValue, of}
	}
	return m.Register(&gpus{
		source: source,
		info:   desc("tutti_gpu_info", "A GPU that the node uses, by its index; always 1.", "uuid", "name", "pci"),
		driver: prometheus.NewDesc("tutti_gpu_driver_info", "The GPUs' driver; always 1.", []string{"version", "cuda"},
			nil),
		throttled: desc("tutti_gpu_throttled", "1 for the reason for which the GPU runs slower than it could.", "reason"),
		fixed: []gpuSeries{
			series("tutti_gpu_memory_total_bytes", "Memory of the GPU.",
				func(d device.GPU, _ device.Sample) float64 { return float64(d.Memory) }),
		},
		moving: []gpuSeries{
			series("tutti_gpu_memory_used_bytes", "Memory in use, by all programs.",
				func(_ device.GPU, s device.Sample) float64 { return float64(s.Used) }),
			series("tutti_gpu_memory_foreign_bytes", "Memory that programs use which are no media workers of this node.",
				func(_ device.GPU, s device.Sample) float64 { return float64(s.Foreign) }),
			series("tutti_gpu_load_ratio", "Load of the GPU's compute units, 0 to 1.",
				func(_ device.GPU, s device.Sample) float64 { return float64(s.GPU) / 100 }),
			series("tutti_gpu_encoder_load_ratio", "Load of the encoder units, 0 to 1.",
				func(_ device.GPU, s device.Sample) float64 { return float64(s.Encoder) / 100 }),
			series("tutti_gpu_decoder_load_ratio", "Load of the decoder units, 0 to 1.",
				func(_ device.GPU, s device.Sample) float64 { return float64(s.Decoder) / 100 }),
			series("tutti_gpu_encoder_sessions", "Encoders that are open, of any program.",
				func(_ device.GPU, s device.Sample) float64 { return float64(s.EncoderSessions) }),
			series("tutti_gpu_temperature_celsius", "Temperature; 0 where the GPU has no sensor.",
				func(_ device.GPU, s device.Sample) float64 { return float64(s.Temperature) }),
			series("tutti_gpu_last_xid", "Number of the last critical error (XID) since the node began, 0 for none.",
				func(_ device.GPU, s device.Sample) float64 { return float64(s.XID) }),
			{desc("tutti_gpu_memory_errors_total", "Memory errors that could not be corrected, since the GPU's last reset."),
				prometheus.CounterValue,
				func(_ device.GPU, s device.Sample) float64 { return float64(s.Uncorrected) }},
		},
	})
}

// Describe names the series.
func (c *gpus) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.info, c.driver, c.throttled} {
		ch <- d
	}
	for _, list := range [][]gpuSeries{c.fixed, c.moving} {
		for _, s := range list {
			ch <- s.desc
		}
	}
}

// Collect reads the inventory.
func (c *gpus) Collect(ch chan<- prometheus.Metric) {
	devices := c.source.Devices()
	if d := c.source.Driver(); d.Version != "" {
		ch <- prometheus.MustNewConstMetric(c.driver, prometheus.GaugeValue, 1, cleanLabel(d.Version), cleanLabel(d.CUDA))
	}
	for _, d := range devices[:min(len(devices), maxGPUs)] {
		ch <- prometheus.MustNewConstMetric(c.info, prometheus.GaugeValue, 1, d.ID(), cleanLabel(string(d.UUID)),
			cleanLabel(d.Name), cleanLabel(d.PCI))
		for _, s := range c.fixed {
			ch <- prometheus.MustNewConstMetric(s.desc, s.kind, s.of(d, device.Sample{}), d.ID())
		}
		sample, ok := c.source.Sample(d.UUID)
		if !ok {
			continue
		}
		for _, s := range c.moving {
			ch <- prometheus.MustNewConstMetric(s.desc, s.kind, s.of(d, sample), d.ID())
		}
		for _, reason := range []string{device.ByTemperature, device.ByPower, device.ByPowerBrake, device.ByHardware} {
			on := 0.0
			if sample.Throttled == reason {
				on = 1
			}
			ch <- prometheus.MustNewConstMetric(c.throttled, prometheus.GaugeValue, on, d.ID(), reason)
		}
	}
}
